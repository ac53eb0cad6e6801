import FlowAnalysis
import GameFlow
import RPC
import Shell
internal import Support
import Timers

/// The result of `lint`: what each state takes and refuses, and the findings.
struct LintReport {
    private let lint: Lint
    private let terminal: Terminal

    init(_ lint: Lint, _ terminal: Terminal) { (self.lint, self.terminal) = (lint, terminal) }

    var findings: Int { lint.findings.count }

    // MARK: text

    var lines: [String] {
        let flow = lint.flow
        let size =
            "\(flow.stateNames.count) states × \(flow.events.count) events, "
            + "\(flow.signals.count) signals"
        return ["\(terminal.paint(flow.name, .bold)): \(size)"]
            + lint.matrix.flatMap { [""] + lines(of: $0) } + [""] + conclusion
    }

    private func lines(of state: StateSurvey) -> [String] {
        let timers = state.timers.map { timer in
            let every = timer.info.isPendulum ? "every " : ""
            return "\(timer.fires) \(every)\(DurationText.write(timer.info.total))"
        }
        let end = lint.flow.finals.contains(state.state) ? ["final"] : []
        let details = (end + timers).joined(separator: ", ")
        // `possibleResults` has every event, and the signals of the state's own timers. Samples of an event's arguments that
        // have the same outcome share a row; if only one sample has the outcome, the row's title contains its arguments.
        var table = Table()
        for result in state.possibleResults {
            for (index, outcome) in result.outcomes.enumerated() where !isRefusal(outcome) {
                table.add([result.title(ofOutcomeAt: index), words(outcome)])
            }
        }
        for (reason, events) in refused(state) {
            let lines = Table.wrap(Printer(terminal).separated(events), width: 72)
            for (index, line) in lines.enumerated() { table.add([index == 0 ? reason : "", line]) }
        }
        let head = terminal.paint(state.state, .bold)
        return [details.isEmpty ? head : "\(head)  \(terminal.paint(details, .dim))"]
            + table.lines(terminal, indent: "  ")
    }

    private func isRefusal(_ outcome: StateSurvey.Outcome) -> Bool {
        if case .refused = outcome { true } else { false }
    }

    private func words(_ outcome: StateSurvey.Outcome) -> String {
        switch outcome {
        case .enters(let to, let effects): "→ \(to)" + words(effects)
        case .keeps(let effects): "stays" + words(effects)
        case .defers: "waits for another state"
        case .refused(let refusal): refusal.name
        }
    }

    private func words(_ effects: [String]) -> String {
        effects.isEmpty ? "" : "  " + terminal.paint("[\(effects.joined(separator: ", "))]", .cyan)
    }

    /// The reasons for which the state refuses events, each with its events, in the flow's order.
    private func refused(_ state: StateSurvey) -> [(reason: String, events: [String])] {
        var found: [(reason: String, events: [String])] = []
        for result in state.possibleResults {
            for (index, outcome) in result.outcomes.enumerated() {
                guard case .refused(let refusal) = outcome else { continue }
                let reason = reason(refusal)
                if let reasonIndex = found.firstIndex(where: { $0.reason == reason }) {
                    found[reasonIndex].events.append(result.title(ofOutcomeAt: index))
                } else {
                    found.append((reason, [result.title(ofOutcomeAt: index)]))
                }
            }
        }
        return found
    }

    private func reason(_ refusal: Reason) -> String {
        guard refusal.code == .invalid else { return refusal.name }
        return "invalid (\(refusal.subject): \(refusal.why))"
    }

    private var conclusion: [String] {
        let tried = lint.explored.situations
        let examined = tried == 0 ? "nothing was tried" : "\(tried) situations tried"
        let partial =
            lint.explored.isComplete || tried == 0
            ? "" : ", and there are more: check whether a state's data grow without limit"
        guard !lint.findings.isEmpty else {
            return [terminal.paint("nothing found", .green) + "; \(examined)\(partial)"]
        }
        return lint.findings.map { "\(terminal.paint($0.name, .red)): \($0.sentence)" }
            + ["\(lint.findings.count) found; \(examined)\(partial)"]
    }

    // MARK: JSON

    var json: [Member] {
        let matrix = lint.matrix.flatMap { state in
            state.possibleResults.map { entry(state, $0) }
        }
        let findings = lint.findings.map {
            Value.object([Member("finding", $0.name), Member("says", $0.sentence)])
        }
        return [
            Member("flow", lint.flow.name), Member("matrix", .array(matrix)),
            Member("findings", .array(findings)),
            Member("situations", lint.explored.situations),
            Member("complete", lint.explored.isComplete),
        ]
    }

    private func entry(_ state: StateSurvey, _ result: StateSurvey.EventResult) -> Value {
        .object([
            Member("state", state.state), Member("on", result.on),
            Member("signal", result.isSignal),
            Member("outcomes", .array(result.outcomes.map(entry))),
        ])
    }

    private func entry(_ outcome: StateSurvey.Outcome) -> Value {
        switch outcome {
        case .enters(let to, let effects):
            .object([
                Member("verdict", "enter"), Member("to", to), Member("effects", effects.value),
            ])
        case .keeps(let effects):
            .object([Member("verdict", "keep"), Member("effects", effects.value)])
        case .defers: .object([Member("verdict", "defer")])
        case .refused(let refusal) where refusal.code == .invalid:
            .object([
                Member("verdict", "refused"), Member("reason", "invalid"),
                Member("argument", refusal.subject), Member("why", refusal.why),
            ])
        case .refused(let refusal):
            .object([Member("verdict", "refused"), Member("reason", refusal.name)])
        }
    }
}
