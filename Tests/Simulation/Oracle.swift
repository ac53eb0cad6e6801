import GameFlow
import Journal

/// The rows that are on the disk, which the checks read.
protocol StoredRows: AnyObject {
    var journal: JournalReader { get }
    /// The position of the newest row that the store has reported as durable.
    var newestDurableRow: Int { get }
}

/// Compares every reply and notification with the rows that are on the disk at the moment when a client receives it.
final class Oracle {
    private unowned let store: any StoredRows
    /// Every change that a client has received, by its `pos`.
    var receivedChanges: [Int: [Member]] = [:]
    /// The answers to `send` requests with an id. A key is a session and an id, with a space between them.
    private var answers: [String: [Member]] = [:]
    /// The requests that were reported as undone and were not repeated since. `durableRow` is the position of the newest row
    /// that was durable at the report. The keys have the same form as the keys of `answers`.
    private var undone: [String: (request: SentRequest, durableRow: Int)] = [:]
    var counts = Counts()

    init(_ store: any StoredRows) { self.store = store }

    var journal: JournalReader { store.journal }

    /// Records that a client sends a request. If the client repeats an undone request, the change may now reach the disk.
    func sent(_ request: SentRequest) {
        if let id = request.id { undone["\(request.session) \(id)"] = nil }
    }

    // MARK: answers

    func checkAnswer(_ body: [Member], to request: SentRequest, _ client: Client)
        throws(InvariantViolation)
    {
        if let error = body.object("error") {
            return try checkRefusal(error, request, client)
        }
        guard let result = body.object("result") else {
            throw InvariantViolation("an answer without a result")
        }
        try checkResult(result, request, client)
    }

    func checkResult(_ result: [Member], _ request: SentRequest, _ client: Client)
        throws(InvariantViolation)
    {
        counts["answers"] += 1
        switch request.method {
        case "send", "goto": try checkChange(result, "the answer to \(request.method)")
        case "status", "open", "timer": try checkSession(result, "the answer to \(request.method)")
        // The answer to `close` shows the session as it was before the close, so the answer is not compared. The row of the
        // close must be on the disk.
        case "close":
            try expect(
                !journal.isOpen(request.session) || wasClosed(request.session),
                "the answer says that \(request.session) is closed, but no close is on the disk")
        case "list":
            for line in result.list("sessions") { try checkListLine(line) }
        case "watch":
            for session in result.list("sessions") {
                try checkSession(session, "the answer to watch")
                client.lastSeq[session.text("session") ?? ""] = session.number("seq")
                client.entryWhenWatched[session.text("session") ?? ""] =
                    session.number("entry") ?? 0
            }
        case "history":
            for record in result.list("records") where record.text("kind") != "refused" {
                try checkChange(record, "history")
            }
        default: break
        }
        if request.method == "send", let id = request.id {
            try checkIdempotency(result, id, request)
        }
    }

    /// The same id gets the same answer, unless the session was closed in between.
    private func checkIdempotency(_ result: [Member], _ id: String, _ request: SentRequest)
        throws(InvariantViolation)
    {
        let key = "\(request.session) \(id)"
        undone[key] = nil
        if let first = answers[key], first.number("pos") != result.number("pos"),
            let (earlier, later) = ordered(first.number("pos"), result.number("pos"))
        {
            let wasClosedBetween = journal.rowsBySession[request.session]?.contains {
                $0.kind == "close" && $0.pos > earlier && $0.pos < later
            }
            try expect(
                wasClosedBetween == true,
                "\(key) was answered with two changes, \(earlier) and \(later)")
        }
        answers[key] = result
    }

    private func ordered(_ a: Int?, _ b: Int?) -> (Int, Int)? {
        guard let a, let b else { return nil }
        return (min(a, b), max(a, b))
    }

    func checkRefusal(_ error: [Member], _ request: SentRequest, _ client: Client)
        throws(InvariantViolation)
    {
        let data = error.object("data") ?? []
        counts["refusals"] += 1
        switch error.text("message") {
        case "storage":
            counts["storage errors"] += 1
            guard request.method == "send", let id = request.id else { return }
            let key = "\(request.session) \(id)"
            // Of the undone requests, those with an even number are repeated.
            if data.text("outcome") == "unknown" || request.number % 2 == 0 {
                client.requestsToRepeat.append(request)
            } else if answers[key] == nil {
                undone[key] = (request, store.newestDurableRow)
            }
        case "noTransition":
            guard let last = data.object("last"), let seq = last.number("seq") else { return }
            try expect(
                changes(request.session, seq).contains { stateName($0.to) == data.text("state") },
                "a refusal shows \(request.session) #\(seq), which is not on the disk")
        case "unknownSession":
            try expect(
                !request.wasOpen || wasClosed(request.session) || !journal.isOpen(request.session),
                "the answer is unknownSession, but \(request.session) is on the disk")
        default: break
        }
    }

    /// Whether a session with this name was ever closed.
    private func wasClosed(_ session: String) -> Bool {
        journal.rowsBySession[session]?.contains { $0.kind == "close" } == true
    }

    // MARK: final check

    /// Makes two checks. Every change that a client received must be on the disk. No change that was reported as undone may be
    /// on the disk.
    func check() throws(InvariantViolation) {
        for (pos, change) in receivedChanges.sorted(by: { $0.key < $1.key }) {
            guard let stored = journal.change(at: pos) else {
                throw InvariantViolation(
                    "a client received the change at \(pos), which is not on the disk")
            }
            try expect(
                Self.areSame(change, stored.members),
                "a client received the change at \(pos) with other content than on the disk")
        }
        for (key, (request, durableRow)) in undone.sorted(by: { $0.key < $1.key }) {
            let isOnDisk = journal.rowsBySession[request.session]?.contains {
                $0.row.id?.text == request.id && $0.row.position > durableRow
            }
            try expect(isOnDisk != true, "\(key) was reported as undone, but is on the disk")
        }
    }
}
