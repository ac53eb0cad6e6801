import GameFlow
import Journal

/// Hears what every client hears, the moment it does, and holds it against what is on the disk then.
final class Oracle {
    let shelf: SimulatedStore
    /// Every change that anybody was told of, by its position.
    var told: [Int: [Member]] = [:]
    /// The first answers to sends with an id.
    private var answers: [String: [Member]] = [:]
    /// Sends that are said to have been undone, and were not sent again.
    private var undone: [String: (question: SentRequest, upTo: Int)] = [:]
    var counts = Counts()

    init(_ shelf: SimulatedStore) { self.shelf = shelf }

    var books: JournalReader { shelf.books }

    /// Somebody sends it again: what was undone may be done now.
    func asked(_ question: SentRequest) {
        if let id = question.id { undone["\(question.session) \(id)"] = nil }
    }

    // MARK: answers

    func answer(_ body: [Member], to question: SentRequest, _ client: Client)
        throws(InvariantViolation)
    {
        if let error = body.object("error") {
            return try refusal(error, question, client)
        }
        guard let result = body.object("result") else {
            throw InvariantViolation("an answer without a result")
        }
        try self.result(result, question, client)
    }

    func result(_ result: [Member], _ question: SentRequest, _ client: Client)
        throws(InvariantViolation)
    {
        counts["answers"] += 1
        switch question.method {
        case "send", "goto": try change(result, "the answer to \(question.method)")
        case "status", "open", "timer": try session(result, "the answer to \(question.method)")
        // What it was, and what is there now is that it is over.
        case "close":
            try expect(
                !books.isOpen(question.session) || reopened(question, result),
                "\(question.session) is said to be closed, and is not on the disk")
        case "list":
            for line in result.list("sessions") { try self.line(line) }
        case "watch":
            for one in result.list("sessions") {
                try session(one, "the answer to watch")
                client.seen[one.text("session") ?? ""] = one.number("seq")
                client.isFresh[one.text("session") ?? ""] = one.number("entry") ?? 0
            }
        case "history":
            for record in result.list("records") where record.text("kind") != "refused" {
                try change(record, "history")
            }
        default: break
        }
        if question.method == "send", let id = question.id { try once(result, id, question) }
    }

    /// Whether a session of that name was opened after the one that was closed.
    private func reopened(_ question: SentRequest, _ result: [Member]) -> Bool {
        books.entries[question.session]?.contains { $0.kind == "close" } == true
    }

    /// The same id gets the same answer, unless the session was opened anew in between.
    private func once(_ result: [Member], _ id: String, _ question: SentRequest)
        throws(InvariantViolation)
    {
        let key = "\(question.session) \(id)"
        undone[key] = nil
        if let first = answers[key], first.number("pos") != result.number("pos"),
            let (a, b) = both(first.number("pos"), result.number("pos"))
        {
            let ended = books.entries[question.session]?.contains {
                $0.kind == "close" && $0.pos > a && $0.pos < b
            }
            try expect(
                ended == true, "\(key): answered with \(a) first, and with \(b) then")
        }
        answers[key] = result
    }

    private func both(_ a: Int?, _ b: Int?) -> (Int, Int)? {
        guard let a, let b else { return nil }
        return (min(a, b), max(a, b))
    }

    func refusal(_ error: [Member], _ question: SentRequest, _ client: Client)
        throws(InvariantViolation)
    {
        let data = error.object("data") ?? []
        counts["refusals"] += 1
        switch error.text("message") {
        case "storage":
            counts["storage errors"] += 1
            guard question.method == "send", let id = question.id else { return }
            let key = "\(question.session) \(id)"
            if data.text("outcome") == "unknown" || question.number % 2 == 0 {
                client.doubtful.append(question)
            } else if answers[key] == nil {
                undone[key] = (question, shelf.acknowledged)
            }
        case "noTransition":
            guard let last = data.object("last"), let seq = last.number("seq") else { return }
            try expect(
                entries(question.session, seq).contains { place($0.to) == data.text("state") },
                "a refusal by \(question.session) #\(seq), which is not on the disk")
        case "unknownSession":
            try expect(
                !question.wasOpen || closed(question.session) || !books.isOpen(question.session),
                "\(question.session) is said not to be there, and is on the disk")
        default: break
        }
    }

    private func closed(_ session: String) -> Bool {
        books.entries[session]?.contains { $0.kind == "close" } == true
    }

    // MARK: in the end

    /// Whatever anybody was told is on the disk, and what is said to be undone is not.
    func check() throws(InvariantViolation) {
        for (pos, change) in told.sorted(by: { $0.key < $1.key }) {
            guard let entry = books.change(pos) else {
                throw InvariantViolation("what was told of the change at \(pos) is lost")
            }
            try expect(Self.same(change, entry.body), "the change at \(pos) was told otherwise")
        }
        for (key, (question, upTo)) in undone.sorted(by: { $0.key < $1.key }) {
            let done = books.entries[question.session]?.contains {
                $0.row.id?.text == question.id && $0.row.position > upTo
            }
            try expect(done != true, "\(key) was said to be undone, and is on the disk")
        }
    }
}
