internal import GameFlow

/// Makes the outline of a flow from a checked file.
extension FlowOutline {
    init(_ flow: FlowFileDefinition) {
        self.init(
            rows: Self.rows(of: flow),
            fields: Dictionary(
                flow.states.map { ($0.name, $0.data.map(\.wireField)) },
                uniquingKeysWith: { first, _ in first }),
            timers: Dictionary(
                flow.states.map { ($0.name, $0.timers.filter(\.canFire).map(\.name)) },
                uniquingKeysWith: { first, _ in first }),
            nullableDefaults: Dictionary(
                flow.states.map { state in
                    let data = state.data.filter { $0.type.isOptional && $0.defaultValue != nil }
                    return (state.name, data.map(\.wireName))
                },
                uniquingKeysWith: { first, _ in first }),
            hasChecksOfData: !flow.invariants.isEmpty || flow.draws || Self.posts(flow))
    }

    /// Whether a row of a flow posts an event.
    private static func posts(_ flow: FlowFileDefinition) -> Bool {
        flow.states.flatMap { $0.eventRows + $0.timerRows }.flatMap { $0 ?? [] }.contains { row in
            if case .change(let plan) = row.action { return plan.post != nil }
            return row.action.entries.contains { $0.post != nil }
        }
    }

    /// The rows of a flow that do not refuse, each once, in the order of the states, events and timers.
    private static func rows(of flow: FlowFileDefinition) -> [Row] {
        var rows: [Row] = []
        var known: Set<Row> = []
        func add(_ definitions: [RowDefinition]?, _ on: String, isSignal: Bool, _ from: String) {
            for definition in definitions ?? [] {
                for outcome in outcomes(definition.action, flow) {
                    let row = Row(from: from, on: on, isSignal: isSignal, outcome: outcome)
                    if known.insert(row).inserted { rows.append(row) }
                }
            }
        }
        for state in flow.states {
            for (event, definitions) in state.eventRows.enumerated() {
                add(definitions, flow.events[event].name, isSignal: false, state.name)
            }
            for (timer, definitions) in state.timerRows.enumerated() {
                add(definitions, flow.timerNames[timer], isSignal: true, state.name)
            }
        }
        return rows
    }

    /// The outcomes of a row: none of a row that refuses, and one for each state of a row that goes back.
    private static func outcomes(_ action: RowAction, _ flow: FlowFileDefinition)
        -> [StateSurvey.Outcome]
    {
        switch action {
        case .stay: [.keeps(effects: [])]
        case .defer: [.defers]
        case .refuse, .invalid: []
        case .enter, .back:
            action.entries.map { plan in
                .enters(
                    flow.states[plan.state].name,
                    effects: (plan.exitEffects + flow.states[plan.state].entryEffects
                        + plan.effects).map(\.name))
            }
        case .change(let plan): [.keeps(effects: plan.effects.map(\.name))]
        }
    }
}
