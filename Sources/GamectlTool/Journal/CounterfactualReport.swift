import Durability
import GameFlow
import Journal
import Sessions
import Shell
import Support
import Timers

/// The output of `gamectl replay --flow` for one journal: how each session would have differed with another flow.
struct CounterfactualReport {
    private let journal: OpenJournal
    private let terminal: Terminal
    private let replay: CounterfactualReplay

    /// Replays with `flow` the sessions that played a flow with the name of `flow`. If no session played a flow with this name,
    /// replays all sessions. `programFlows` are the flows of this program, which the recorded sessions may have played.
    init(
        _ flow: AnyFlow, programFlows: [AnyFlow], _ journal: OpenJournal, _ terminal: Terminal
    ) throws(StoreError) {
        (self.journal, self.terminal) = (journal, terminal)
        var isFlowRecorded = false
        try journal.rows(progress: "looking for \(flow.name)") { row in
            isFlowRecorded = CounterfactualReplay.plays(flow.name, row)
            return !isFlowRecorded
        }
        let replay = CounterfactualReplay(
            flow, programFlows: programFlows, replaysAllSessions: !isFlowRecorded,
            prunedUpTo: journal.prunedUpTo)
        try journal.rows(progress: "trying \(flow.name)") { row in
            replay.execute(row)
            return true
        }
        replay.finish()
        self.replay = replay
    }

    /// The number of sessions that differ. A session whose first rows were removed does not count, because its replay begins with a
    /// state that the flow has not made.
    var differingCount: Int { wholeTraces.count { $0.difference != nil } }

    /// The result in one sentence, for the error with which the verb ends if a session differs.
    var verdict: String { "\(differingCount) of \(sessionCountText) would have differed" }

    private var sessionCountText: String { CountText.write(wholeTraces.count, "session") }

    /// The sessions that were replayed from their opening.
    private var wholeTraces: [SessionTrace] { replay.traces.filter(\.beginsAtOpening) }

    // MARK: text

    var lines: [String] {
        let allSessionsNote =
            replay.replaysAllSessions
            ? ["no session has the flow \(replay.flow.name): all are tried"] : []
        let skippedRowsNote =
            replay.unreadRows > 0 ? ["\(replay.unreadRows) damaged rows were skipped"] : []
        let cutCount = replay.traces.count - wholeTraces.count
        let cutNote =
            cutCount > 0
            ? [
                "not counted: \(CountText.write(cutCount, "session")) whose opening was removed from the journal"
            ] : []
        let conclusion = differingCount == 0 ? "no difference in \(sessionCountText)" : verdict
        return allSessionsNote + replay.traces.flatMap(lines) + skippedRowsNote + cutNote
            + [terminal.paint(conclusion, differingCount == 0 ? .green : .red)]
    }

    /// The result for one session. A `SessionTrace` is the replay of the session compared with its recording.
    private func lines(of trace: SessionTrace) -> [String] {
        let openingNote =
            trace.opening > 1 ? " (opened for the \(Self.ordinal(trace.opening)) time)" : ""
        let name = terminal.paint(TerminalSafe.escaped(trace.session.text), .bold)
        let cutNote = trace.beginsAtOpening ? "" : " (without its opening)"
        let title = name + openingNote + cutNote
        let changes = CountText.write(trace.changes, "change")
        guard let difference = trace.difference else { return ["\(title): the same, \(changes)"] }
        let recordText = RecordText(journal, terminal)
        var table = Table()
        table.add(["recorded end", recordText.state(trace.newestRecorded)])
        table.add(["end with this flow", recordText.state(trace.newestReplayed)])
        let why = sentence(difference.kind)
        return ["\(title): differs after \(changes), at \(journal.time(difference.at)): \(why)"]
            + (hasRecords(difference)
                ? recordText.lines(recorded: difference.recorded, replayed: difference.replayed)
                : [])
            + table.lines(terminal, indent: "  ")
    }

    /// Whether the recorded or the replayed record of the difference can be shown.
    private func hasRecords(_ difference: SessionTrace.Difference) -> Bool {
        difference.recorded != nil || difference.replayed != nil
    }

    /// A number from 2 as an ordinal: `second`, `third`, `4th`, `21st`.
    static func ordinal(_ number: Int) -> String {
        switch (number, number % 10, number % 100) {
        case (2, _, _): "second"
        case (3, _, _): "third"
        case (_, _, 11...13): "\(number)th"
        case (_, 1, _): "\(number)st"
        case (_, 2, _): "\(number)nd"
        case (_, 3, _): "\(number)rd"
        default: "\(number)th"
        }
    }

    /// How the replay differs, in words.
    private func sentence(_ kind: SessionTrace.Kind) -> String {
        switch kind {
        case .missing: "a recorded change does not happen"
        case .extra: "a change happens that was not recorded"
        case .different: "a change differs"
        case .refused(let name): "an event that was taken is refused: \(name)"
        case .accepted(let name):
            "an event that was refused (\(TerminalSafe.escaped(name))) is taken"
        case .notReplayed(let kind):
            "the recording has a change of kind \(kind.name), which is not replayed; "
                + "what follows is not compared"
        case .quarantined(let why): "the session cannot be continued: \(TerminalSafe.escaped(why))"
        }
    }

    // MARK: JSON

    /// The members of one object for each session.
    var json: [[Member]] { replay.traces.map(jsonMembers) }

    private func jsonMembers(_ trace: SessionTrace) -> [Member] {
        let members = [
            Member("session", trace.session.text), Member("opening", trace.opening),
            Member("same", trace.difference == nil), Member("changes", trace.changes),
            Member("fromOpening", .bool(trace.beginsAtOpening)),
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
        case .notReplayed(let kind): [Member("why", "notReplayed"), Member("kind", kind.name)]
        case .quarantined(let says): [Member("why", "quarantined"), Member("says", says)]
        }
    }
}
