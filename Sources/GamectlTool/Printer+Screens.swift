import GameFlow
import Shell

/// Prints the browsers that follow a session.
extension Printer {
    func screens(_ result: Value) throws(CommandError) -> [String] {
        let screens = try result.list("screens")
        guard !screens.isEmpty else { return ["no screen"] }
        var lines: [String] = []
        for screen in screens {
            let connections = try screen.number("connections")
            let state =
                connections > 0 ? terminal.paint("connected", .green) : terminal.paint("gone", .red)
            let time = try screen.find("forMs") == nil ? nil : screen.number("forMs")
            let words = [
                screen.find("as"), screen.find("name"), screen.find("role"), screen.find("address"),
            ].compactMap { $0.map(TerminalSafe.text) }
            let several = connections > 1 ? ["\(connections) connections"] : []
            let age = time.map { "for \(ClockText.length($0))" }
            lines.append(
                ([state] + (age.map { [$0] } ?? []) + words + several).joined(separator: "  "))
        }
        return lines
    }
}
