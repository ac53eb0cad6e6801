internal import Support

/// What a request with an id was answered with.
struct CachedAnswer {
    /// The change that it led to, or the beat or order that stands for it.
    let change: Change
    let shown: Shown

    enum Shown {
        case change
        /// A request that is answered with a session: as it was then.
        indirect case status(SessionStatus)
        /// The same after a restart, as the journal has it.
        indirect case recorded(SessionRecord.Status)
    }

    /// About how many bytes from outside it holds on to.
    var weight: Int {
        switch shown {
        case .change, .recorded: change.weight
        case .status(let status): change.weight + 128 + status.place.weight
        }
    }
}

/// The answers that were given to requests with an id, so that the same id gets the same answer again
/// and changes nothing. The oldest are forgotten first, of one session and in all.
struct IdempotencyCache {
    private struct Key: Hashable {
        let session: SessionName
        let id: String
    }

    private struct Receipt {
        let answer: CachedAnswer
        /// The row that says so.
        let mark: Int
        let number: Int
    }

    /// An answer that may have to be given back.
    struct Forgotten {
        let session: SessionName
        let id: String
        let answer: CachedAnswer
        let mark: Int
    }

    private var receipts: [Key: Receipt] = [:]
    /// In the order in which they were given; those whose number is no longer current are skipped.
    private var order = Deque<(key: Key, number: Int)>()
    private var orderOf: [SessionName: Deque<(key: Key, number: Int)>] = [:]
    private var number = 0
    private var bytes = 0
    private let limits: Limits

    init(_ limits: Limits) { self.limits = limits }

    var count: Int { receipts.count }

    /// The first answer to that id, and the row that says so.
    func answer(_ id: String, of session: SessionName) -> (answer: CachedAnswer, mark: Int)? {
        guard !receipts.isEmpty, let found = receipts[Key(session: session, id: id)] else {
            return nil
        }
        return (found.answer, found.mark)
    }

    /// Remembers an answer; the ones that had to make room for it.
    @discardableResult mutating func remember(
        _ answer: CachedAnswer, as id: String, of session: SessionName, mark: Int = 0
    ) -> [Forgotten] {
        var out: [Forgotten] = []
        let key = Key(session: session, id: id)
        number += 1
        receipts[key] = Receipt(answer: answer, mark: mark, number: number)
        bytes += answer.weight
        order.append((key, number))
        orderOf[session, default: Deque()].append((key, number))
        if orderOf[session]!.count > limits.idsPerSession {
            out += forget(orderOf[session]!.removeFirst()!)
        }
        while receipts.count > limits.ids || bytes > limits.ringBytes,
            let oldest = order.removeFirst()
        {
            out += forget(oldest)
            forgetFirst(of: oldest.key.session, upTo: oldest.number)
        }
        if order.count > 2 * limits.ids { dropStale() }
        return out
    }

    /// A session is over: its ids may be used anew.
    mutating func forgetAll(of session: SessionName) {
        guard var own = orderOf.removeValue(forKey: session) else { return }
        while let entry = own.removeFirst() { forget(entry) }
    }

    /// The same, for who may have to give them back: the answers, oldest first.
    mutating func takeAll(of session: SessionName) -> [Forgotten] {
        guard var own = orderOf.removeValue(forKey: session) else { return [] }
        var taken: [Forgotten] = []
        while let entry = own.removeFirst() {
            guard let receipt = receipts[entry.key], receipt.number == entry.number else {
                continue
            }
            taken.append(
                Forgotten(
                    session: session, id: entry.key.id, answer: receipt.answer, mark: receipt.mark))
            forget(entry)
        }
        return taken
    }

    /// The newest answer of a session was never given.
    mutating func forget(_ id: String, of session: SessionName) {
        let key = Key(session: session, id: id)
        if let last = orderOf[session]?.last, last.key == key { _ = orderOf[session]?.removeLast() }
        guard let receipt = receipts.removeValue(forKey: key) else { return }
        bytes -= receipt.answer.weight
    }

    /// What is forgotten as the oldest of all is the oldest of its session, too.
    private mutating func forgetFirst(of session: SessionName, upTo number: Int) {
        while let first = orderOf[session]?.first, first.number <= number {
            _ = orderOf[session]?.removeFirst()
        }
        if orderOf[session]?.isEmpty == true { orderOf[session] = nil }
    }

    @discardableResult private mutating func forget(_ entry: (key: Key, number: Int)) -> [Forgotten]
    {
        guard let receipt = receipts[entry.key], receipt.number == entry.number else { return [] }
        receipts[entry.key] = nil
        bytes -= receipt.answer.weight
        let (key, answer) = (entry.key, receipt.answer)
        return [Forgotten(session: key.session, id: key.id, answer: answer, mark: receipt.mark)]
    }

    /// Sessions that come and go leave entries of what is forgotten already.
    private mutating func dropStale() {
        var kept = Deque<(key: Key, number: Int)>()
        while let entry = order.removeFirst() {
            if receipts[entry.key]?.number == entry.number { kept.append(entry) }
        }
        order = kept
    }
}
