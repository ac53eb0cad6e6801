internal import GameFlow
internal import JSONCoding
internal import Support
internal import Timers

// The texts with which `gamectl` and failed tests show moves, races and broken invariants. Characters that a terminal would
// interpret are escaped.

/// A part of a text that a terminal shows in a style of its own.
package enum TextPart { case state, effects }

/// Returns a part of a text in its style.
package typealias TextPainter = (_ text: String, _ part: TextPart) -> String

/// Names with their data or arguments, as users type them.
private enum NamedText {
    /// A state with its data, or an event with its arguments: `playingLevel episode=2 level=3`.
    static func write(_ name: String, _ members: [Member]) -> String {
        TerminalText.escaped(ScenarioText.named(name, members))
    }
}

extension Move: CustomStringConvertible {
    /// The move without its duration: `chooseEpisode episode=1`, `timeUp`, `wait 5s`.
    public var description: String {
        switch self {
        case .send(let event, let arguments): NamedText.write(event, arguments)
        case .wait(let signal): TerminalText.escaped(signal)
        case .linger(let time): "wait \(DurationText.write(time))"
        case .drawing(let outcomes, let move):
            "\(move) (outcomes \(outcomes.map { String($0 + 1) }.joined(separator: ", ")))"
        }
    }
}

extension CompletedMove: CustomStringConvertible {
    /// The move; a wait for a signal with its duration: `timeUp after 1m30s`.
    public var description: String {
        guard case .wait = move.drawnMove else { return move.description }
        return "\(move) after \(DurationText.write(duration))"
    }
}

extension [CompletedMove] {
    /// The moves in one line, such as `startPlaying · timeUp after 1m30s`; `–` without moves.
    package var text: String {
        isEmpty ? "–" : map(\.description).joined(separator: " · ")
    }
}

extension Race.Contender: CustomStringConvertible {
    /// The timer's signal, or the event with its arguments.
    public var description: String {
        switch self {
        case .timer(let signal): TerminalText.escaped(signal)
        case .event(let move): move.description
        }
    }
}

extension Race.OrderOutcome: CustomStringConvertible {
    /// The state and data at the end, the effects, and the losers.
    public var description: String { text { text, _ in text } }

    fileprivate func text(_ paint: TextPainter) -> String {
        var text = NamedText.write(place.state, place.data)
        if !effects.isEmpty {
            text += "  " + paint("[\(effects.joined(separator: ", "))]", .effects)
        }
        let sentences = losers.map { loser in
            if case .timer = loser { return "\(loser.name) does not fire" }
            return "\(loser.name) is refused"
        }
        return sentences.isEmpty ? text : "\(text)  \(sentences.joined(separator: ", "))"
    }
}

extension Race: CustomStringConvertible {
    public var description: String { lines { text, _ in text }.joined(separator: "\n") }

    /// The lines about the race. The first line has the race's state, the time from the last move of the path to the race, and
    /// the contenders: the events and timers at the instant of the race. The second line has the path: the moves before the race.
    /// Then comes the outcome of each order; the first is the order in which the daemon handles the contenders.
    package func lines(_ paint: TextPainter) -> [String] {
        let names = contenders.map(\.description).joined(separator: " or ")
        let effectsNote = isOnlyEffects ? "  (only the effects differ)" : ""
        let orders = outcomes.map { $0.order.map(\.name).joined(separator: ", ") }
        let width = orders.map(\.count).max() ?? 0
        let rows = zip(outcomes, orders).enumerated().map { index, row in
            let order = row.1 + String(repeating: " ", count: width - row.1.count)
            return "  \(index == 0 ? "daemon" : "other ")  \(order)  → \(row.0.text(paint))"
        }
        return [
            "\(paint(state, .state)), \(DurationText.write(after)): \(names)\(effectsNote)",
            "  after  \(path.text)",
        ] + rows
    }
}

extension BrokenInvariant: CustomStringConvertible {
    /// The lines about the invariant: the state, the path, and the order of timers and events after the path, if there is one.
    public var description: String {
        var lines = [
            "broken: \(TerminalText.escaped(sentence))",
            "  in     \(NamedText.write(place.state, place.data))",
            "  after  \(path.text)",
        ]
        if !order.isEmpty {
            let names = order.map(\.description).joined(separator: ", then ")
            lines.append("  then   \(names), \(DurationText.write(after)) later")
        }
        return lines.joined(separator: "\n")
    }
}
