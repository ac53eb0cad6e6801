public import GameFlow

/// How much of a flow was exercised, of what its real selector has.
public struct Coverage {
    public let flow: AnyFlow
    /// The rows that were taken.
    public private(set) var rows: Set<Exploration.Row> = []
    /// The timers that fired, by state and signal.
    public private(set) var timers: Set<Pair> = []
    /// The events that were refused, by state and name.
    public private(set) var refusals: Set<Pair> = []

    /// A state, and what concerned it.
    public struct Pair: Hashable, Sendable {
        public let state: String
        public let what: String
    }

    public init(_ flow: AnyFlow) { self.flow = flow }

    mutating func take(_ steps: [Step]) {
        for step in steps {
            guard let row = Exploration.Row(step) else { continue }
            rows.insert(row)
            if flow.signals.contains(row.on) {
                timers.insert(Pair(state: row.from, what: row.on))
            }
        }
    }

    mutating func refused(_ event: String, in state: String) {
        refusals.insert(Pair(state: state, what: event))
    }

    /// With what another run exercised.
    public mutating func add(_ other: Coverage) {
        rows.formUnion(other.rows)
        timers.formUnion(other.timers)
        refusals.formUnion(other.refusals)
    }

    // MARK: what there is

    /// All rows, in the flow's order. A signal's row counts only where a timer sends it.
    public var allRows: [Exploration.Row] {
        var seen: Set<Exploration.Row> = []
        return flow.survey.flatMap { state in
            let dead = flow.signals.filter { signal in
                !state.timers.contains { $0.fires == signal }
            }
            return state.transitions.filter { !dead.contains($0.on) }.map {
                Exploration.Row(from: state.state, on: $0.on, to: $0.to)
            }
        }.filter { seen.insert($0).inserted }
    }

    public var allTimers: [Pair] {
        flow.survey.flatMap { state in
            state.timers.map { Pair(state: state.state, what: $0.fires) }
        }
    }

    /// All events that a state never takes.
    public var allRefusals: [Pair] {
        flow.survey.flatMap { state in
            state.verdicts.filter { !$0.isSignal && !$0.isAccepted }.map {
                Pair(state: state.state, what: $0.on)
            }
        }
    }

    /// Whether nothing is left to be exercised.
    public var isComplete: Bool {
        rows.isSuperset(of: allRows) && timers.isSuperset(of: allTimers)
            && refusals.isSuperset(of: allRefusals)
    }
}
