internal import GameFlow

/// A row with the key `back`, which is compiled when it is known which rows enter its state.
struct BackRow {
    let plan: BackPlan
    let map: MapReader
    let position: FilePosition
    let context: RowContext
    /// The state that findings name, for a row of `everywhere`.
    let stateOfRow: String?
}

/// Compiles rows that go back.
extension FlowFileChecker {
    /// Compiles each row that goes back, once for each state that it can go back to: the states with a row that enters its state.
    func resolveBackRows() {
        if backRows.isEmpty { return }
        let sources = flow.states.indices.map { state in
            flow.states.indices.filter { $0 != state && enters($0, state) }
        }
        for row in backRows {
            findings.stateOfRow = row.stateOfRow
            defer { findings.stateOfRow = nil }
            resolve(row, sources[row.context.state])
        }
    }

    /// Whether a row of the state `from` enters the state `to`.
    private func enters(_ from: Int, _ to: Int) -> Bool {
        (flow.states[from].eventRows + flow.states[from].timerRows).contains { rows in
            (rows ?? []).contains {
                if case .enter(let plan) = $0.action { plan.state == to } else { false }
            }
        }
    }

    private func resolve(_ row: BackRow, _ sources: [Int]) {
        guard !sources.isEmpty else {
            // The other keys are checked nevertheless.
            _ = row.map["do"].map { effects($0, row.context.drawingScope, row.context.readable) }
            return findings.warn(
                row.position,
                "no row of another state enters \(flow.states[row.context.state].name), so there is nothing to go back to"
            )
        }
        checkNames(row.map["with"], "datum", sources) { $0.data.map(\.name) }
        checkNames(row.map["left"], "timer", sources, { $0.timerNames })
        for state in sources {
            rowDraws = []
            let entry = backEntry(state, row)
            if !rowDraws.isEmpty {
                flow.draws = true
                entry.draws = rowDraws.sorted { $0.position < $1.position }.map(\.draw)
            }
            row.plan.entries.append(entry)
            // A mistake would be found again for each state.
            if !findings.isEmpty { return }
        }
    }

    /// Adds a finding for each name that none of the states has.
    private func checkNames(
        _ node: DocumentNode?, _ kind: String, _ states: [Int],
        _ names: (StateDefinition) -> [String]
    ) {
        let known = states.flatMap { names(flow.states[$0]) }.uniqued
        for entry in node?.entries ?? [] where !known.contains(entry.key) {
            let states = states.map { flow.states[$0].name }.joined(separator: ", ")
            findings.add(entry.position, unknown("\(kind) of \(states) named", entry.key, known))
        }
    }

    /// Returns the plan of a row that goes back to a state.
    private func backEntry(_ state: Int, _ row: BackRow) -> EntryPlan {
        let (target, context) = (flow.states[state], row.context)
        var values = dataValues(
            row.map["with"]?.with(only: target.data.map(\.name)), target.data, target.name, context)
        // The data of the flow keep their present values, as in each other row.
        for (index, field) in target.data.enumerated() where field.isOfFlow && values[index] == nil
        {
            values[index] = inherited(field, target.name, row.position, context)
        }
        return EntryPlan(
            state: state,
            data: target.data.indices.map { index in
                (values[index] ?? nil) ?? CompiledExpression(.null, target.data[index].type)
            },
            remaining: remaining(row.map["left"]?.with(only: target.timerNames), target, context),
            exitEffects: stateNodes[context.state].map["leave"]
                .map { effects($0, context.scope, context.readable) } ?? [],
            effects: row.map["do"]
                .map { effects($0, context.drawingScope, context.readable) } ?? [],
            post: row.map["post"].flatMap { post($0, context) }, changed: Set(values.keys))
    }
}

extension DocumentNode {
    /// A map with only some of its keys; any other node as it is.
    fileprivate func with(only keys: [String]) -> DocumentNode {
        guard let entries else { return self }
        return DocumentNode(
            content: .map(entries.filter { keys.contains($0.key) }), position: position)
    }
}
