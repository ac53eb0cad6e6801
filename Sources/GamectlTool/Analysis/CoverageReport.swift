import FlowAnalysis
import GameFlow
import Shell

/// Which transitions, timers, refusals and deferrals of a flow were exercised, as TAP comments (`lines`) or as JSON (`json`).
struct CoverageReport {
    private struct Part {
        let title: String
        let items: [(name: String, isDone: Bool)]

        init(_ title: String, _ items: [(name: String, isDone: Bool)]) {
            (self.title, self.items) = (title, items)
        }

        /// A part whose items are pairs of a state and an event or timer.
        init(_ title: String, _ items: [Coverage.Item], _ done: Set<Coverage.Item>) {
            self.init(title, items.map { ("\($0.state) \($0.name)", done.contains($0)) })
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
            Part("timers", coverage.allTimers, coverage.timers),
            Part("refusals", coverage.allRefusals, coverage.refusals),
            Part("deferrals", coverage.allDeferrals, coverage.deferrals),
        ]
    }

    /// Deferrals are left out if the flow defers no event.
    var lines: [String] {
        let shownParts = parts.filter { $0.title != "deferrals" || !$0.items.isEmpty }
        return ["# \(coverage.flow.name)"] + shownParts.flatMap(lines)
    }

    private func lines(of part: Part) -> [String] {
        let done = part.items.filter(\.isDone).count
        return ["#   \(done) of \(part.items.count) \(part.title)"]
            + part.items.map { "#     \($0.isDone ? "✓" : "✗") \($0.name)" }
    }

    var json: [Member] {
        [Member("coverage", coverage.flow.name), Member("complete", coverage.isComplete)]
            + parts.map { Member($0.title, json(of: $0)) }
    }

    private func json(of part: Part) -> Value {
        .object([
            Member("exercised", part.items.filter(\.isDone).map(\.name).value),
            Member("missing", part.items.filter { !$0.isDone }.map(\.name).value),
        ])
    }
}
