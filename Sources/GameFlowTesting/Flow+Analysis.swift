public import FlowAnalysis
public import GameFlow

extension Flow {
    /// Finds defects in the flow, such as states, events and timers without a use. To find them, calls the flow's selector, and
    /// plays sessions of the flow in virtual time. The search ends after `moves` moves; see `SearchLimit`.
    ///
    /// A finding is given only if it is proved. What was not searched is in a finding `incomplete`, so that an empty list means
    /// that everything was searched. With `allowingIncomplete`, these findings are left out.
    public func lint(
        moves: Int = SearchLimit.lintMoves.maximum, allowingIncomplete: Bool = false
    ) -> [Finding] {
        let findings = Lint(AnyFlow(self), moves: moves).findings
        return allowingIncomplete ? findings.filter { !$0.isIncomplete } : findings
    }

    /// Finds races: timers that are due at the same instant and whose order changes the outcome. Such timers fire in the order
    /// in which they were set. The outcome is therefore defined, but may surprise the author of the flow. The search ends after
    /// `moves` moves; see `SearchLimit`.
    ///
    /// If a client sends an event at the instant of a timer's deadline, the event is handled after the timer. Most flows have
    /// races between events and timers. The result includes these races only if `withEvents` is true.
    ///
    /// What was not searched is in a finding `incomplete`, so that an empty list means that everything was searched. With
    /// `allowingIncomplete`, these findings are left out. A flow with mistakes, which `lint` reports, is not searched.
    public func races(
        withEvents: Bool = false, moves: Int = SearchLimit.racesMoves.maximum,
        allowingIncomplete: Bool = false
    ) -> [RaceFinding] {
        let flow = AnyFlow(self)
        if let mistake = flow.mistakes.first {
            return allowingIncomplete ? [] : [.incomplete("the flow has a mistake: \(mistake)")]
        }
        let races = Races(flow, moves: moves)
        let found = races.found.filter { race in
            // The contenders are the timers and events whose order changes the outcome.
            withEvents || race.contenders.allSatisfy { if case .timer = $0 { true } else { false } }
        }
        return found.map { .race($0) }
            + (allowingIncomplete ? [] : races.incompleteness.map { .incomplete($0) })
    }
}

/// What a search for races found.
public enum RaceFinding: CustomStringConvertible {
    case race(Race)
    /// Something was not searched, so that there may be further races. The sentence says what.
    case incomplete(String)

    /// The race; nil for `incomplete`.
    public var race: Race? { if case .race(let race) = self { race } else { nil } }

    public var description: String {
        switch self {
        case .race(let race): race.description
        case .incomplete(let sentence): "incomplete: \(sentence)"
        }
    }
}
