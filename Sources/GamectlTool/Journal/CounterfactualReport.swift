import Durability
import GameFlow
import Journal
import Sessions
import Shell
import Timers

/// The result of `replay --flow`: how each session would have differed with another flow.
struct CounterfactualReport {
    private let journal: OpenJournal
    private let terminal: Terminal
    private let trial: CounterfactualReplay

    /// Tries a flow against the sessions whose flow has the same name, or against all sessions if there are none.
    /// `programFlows` are the flows of this program, which the recorded sessions may play.
    init(
        _ flow: AnyFlow, programFlows: [AnyFlow], _ journal: OpenJournal, _ terminal: Terminal
    ) throws(StoreError) {
        (self.journal, self.terminal) = (journal, terminal)
        var isPlayed = false
        try journal.rows(progress: "looking for \(flow.name)") { row in
            isPlayed = CounterfactualReplay.plays(flow.name, row)
            return !isPlayed
        }
        let trial = CounterfactualReplay(
            flow, programFlows: programFlows, replaysAllSessions: !isPlayed,
            prunedUpTo: journal.pruned)
        try journal.rows(progress: "trying \(flow.name)") { row in
            trial.execute(row)
            return true
        }
        trial.finish()
        self.trial = trial
    }

    /// The number of sessions that differ.
    var differing: Int { trial.traces.count { $0.difference != nil } }

    var verdict: String { "\(differing) of \(sessionCountText) would have differed" }

    private var sessionCountText: String {
        let count = trial.traces.count
        return "\(count) \(count == 1 ? "session" : "sessions")"
    }

    // MARK: text

    var lines: [String] {
        let allSessionsNote =
            trial.replaysAllSessions
            ? ["no session has the flow \(trial.flow.name): all are tried"] : []
        let skippedRowsNote =
            trial.unreadRows > 0 ? ["\(trial.unreadRows) damaged rows were skipped"] : []
        let end = differing == 0 ? "no difference in \(sessionCountText)" : verdict
        return allSessionsNote + trial.traces.flatMap(lines) + skippedRowsNote
            + [terminal.paint(end, differing == 0 ? .green : .red)]
    }

    private func lines(of trace: SessionTrace) -> [String] {
        let openingNote =
            trace.opening > 1 ? " (opened for the \(ordinal(trace.opening)) time)" : ""
        let name = terminal.paint(TerminalSafe.escaped(trace.session.text), .bold)
        let title = name + openingNote
        let changes = "\(trace.changes) \(trace.changes == 1 ? "change" : "changes")"
        guard let difference = trace.difference else { return ["\(title): the same, \(changes)"] }
        let words = RecordText(journal, terminal)
        var table = Table()
        table.add(["recorded end", words.state(trace.newestRecorded)])
        table.add(["end with this flow", words.state(trace.newestReplayed)])
        let why = sentence(difference.kind)
        return ["\(title): differs after \(changes), at \(journal.time(difference.at)): \(why)"]
            + (hasRecords(difference)
                ? words.lines(recorded: difference.recorded, replayed: difference.replayed) : [])
            + table.lines(terminal, indent: "  ")
    }

    private func hasRecords(_ difference: SessionTrace.Difference) -> Bool {
        difference.recorded != nil || difference.replayed != nil
    }

    private func ordinal(_ number: Int) -> String {
        switch number {
        case 2: "second"
        case 3: "third"
        default: "\(number)th"
        }
    }

    private func sentence(_ kind: SessionTrace.Kind) -> String {
        switch kind {
        case .missing: "a recorded change does not happen"
        case .extra: "a change happens that was not recorded"
        case .different: "a change differs"
        case .refused(let name): "an event that was taken is refused: \(name)"
        case .accepted(let name):
            "an event that was refused (\(TerminalSafe.escaped(name))) is taken"
        case .notReplayed(let kind):
            "the recording has a change of kind \(kind.rawValue), which is not replayed; "
                + "what follows is not compared"
        case .quarantined(let why): "the session cannot be continued: \(TerminalSafe.escaped(why))"
        }
    }

    // MARK: JSON

    /// One object for each session.
    var json: [[Member]] { trial.traces.map(entry) }

    private func entry(_ trace: SessionTrace) -> [Member] {
        let members = [
            Member("session", trace.session.text), Member("opening", trace.opening),
            Member("same", trace.difference == nil), Member("changes", trace.changes),
        ]
        guard let difference = trace.difference else { return members }
        return members + [
            Member(
                "difference",
                .object(
                    [
                        Member("atMs", Int(difference.at.milliseconds)),
                        Member("position", difference.position.map { .int($0) } ?? .null),
                    ] + kindMembers(difference.kind) + [
                        Member("then", RecordText.json(difference.recorded)),
                        Member("now", RecordText.json(difference.replayed)),
                    ])), Member("endThen", RecordText.state(trace.newestRecorded)),
            Member("endNow", RecordText.state(trace.newestReplayed)),
        ]
    }

    private func kindMembers(_ kind: SessionTrace.Kind) -> [Member] {
        switch kind {
        case .missing: [Member("why", "missing")]
        case .extra: [Member("why", "extra")]
        case .different: [Member("why", "otherwise")]
        case .refused(let error): [Member("why", "refused"), Member("error", error)]
        case .accepted(let error): [Member("why", "taken"), Member("error", error)]
        case .notReplayed(let kind): [Member("why", "notReplayed"), Member("kind", kind.rawValue)]
        case .quarantined(let says): [Member("why", "quarantined"), Member("says", says)]
        }
    }
}
