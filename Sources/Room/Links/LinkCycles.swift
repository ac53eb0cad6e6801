package import GameFlow
import JSONCoding
package import Parts
import RPC
import Sessions

/// Finds `on` lines with `send=` that can cause each other without an end: the event that one line sends makes another line send
/// an event, and so on, back to the first line. The option `--check` reports them.
///
/// A line with `open=` does nothing if the session is open, so it is not part of a cycle.
package struct LinkCycles {
    /// A line with `send=`.
    private struct SendLine {
        let position: ConfigurationFile.Line
        let line: LinkLine
        let event: String
    }

    private let lines: [SendLine]
    private let consequences: EventConsequences

    /// For each cycle, the lines that are part of it, in the order of the file.
    package private(set) var cycles: [[ConfigurationFile.Line]] = []

    package init(_ file: ConfigurationFile, _ flows: [AnyFlow]) {
        lines = file.lines.compactMap { position in
            guard position.name.text == "on", LinkDirective.isAboutSession(position),
                let line = try? LinkDirective.read(position, in: file, KnownFlows(flows)),
                case .send(let event, _) = line.action
            else { return nil }
            return SendLine(position: position, line: line, event: event)
        }
        // The analysis takes long, so it is made only if there are lines.
        consequences = EventConsequences(lines.isEmpty ? [] : flows)
        cycles = DirectedCycles.groups(of: lines.count) { [lines] in
            canCause(lines[$0], lines[$1])
        }.map { [lines] group in group.map { lines[$0].position } }
    }

    /// A sentence for each cycle, at its first line.
    package func notes(in file: ConfigurationFile) -> [ConfigurationError] {
        cycles.map { cycle in
            let numbers = cycle.map { "\($0.number)" }.joined(separator: ", ")
            let subject =
                cycle.count == 1
                ? "this line can cause itself" : "the lines \(numbers) can cause each other"
            return file.mistake(
                cycle[0], nil,
                "\(subject) without an end; a chain ends after \(Source.linkedStepsLimit) steps, and all "
                    + "steps of one cause after \(EventQueue.postLimit)")
        }
    }

    /// Whether the event that the line `a` sends can make the line `b` send an event.
    private func canCause(_ a: SendLine, _ b: SendLine) -> Bool {
        // A name with a placeholder may be the name of any session.
        if let name = a.line.target.text({ _ in nil }), !b.line.session.matches(name) {
            return false
        }
        return consequences.canCause(b.line.trigger, by: a.event)
    }
}
