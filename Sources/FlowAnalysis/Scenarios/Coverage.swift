public import GameFlow

/// How much of a flow was exercised, of what its real selector has.
public struct Coverage {
    public let flow: AnyFlow
    /// The rows that were taken.
    public private(set) var rows: Set<Exploration.Row> = []
    /// The timers that fired, by state and signal.
    public private(set) var timers: Set<Pair> = []
    /// The events that were refused, by state and name, and with their arguments.
    public private(set) var refusals: Set<Pair> = []
    /// The events that were deferred.
    public private(set) var deferrals: Set<Pair> = []

    /// A state, and what concerned it.
    public struct Pair: Hashable, Sendable {
        public let state: String
        public let what: String
    }

    public init(_ flow: AnyFlow) { self.flow = flow }

    mutating func take(_ steps: [Step]) {
        for step in steps {
            if step.kind == .defer, let from = step.from, let event = step.event {
                deferrals.insert(Pair(state: from.state, what: event.name))
            }
            guard let row = Exploration.Row(step) else { continue }
            rows.insert(row)
            if flow.signals.contains(row.on) {
                timers.insert(Pair(state: row.from, what: row.on))
            }
        }
    }

    mutating func refused(_ event: String, _ arguments: [Member], in state: String) {
        refusals.insert(Pair(state: state, what: event))
        refusals.insert(Pair(state: state, what: Expectations.place(event, arguments)))
    }

    /// With what another run exercised.
    public mutating func add(_ other: Coverage) {
        rows.formUnion(other.rows)
        timers.formUnion(other.timers)
        refusals.formUnion(other.refusals)
        deferrals.formUnion(other.deferrals)
    }

    // MARK: what there is

    /// All rows, in the flow's order. A signal's row counts only where a timer sends it.
    public var allRows: [Exploration.Row] {
        var seen: Set<Exploration.Row> = []
        return flow.survey.flatMap { state in
            state.liveTransitions.map {
                Exploration.Row(from: state.state, on: $0.on, to: $0.to)
            }
        }.filter { seen.insert($0).inserted }
    }

    public var allTimers: [Pair] {
        flow.survey.flatMap { state in
            state.timers.map { Pair(state: state.state, what: $0.fires) }
        }
    }

    /// All events that a state never takes; of an event that it takes with some of its samples, those with
    /// which it does not.
    public var allRefusals: [Pair] {
        flow.survey.flatMap { state in
            state.verdicts.filter { !$0.isSignal }.flatMap { verdict -> [Pair] in
                guard verdict.isAccepted else {
                    return [Pair(state: state.state, what: verdict.on)]
                }
                return verdict.samples.filter { hasNoRow(verdict.outcomes(with: $0)) }.map {
                    Pair(state: state.state, what: Expectations.place(verdict.on, $0))
                }
            }
        }
    }

    /// Whether the state has no row for that, whatever its data.
    private func hasNoRow(_ outcomes: [FlowModel.Outcome]) -> Bool {
        outcomes.allSatisfy { $0 == .refused(.noTransition) || $0 == .refused(.finished) }
    }

    /// All events that a state keeps for another.
    public var allDeferrals: [Pair] {
        flow.survey.flatMap { state in
            state.deferred.map { Pair(state: state.state, what: $0) }
        }
    }

    /// Whether nothing is left to be exercised.
    public var isComplete: Bool {
        rows.isSuperset(of: allRows) && timers.isSuperset(of: allTimers)
            && refusals.isSuperset(of: allRefusals) && deferrals.isSuperset(of: allDeferrals)
    }
}
