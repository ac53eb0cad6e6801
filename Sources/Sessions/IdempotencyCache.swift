internal import Support
internal import Timers

/// The answer to a request with an id.
struct CachedAnswer {
    /// The change that the request caused. If the request caused no numbered change, this `Change` describes the beat, or
    /// the command that had no effect.
    let change: Change
    let content: Content
    /// The position of the journal row that records the answer; 0 if none does.
    let row: Int
    /// When the request was answered, by the sessions' clock.
    let at: Instant

    /// What the client gets as the result.
    enum Content {
        /// The change.
        case change
        /// The session directly after the request, for a request that is answered with a session.
        indirect case status(SessionStatus)
        /// The session directly after the request, as the journal recorded it; used after a restart.
        indirect case recorded(SessionRecord.Status)
    }

    /// The approximate number of bytes from clients that the answer retains; 128 stands for a status's parts of fixed size.
    var weight: Int {
        switch content {
        case .change, .recorded: change.weight
        case .status(let status): change.weight + 128 + status.stateRecord.weight
        }
    }
}

/// A cache of the answers to requests with an id, so that a repeated request gets the same answer and changes
/// nothing. There is a maximum number of answers per session, and a maximum number and size in total; the oldest answers are
/// removed first.
struct IdempotencyCache {
    private struct Key: Hashable {
        let session: SessionName
        /// Ids are opaque to the daemon: two ids are equal only if their bytes are.
        let id: ByteText

        init(session: SessionName, id: String) {
            (self.session, self.id) = (session, ByteText(id))
        }
    }

    /// A removed answer, which is put back if the call that removed it is undone.
    typealias RemovedAnswer = (id: String, answer: CachedAnswer)

    /// A key, and the number of the answer that was added for the key.
    private typealias NumberedKey = (key: Key, number: Int)

    /// The answers with their numbers, counted from 1 over all sessions.
    private var answers: [Key: (answer: CachedAnswer, number: Int)] = [:]
    /// The keys in the order of their answers. If `answers` has no answer with the key's number, the answer was removed or
    /// replaced, and the key is skipped.
    private var order = Deque<NumberedKey>()
    /// The keys of each session in the order of their answers.
    private var orderBySession: [SessionName: Deque<NumberedKey>] = [:]
    /// The number of the newest answer.
    private var newestNumber = 0
    /// The total `weight` of the answers.
    private var bytes = 0
    private let limits: Limits
    /// The ids whose answers were removed.
    private(set) var forgotten: ForgottenIDs

    init(_ limits: Limits) {
        self.limits = limits
        forgotten = ForgottenIDs(limits)
    }

    /// Returns the time of the answer that a request with an id may repeat, although the answer is forgotten; nil if the request
    /// is new. `sentSince` is the earliest instant at which the request may have been sent. If it is nil, only the hashes of
    /// forgotten ids decide.
    mutating func forgottenTime(
        of id: String, of session: SessionName, sentSince: Instant?, now: Instant
    ) -> Instant? {
        if let at = forgotten.time(of: ByteText(id), of: session, now: now) { return at }
        guard let sentSince, let lost = forgotten.lostTime(of: session), sentSince < lost else {
            return nil
        }
        return lost
    }

    /// Records that answers of a session up to an instant were not restored.
    mutating func lose(_ session: SessionName, upTo at: Instant) { forgotten.lose(session, at) }

    var count: Int { answers.count }

    /// Returns the answer to the first request with an id.
    func answer(_ id: String, of session: SessionName) -> CachedAnswer? {
        answers.isEmpty ? nil : answers[Key(session: session, id: id)]?.answer
    }

    /// Adds an answer; returns the answers that were removed to make room at the instant `now`.
    @discardableResult mutating func remember(_ answer: CachedAnswer, as id: String, now: Instant)
        -> [RemovedAnswer]
    {
        var removed: [RemovedAnswer] = []
        let session = answer.change.session
        let key = Key(session: session, id: id)
        newestNumber += 1
        if let replaced = answers[key] { bytes -= replaced.answer.weight }
        answers[key] = (answer, newestNumber)
        bytes += answer.weight
        order.append((key, newestNumber))
        orderBySession[session, default: Deque()].append((key, newestNumber))
        if orderBySession[session]!.count > limits.idsPerSession {
            removed += forget(orderBySession[session]!.removeFirst()!, now)
        }
        while answers.count > limits.ids || bytes > limits.ringBytes,
            let oldest = order.removeFirst()
        {
            removed += forget(oldest, now)
            removeOldest(of: oldest.key.session, upTo: oldest.number)
        }
        // Stale keys are removed rarely, because the removal visits all keys.
        if order.count > 2 * limits.ids { removeStaleKeys() }
        return removed
    }

    /// Removes all answers of a closed session, and returns them, oldest first. The ids stay known, so that a late request for
    /// that session is not executed in a new session of the same name. If the closing of the session is undone, the caller can
    /// put the answers back.
    @discardableResult mutating func takeAll(of session: SessionName, now: Instant)
        -> [RemovedAnswer]
    {
        guard var keys = orderBySession.removeValue(forKey: session) else { return [] }
        var removed: [RemovedAnswer] = []
        while let numberedKey = keys.removeFirst() { removed += forget(numberedKey, now) }
        return removed
    }

    /// Removes the answer to the request with an id, because the request's change was undone before the answer was sent. The
    /// answer is the newest of its session, because changes are undone newest first.
    mutating func remove(_ id: String, of session: SessionName) {
        let key = Key(session: session, id: id)
        if let last = orderBySession[session]?.last, last.key == key {
            _ = orderBySession[session]?.removeLast()
            if orderBySession[session]?.isEmpty == true { orderBySession[session] = nil }
        }
        guard let cached = answers.removeValue(forKey: key) else { return }
        bytes -= cached.answer.weight
    }

    /// Removes the keys with numbers up to `number` from `orderBySession[session]`.
    private mutating func removeOldest(of session: SessionName, upTo number: Int) {
        while let first = orderBySession[session]?.first, first.number <= number {
            _ = orderBySession[session]?.removeFirst()
        }
        if orderBySession[session]?.isEmpty == true { orderBySession[session] = nil }
    }

    /// Removes the answer with the number of the key. Returns the answer; empty if it was already removed or replaced.
    private mutating func remove(_ numberedKey: NumberedKey) -> [RemovedAnswer] {
        let key = numberedKey.key
        guard let cached = answers[key], cached.number == numberedKey.number else { return [] }
        answers[key] = nil
        bytes -= cached.answer.weight
        return [(key.id.text, cached.answer)]
    }

    /// Does the same as `remove`, and keeps the hash of the id.
    private mutating func forget(_ numberedKey: NumberedKey, _ now: Instant) -> [RemovedAnswer] {
        let removed = remove(numberedKey)
        for (_, answer) in removed {
            let key = numberedKey.key
            forgotten.add(key.id, of: key.session, at: answer.at, now: now)
        }
        return removed
    }

    /// Removes from `order` the keys of answers that were already removed. Such keys stay in `order` when a session is closed,
    /// or when a session has too many answers.
    private mutating func removeStaleKeys() {
        var validKeys = Deque<NumberedKey>()
        while let numberedKey = order.removeFirst() {
            if answers[numberedKey.key]?.number == numberedKey.number {
                validKeys.append(numberedKey)
            }
        }
        order = validKeys
    }
}
