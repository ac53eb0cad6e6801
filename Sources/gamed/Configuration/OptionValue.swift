import Shell
import Support
import Timers

/// Parses the values of settings. Thrown errors do not name the setting.
enum OptionValue {
    static func path(_ text: String) throws(UsageError) -> String {
        guard !text.isEmpty else { throw UsageError("expected a path") }
        return text
    }

    /// Returns the text if it is one of the words; throws otherwise.
    static func choose(_ text: String, _ words: [String]) throws(UsageError) -> String {
        guard words.contains(text) else {
            throw UsageError("expected \(words.joined(separator: " or "))")
        }
        return text
    }

    /// A duration; nil for `forever`.
    static func durationOrForever(_ text: String) throws(UsageError) -> Duration? {
        if text == "forever" { return nil }
        guard let duration = DurationText.read(text) else {
            throw UsageError("expected a duration such as 30d, or forever")
        }
        return duration
    }

    static func flow(_ name: String, _ flows: [String]) throws(UsageError) -> String {
        if flows.contains(name) { return name }
        let near = DidYouMean.suggest(name, flows)
        throw UsageError(
            near.isEmpty
                ? "no such flow; known: \(flows.joined(separator: ", "))"
                : "no such flow; did you mean \(near[0])?")
    }

    static func add(_ address: Address, _ text: String, to addresses: inout [Address])
        throws(UsageError)
    {
        guard !address.isOnlyOneSocket || !addresses.contains(address) else {
            throw UsageError("\(text) is given twice")
        }
        guard addresses.count < Options.addresses else {
            throw UsageError("at most \(Options.addresses) addresses")
        }
        addresses.append(address)
    }

    /// Whether the path of a UNIX socket is short enough; true for other addresses.
    static func fits(_ address: Address) -> Bool {
        guard case .unix(let path) = address else { return true }
        return SocketPath.address(path) != nil
    }

    static func fits(_ place: ControllerLocation) -> Bool {
        guard case .unix(let path) = place else { return true }
        return SocketPath.address(path) != nil
    }

    /// Sets a limit to the value in `NAME=VALUE`.
    static func limit(_ text: String, in limits: inout ServerLimits) throws(UsageError) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        let settable = Limit.settable
        guard parts.count == 2, let limit = settable.first(where: { $0.setting == parts[0] }) else {
            let names = settable.compactMap(\.setting).joined(separator: ", ")
            throw UsageError("expected NAME=VALUE, of \(names)")
        }
        try limit.set(parts[1], in: &limits)
    }
}
