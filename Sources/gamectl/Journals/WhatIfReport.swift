import Durability
import GameFlow
import Journal
import Sessions
import Shell
import ShippedFlows
import Timers

/// What would have gone differently with another flow, session by session.
struct WhatIfReport {
    private let journal: OpenJournal
    private let terminal: Terminal
    private let trial: CounterfactualReplay

    /// Tries a flow against the sessions that played one of its name; against all, if none did.
    init(_ flow: AnyFlow, _ journal: OpenJournal, _ terminal: Terminal) throws(StoreError) {
        (self.journal, self.terminal) = (journal, terminal)
        var isPlayed = false
        try journal.rows("looking for \(flow.name)") { row in
            isPlayed = CounterfactualReplay.plays(flow.name, row)
            return !isPlayed
        }
        let trial = CounterfactualReplay(
            flow, known: AnyFlow.shipped(), isForeign: !isPlayed, pruned: journal.pruned)
        try journal.rows("trying \(flow.name)") { row in
            trial.take(row)
            return true
        }
        trial.finish()
        self.trial = trial
    }

    /// How many sessions go differently.
    var differing: Int { trial.traces.count { $0.difference != nil } }

    var verdict: String { "\(differing) of \(sessions) would have gone differently" }

    private var sessions: String {
        let count = trial.traces.count
        return "\(count) \(count == 1 ? "session" : "sessions")"
    }

    // MARK: for people

    var lines: [String] {
        let foreign = trial.isForeign ? ["nobody played \(trial.flow.name): all are tried"] : []
        let passed =
            trial.unread > 0 ? ["\(trial.unread) damaged rows were passed over"] : []
        let end = differing == 0 ? "nothing would have gone differently; \(sessions)" : verdict
        return foreign + trial.traces.flatMap(lines) + passed
            + [terminal.paint(end, differing == 0 ? .green : .red)]
    }

    private func lines(of course: SessionTrace) -> [String] {
        let again = course.opening > 1 ? " (opened for the \(ordinal(course.opening)) time)" : ""
        let title = terminal.paint(TerminalSafe.word(course.session.text), .bold) + again
        let changes = "\(course.changes) \(course.changes == 1 ? "change" : "changes")"
        guard let difference = course.difference else { return ["\(title): the same, \(changes)"] }
        let words = RecordWords(journal, terminal)
        var table = Table()
        table.add(["ends", words.standing(course.then)])
        table.add(["now", words.standing(course.now)])
        let why = why(difference.why)
        return ["\(title): differs after \(changes), at \(journal.time(difference.at)): \(why)"]
            + (hasRecords(difference)
                ? words.lines(then: difference.then, now: difference.now) : [])
            + table.lines(terminal, indent: "  ")
    }

    private func hasRecords(_ difference: SessionTrace.Difference) -> Bool {
        difference.then != nil || difference.now != nil
    }

    private func ordinal(_ number: Int) -> String {
        switch number {
        case 2: "second"
        case 3: "third"
        default: "\(number)th"
        }
    }

    private func why(_ why: SessionTrace.Why) -> String {
        switch why {
        case .missing: "it does not happen now"
        case .extra: "something happens that did not then"
        case .otherwise: "it goes otherwise"
        case .refused(let name): "the replay refuses it: \(name)"
        case .taken(let name): "it was refused then (\(TerminalSafe.word(name))), and is taken now"
        case .quarantined(let why): "it cannot be gone on with: \(TerminalSafe.word(why))"
        }
    }

    // MARK: for programs

    /// An object for each session.
    var json: [[Member]] { trial.traces.map(entry) }

    private func entry(_ course: SessionTrace) -> [Member] {
        let members = [
            Member("session", course.session.text), Member("opening", course.opening),
            Member("same", course.difference == nil), Member("changes", course.changes),
        ]
        guard let difference = course.difference else { return members }
        return members + [
            Member(
                "difference",
                .object(
                    [
                        Member("atMs", Int(difference.at.milliseconds)),
                        Member("position", difference.position.map { .int($0) } ?? .null),
                    ] + reason(difference.why) + [
                        Member("then", RecordWords.json(difference.then)),
                        Member("now", RecordWords.json(difference.now)),
                    ])), Member("endThen", RecordWords.standing(course.then)),
            Member("endNow", RecordWords.standing(course.now)),
        ]
    }

    private func reason(_ why: SessionTrace.Why) -> [Member] {
        switch why {
        case .missing: [Member("why", "missing")]
        case .extra: [Member("why", "extra")]
        case .otherwise: [Member("why", "otherwise")]
        case .refused(let error): [Member("why", "refused"), Member("error", error)]
        case .taken(let error): [Member("why", "taken"), Member("error", error)]
        case .quarantined(let says): [Member("why", "quarantined"), Member("says", says)]
        }
    }
}
