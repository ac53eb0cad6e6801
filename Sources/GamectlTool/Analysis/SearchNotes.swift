import Shell
import Support

/// What a search left out, for the end of a report of `gamectl lint`, `races` or `paths`.
struct SearchNotes {
    /// What was not searched, a sentence each.
    private let incompleteness: [String]
    /// The events whose ranges of arguments were not tried whole.
    private let eventsNotTriedWhole: [String]

    init(_ incompleteness: [String], _ eventsNotTriedWhole: [String]) {
        (self.incompleteness, self.eventsNotTriedWhole) = (incompleteness, eventsNotTriedWhole)
    }

    func lines(_ terminal: Terminal) -> [String] {
        var lines = incompleteness.map {
            "\(terminal.paint("incomplete", .yellow)): \(TerminalText.escaped($0))"
        }
        if !eventsNotTriedWhole.isEmpty {
            let names = eventsNotTriedWhole.joined(separator: ", ")
            lines.append("not tried with each value of the arguments: \(names)")
        }
        return lines
    }
}
