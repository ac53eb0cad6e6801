import GameFlow
import Shell

/// Prints the browsers that follow a session: the result of the method `screens`.
extension Printer {
    /// One line for each browser, and for each guest who was invited to the session and is not connected.
    func screens(_ result: Value) throws(CommandError) -> [String] {
        let screens = try result.list("screens")
        guard !screens.isEmpty else { return ["no screen"] }
        var lines: [String] = []
        for screen in screens {
            let connections = try screen.number("connections")
            let connectionState =
                connections > 0 ? terminal.paint("connected", .green) : terminal.paint("gone", .red)
            // The guest's name (`as`), the token's name (`name`), the role and the address, as far as they are known.
            let words = [
                screen.find("as"), screen.find("name"), screen.find("role"), screen.find("address"),
            ].compactMap { $0.map(TerminalSafe.text) }
            let connectionCount = connections > 1 ? ["\(connections) connections"] : []
            // How long the browser has been connected or gone; missing for a guest who was never connected.
            let duration =
                try screen.find("forMs") == nil
                ? [] : ["for \(ClockText.length(screen.number("forMs")))"]
            lines.append(
                ([connectionState] + duration + words + connectionCount).joined(separator: "  "))
        }
        return lines
    }
}
