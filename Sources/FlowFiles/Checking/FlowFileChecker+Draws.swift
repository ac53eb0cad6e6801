internal import GameFlow

/// Collects what rows draw.
extension FlowFileChecker {
    /// Gives an action the expressions that were compiled for its row and draw random values, in their written order.
    func addDraws(to action: RowAction) {
        if rowDraws.isEmpty { return }
        flow.draws = true
        let draws = rowDraws.sorted { $0.position < $1.position }.map(\.draw)
        switch action {
        case .enter(let plan): plan.draws = draws
        case .change(let plan): plan.draws = draws
        case .stay, .defer, .refuse, .invalid, .back: break
        }
    }

    /// Finds out which draws can decide what happens; a search tries one outcome of the others.
    func markDecisiveDraws() {
        guard flow.draws, findings.isEmpty else { return }
        let dependencies = SituationDependencies(flow)
        for (index, state) in flow.states.enumerated() {
            for row in (state.eventRows + state.timerRows).flatMap({ $0 ?? [] }) {
                let decisive = dependencies.decisiveExpressions(of: row.action, in: index)
                switch row.action {
                case .enter, .back:
                    for plan in row.action.entries { mark(&plan.draws, decisive) }
                case .change(let plan): mark(&plan.draws, decisive)
                case .stay, .defer, .refuse, .invalid: break
                }
            }
        }
    }

    private func mark(_ draws: inout [RowDraw], _ decisive: [CompiledExpression]) {
        for index in draws.indices {
            draws[index].isDecisive = decisive.contains { $0 === draws[index].expression }
        }
    }
}
