import FlowAnalysis
import GameFlow
import RPC
import Shell
internal import Support
import Timers

/// The output of `gamectl lint`: what each state of a flow takes and refuses, and the findings.
struct LintReport {
    private let lint: Lint
    private let terminal: Terminal

    init(_ lint: Lint, _ terminal: Terminal) { (self.lint, self.terminal) = (lint, terminal) }

    /// The number of findings that are defects, without those that only say what was not searched.
    var findingCount: Int { lint.findings.count { !$0.isIncomplete } }
    /// Whether something was not searched.
    var isIncomplete: Bool { lint.findings.contains(where: \.isIncomplete) }

    // MARK: text

    var lines: [String] {
        let flow = lint.flow
        let size =
            "\(flow.stateNames.count) states × \(flow.events.count) events, "
            + "\(flow.signals.count) signals"
        return ["\(terminal.paint(flow.name, .bold)): \(size)"]
            + lint.matrix.flatMap { [""] + lines(of: $0) } + [""] + conclusion
    }

    /// The heading of a state, with its timers, and a table of what the state does for each event and signal.
    private func lines(of state: StateSurvey) -> [String] {
        let timers = state.timers.map { timer in
            let total = DurationText.write(timer.info.total)
            let words =
                switch timer.info.kind {
                case .countdown: total
                case .pendulum: "every \(total)"
                case .stopwatch: "up"
                case .until: "at \(timer.until?.time.description ?? "")"
                case .when:
                    "at \(DurationText.writeSigned(timer.info.mark?.left ?? .zero)) of \(timer.countdown)"
                }
            return "\(timer.fires) \(words)"
        }
        let finality = lint.flow.finals.contains(state.state) ? ["final"] : []
        let details = (finality + timers).joined(separator: ", ")
        // `possibleResults` contains each event, and the signals of the state's own timers. An event was tried with several
        // samples of arguments. Samples with equal outcomes share a row. If only one of several samples has an outcome, the
        // title of its row contains the arguments of this sample.
        var table = Table()
        for result in state.possibleResults {
            for (index, outcome) in result.outcomes.enumerated() where !isRefusal(outcome) {
                let note = result.wasTried(outcomeAt: index) ? "" : "  (no try took this row)"
                table.add([result.title(ofOutcomeAt: index), text(of: outcome) + note])
            }
        }
        for (reason, events) in refusedEvents(of: state) {
            let names = Printer(terminal).commaSeparated(events)
            let lines = Table.wrap(names, width: Self.eventColumnWidth)
            for (index, line) in lines.enumerated() { table.add([index == 0 ? reason : "", line]) }
        }
        let heading = terminal.paint(state.state, .bold)
        return [details.isEmpty ? heading : "\(heading)  \(terminal.paint(details, .dim))"]
            + table.lines(terminal, indent: "  ")
    }

    /// The maximum width of a list of refused events, in columns of the terminal.
    private static let eventColumnWidth = 72

    private func isRefusal(_ outcome: StateSurvey.Outcome) -> Bool {
        if case .refused = outcome { true } else { false }
    }

    private func text(of outcome: StateSurvey.Outcome) -> String {
        switch outcome {
        case .enters(let state, let effects): "→ \(state)" + text(ofEffects: effects)
        case .keeps(let effects): "stays" + text(ofEffects: effects)
        case .defers: "waits for another state"
        case .refused(let reason): reason.name
        }
    }

    private func text(ofEffects effects: [String]) -> String {
        effects.isEmpty ? "" : "  " + terminal.paint("[\(effects.joined(separator: ", "))]", .cyan)
    }

    /// The reasons for which the state refuses events and signals. Each reason is returned with the refused events and signals,
    /// in the flow's order.
    private func refusedEvents(of state: StateSurvey) -> [(reason: String, events: [String])] {
        var reasons: [(reason: String, events: [String])] = []
        for result in state.possibleResults {
            for (index, outcome) in result.outcomes.enumerated() {
                guard case .refused(let refusalReason) = outcome else { continue }
                let reason = text(of: refusalReason)
                if let reasonIndex = reasons.firstIndex(where: { $0.reason == reason }) {
                    reasons[reasonIndex].events.append(result.title(ofOutcomeAt: index))
                } else {
                    reasons.append((reason, [result.title(ofOutcomeAt: index)]))
                }
            }
        }
        return reasons
    }

    private func text(of reason: Reason) -> String {
        guard reason.code == .invalid else { return reason.name }
        return TerminalSafe.escaped("invalid (\(reason.explanation))")
    }

    /// The findings, and how many situations were tried.
    private var conclusion: [String] {
        let situationCount = lint.explored.situations
        let effort =
            situationCount == 0 ? "nothing was tried" : "\(situationCount) situations tried"
        let notes = SearchNotes(
            lint.findings.filter(\.isIncomplete).map(\.sentence), lint.eventsNotTriedWhole
        ).lines(terminal)
        let defects = lint.findings.filter { !$0.isIncomplete }
        guard !defects.isEmpty else {
            return [terminal.paint("nothing found", .green) + "; \(effort)"] + notes
        }
        return defects.map {
            "\(terminal.paint($0.name, .red)): \(TerminalSafe.escaped($0.sentence))"
        } + ["\(defects.count) found; \(effort)"] + notes
    }

    // MARK: JSON

    var json: [Member] {
        let matrix = lint.matrix.flatMap { state in
            state.possibleResults.map { json(of: $0, in: state) }
        }
        let findings = lint.findings.map {
            Value.object([Member("finding", $0.name), Member("says", $0.sentence)])
        }
        return [
            Member("flow", lint.flow.name), Member("matrix", .array(matrix)),
            Member("findings", .array(findings)),
            Member("situations", lint.explored.situations),
            Member("complete", lint.explored.isComplete),
            Member("notTriedWhole", lint.eventsNotTriedWhole.value),
        ]
    }

    /// What the state does for one event or signal.
    private func json(of result: StateSurvey.EventResult, in state: StateSurvey) -> Value {
        .object([
            Member("state", state.state), Member("on", result.on),
            Member("signal", result.isSignal),
            Member(
                "outcomes",
                .array(
                    result.outcomes.enumerated().map { index, outcome in
                        json(of: outcome, wasTried: result.wasTried(outcomeAt: index))
                    })),
        ])
    }

    private func json(of outcome: StateSurvey.Outcome, wasTried: Bool) -> Value {
        let outcome = json(of: outcome)
        return wasTried ? outcome : .object(outcome.members + [Member("tried", false)])
    }

    private func json(of outcome: StateSurvey.Outcome) -> Value {
        switch outcome {
        case .enters(let state, let effects):
            .object([
                Member("verdict", "enter"), Member("to", state), Member("effects", effects.value),
            ])
        case .keeps(let effects):
            .object([Member("verdict", "keep"), Member("effects", effects.value)])
        case .defers: .object([Member("verdict", "defer")])
        case .refused(let reason) where reason.code == .invalid:
            .object(
                [
                    Member("verdict", "refused"), Member("reason", "invalid"),
                ]
                    + (reason.subject.isEmpty ? [] : [Member("argument", reason.subject)])
                    + [Member("why", reason.why)])
        case .refused(let reason):
            .object([Member("verdict", "refused"), Member("reason", reason.name)])
        }
    }
}
