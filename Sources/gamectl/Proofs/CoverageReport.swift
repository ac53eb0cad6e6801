import GameFlow
import JSON
import Proof
import Shell

/// Which of a flow's transitions, timers and refusals were exercised; as comments of TAP.
struct CoverageReport {
    private let coverage: Coverage
    private let rows: [(name: String, isDone: Bool)]
    private let timers: [(name: String, isDone: Bool)]
    private let refusals: [(name: String, isDone: Bool)]
    private let deferrals: [(name: String, isDone: Bool)]

    init(_ coverage: Coverage) {
        self.coverage = coverage
        rows = coverage.allRows.map {
            ("\($0.from) → \($0.to) by \($0.on)", coverage.rows.contains($0))
        }
        timers = coverage.allTimers.map {
            ("\($0.state) \($0.what)", coverage.timers.contains($0))
        }
        refusals = coverage.allRefusals.map {
            ("\($0.state) \($0.what)", coverage.refusals.contains($0))
        }
        deferrals = coverage.allDeferrals.map {
            ("\($0.state) \($0.what)", coverage.deferrals.contains($0))
        }
    }

    var lines: [String] {
        ["# \(coverage.flow.name)"] + part("transitions", rows) + part("timers", timers)
            + part("refusals", refusals)
            + (deferrals.isEmpty ? [] : part("deferrals", deferrals))
    }

    private func part(_ title: String, _ all: [(name: String, isDone: Bool)]) -> [String] {
        let done = all.filter(\.isDone).count
        return ["#   \(done) of \(all.count) \(title)"]
            + all.map { "#     \($0.isDone ? "✓" : "✗") \($0.name)" }
    }

    var json: [Member] {
        [
            Member("coverage", coverage.flow.name), Member("complete", coverage.isComplete),
            Member("transitions", part(rows)), Member("timers", part(timers)),
            Member("refusals", part(refusals)),
            Member("deferrals", part(deferrals)),
        ]
    }

    private func part(_ all: [(name: String, isDone: Bool)]) -> Value {
        .object([
            Member("exercised", all.filter(\.isDone).map(\.name).value),
            Member("missing", all.filter { !$0.isDone }.map(\.name).value),
        ])
    }
}
