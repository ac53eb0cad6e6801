import GameFlow
import RPC
import Support
import Timers

/// The words of `journal stats JOURNAL [since=WHEN] [without=LABEL] [FLOW]`.
struct StatisticsOptions: Equatable {
    let path: String
    private(set) var flow: String?
    private(set) var since: String?
    private(set) var without: String?

    init(_ words: ArraySlice<String>) throws(CommandError) {
        var positional: [String] = []
        for word in words {
            let (key, value) = Self.pair(word)
            switch key {
            case "since": since = try Self.once(since, key, value)
            case "without": without = try Self.once(without, key, value)
            default: positional.append(word)
            }
        }
        guard let path = positional.first, !path.isEmpty else {
            throw .usage("journal stats: a state directory or backup is missing")
        }
        guard positional.count <= 2 else {
            throw .usage("journal stats: name one journal, and at most one flow")
        }
        self.path = path
        flow = positional.dropFirst().first
        if let since, InstantText.read(since, before: .last) == nil,
            Int(since).flatMap(InstantText.read(milliseconds:)) == nil
        {
            throw .usage(
                "since=\(TerminalSafe.escaped(since)): expected \(InstantText.expectedForm)")
        }
        if let without, !NoteLimits.isLabelName(without) {
            throw .usage("without=\(TerminalSafe.escaped(without)): \(NoteLimits.labelNameRule)")
        }
    }

    private static func pair(_ word: String) -> (key: String, value: String) {
        guard let sign = word.firstIndex(of: "=") else { return ("", word) }
        return (String(word[..<sign]), String(word[word.index(after: sign)...]))
    }

    /// Returns the value. Throws if the option has a value already.
    private static func once(_ earlier: String?, _ key: String, _ value: String)
        throws(CommandError) -> String
    {
        guard earlier == nil else { throw .usage("\(key)= is given twice") }
        return value
    }
}
