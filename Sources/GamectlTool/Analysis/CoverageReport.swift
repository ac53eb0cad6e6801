import FlowAnalysis
import GameFlow
import Shell

/// Which transitions, timers, refusals and deferrals of a flow were exercised by the scenarios of `gamectl test --coverage`.
struct CoverageReport {
    /// The transitions of the flow, or its timers, refusals or deferrals.
    private struct Part {
        /// The heading in the text, which is also the name of the member in JSON.
        let title: String
        let items: [(name: String, isExercised: Bool)]

        init(_ title: String, _ items: [(name: String, isExercised: Bool)]) {
            (self.title, self.items) = (title, items)
        }

        /// A part whose items are each an event or a timer in a state.
        init(_ title: String, _ items: [Coverage.Item], exercised: Set<Coverage.Item>) {
            self.init(title, items.map { ("\($0.state) \($0.name)", exercised.contains($0)) })
        }
    }

    private let coverage: Coverage
    private let parts: [Part]

    init(_ coverage: Coverage) {
        self.coverage = coverage
        parts = [
            Part(
                "transitions",
                coverage.allTransitions.map {
                    ("\($0.from) → \($0.to) by \($0.on)", coverage.transitions.contains($0))
                }),
            Part("timers", coverage.allTimers, exercised: coverage.timers),
            Part("refusals", coverage.allRefusals, exercised: coverage.refusals),
            Part("deferrals", coverage.allDeferrals, exercised: coverage.deferrals),
        ]
    }

    /// The report as comments of TAP, the Test Anything Protocol, in which the results of scenarios are printed. Deferrals are
    /// left out if the flow defers no event.
    var lines: [String] {
        let shownParts = parts.filter { $0.title != "deferrals" || !$0.items.isEmpty }
        return ["# \(coverage.flow.name)"] + shownParts.flatMap(lines)
    }

    private func lines(of part: Part) -> [String] {
        let exercisedCount = part.items.filter(\.isExercised).count
        return ["#   \(exercisedCount) of \(part.items.count) \(part.title)"]
            + part.items.map { "#     \($0.isExercised ? "✓" : "✗") \($0.name)" }
    }

    var json: [Member] {
        [Member("coverage", coverage.flow.name), Member("complete", coverage.isComplete)]
            + parts.map { Member($0.title, json(of: $0)) }
    }

    private func json(of part: Part) -> Value {
        .object([
            Member("exercised", part.items.filter(\.isExercised).map(\.name).value),
            Member("missing", part.items.filter { !$0.isExercised }.map(\.name).value),
        ])
    }
}
