internal import GameFlow

/// Finds the data and arguments of a flow file that can decide what happens: which rows are taken, when timers fire, what is
/// posted, and whether an invariant holds. All others are no part of a situation, so that a search does not try their values.
///
/// A datum decides if a condition, a time, `left`, `post` or an invariant reads it, or if a datum that decides is computed from
/// it. The arguments and texts of effects decide nothing.
struct SituationDependencies {
    private let flow: FlowFileDefinition
    /// The indices of the data that decide something, by the state's index.
    private(set) var data: [Set<Int>]
    /// What the deciding expressions read of each event's arguments, by the event's index.
    private(set) var arguments: [ExpressionReads]
    /// Whether the time that a timer has left can decide something.
    private(set) var dependsOnTime = false

    init(_ flow: FlowFileDefinition) {
        self.flow = flow
        data = Array(repeating: [], count: flow.states.count)
        arguments = Array(repeating: ExpressionReads(), count: flow.events.count)
        addConditions()
        // The data that decide are found from the data that are computed from them, until no new one is found.
        while addSources() {}
        addArgumentsOfDecidingData()
    }

    /// Adds what the rows of a state read directly, in conditions, times and posts, and what timers and invariants read.
    private mutating func addConditions() {
        for event in flow.events.indices {
            for argument in flow.events[event].arguments {
                guard let condition = argument.condition else { continue }
                arguments[event].add(condition.expression.reads)
            }
        }
        for (index, state) in flow.states.enumerated() {
            for field in state.data { decide(field.condition?.expression, state: index, nil) }
            for timer in state.timers {
                decide(timer.duration, state: index, nil)
                decide(timer.condition, state: index, nil)
            }
            for (row, event) in rows(of: index) {
                decide(row.condition, state: index, event)
                decideChoicesOfRows(row.action, state: index, event)
                switch row.action {
                case .stay, .defer, .refuse, .invalid: break
                case .enter, .back:
                    for plan in row.action.entries {
                        for (_, time) in plan.remaining { decide(time, state: index, event) }
                        for (_, value) in plan.post?.arguments ?? [] {
                            decide(value, state: index, event)
                        }
                    }
                case .change(let plan):
                    for (_, value) in plan.post?.arguments ?? [] {
                        decide(value, state: index, event)
                    }
                    for operation in plan.operations {
                        decide(operation.time, state: index, event)
                        dependsOnTime = true
                    }
                }
            }
        }
        for condition in flow.invariants.flatMap(\.conditions) {
            decide(condition.expression, state: condition.state, nil)
        }
    }

    /// Adds what an action reads to choose rows of tables: if there is no such row, the event is refused.
    private mutating func decideChoicesOfRows(_ action: RowAction, state: Int, _ event: Int?) {
        for expression in action.oldExpressions {
            for reads in expression.reads.choicesOfRows { decide(reads, state: state, event) }
        }
        for state in action.entries.map(\.state) {
            for effect in flow.states[state].entryEffects {
                for (_, value) in effect.arguments {
                    for reads in value.reads.choicesOfRows { decide(reads, state: state, nil) }
                }
            }
        }
    }

    /// Returns the expressions of an action of a state whose values can decide what happens: those of deciding data, of times and
    /// of posts, and those that choose rows of tables.
    func decisiveExpressions(of action: RowAction, in state: Int) -> [CompiledExpression] {
        let choosing = action.oldExpressions.filter { !$0.reads.choicesOfRows.isEmpty }
        switch action {
        case .stay, .defer, .refuse, .invalid: return choosing
        case .enter, .back:
            return choosing
                + action.entries.flatMap { plan in
                    plan.remaining.map(\.time) + (plan.post?.arguments ?? []).map(\.value)
                        + data[plan.state].map { plan.data[$0] }
                }
        case .change(let plan):
            return choosing + plan.operations.compactMap(\.time)
                + (plan.post?.arguments ?? []).map(\.value)
                + plan.data.filter { data[state].contains($0.index) }.map(\.value)
        }
    }

    /// Adds the data from which deciding data are computed. Returns whether there were new ones.
    private mutating func addSources() -> Bool {
        let before = data
        for (value, state, _) in decidingValues {
            data[state].formUnion(value.reads.data)
            if value.reads.timers { dependsOnTime = true }
        }
        return data != before
    }

    /// Adds what deciding data are computed from to the arguments that decide.
    private mutating func addArgumentsOfDecidingData() {
        for (value, _, event) in decidingValues {
            if let event { arguments[event].add(value.reads) }
        }
    }

    /// The expressions from which rows compute deciding data, with the state and the event of the row.
    private var decidingValues: [(value: CompiledExpression, state: Int, event: Int?)] {
        var values: [(value: CompiledExpression, state: Int, event: Int?)] = []
        for state in flow.states.indices {
            for (row, event) in rows(of: state) {
                switch row.action {
                case .stay, .defer, .refuse, .invalid: break
                case .enter, .back:
                    for plan in row.action.entries {
                        for (index, value) in plan.data.enumerated()
                        where data[plan.state].contains(index) {
                            values.append((value, state, event))
                        }
                    }
                case .change(let plan):
                    for (index, value) in plan.data where data[state].contains(index) {
                        values.append((value, state, event))
                    }
                }
            }
        }
        return values
    }

    /// Records that an expression decides something.
    private mutating func decide(_ expression: CompiledExpression?, state: Int, _ event: Int?) {
        guard let reads = expression?.reads else { return }
        decide(reads, state: state, event)
    }

    private mutating func decide(_ reads: ExpressionReads, state: Int, _ event: Int?) {
        data[state].formUnion(reads.data)
        if let event { arguments[event].add(reads) }
        if reads.timers { dependsOnTime = true }
    }

    /// The rows of a state, each with its event; the event is nil for a row of a timer.
    private func rows(of state: Int) -> [(row: RowDefinition, event: Int?)] {
        let state = flow.states[state]
        return state.eventRows.enumerated().flatMap { event, rows in
            (rows ?? []).map { (row: $0, event: event) }
        } + state.timerRows.flatMap { rows in (rows ?? []).map { (row: $0, event: nil) } }
    }
}
