internal import GameFlow

/// Who sent what, when, from where, and what became of it; as far as it is remembered.
extension Sessions {
    /// One thing that was done to a session, or was to be.
    public enum Record {
        case change(Change)
        case refusal(RefusedEvent)

        /// About how long it is in JSON.
        var weight: Int {
            switch self {
            case .change(let change): 512 + change.weight + (change.step.from?.json.count ?? 0)
            case .refusal(let refusal): refusal.weight
            }
        }
    }

    /// Where a page of history begins: before the change of that number and, of what was refused after the
    /// change before that, before the refusal of that number. Nil is the newest.
    public struct HistoryPlace: Equatable, Sendable {
        public let before: Int?
        public let refusal: Int?

        public init(before: Int? = nil, refusal: Int? = nil) {
            (self.before, self.refusal) = (before, refusal)
        }
    }

    /// A session's records from a place on, newest first: at most `limit`, fewer where they are large.
    /// `next` is where the following page begins; nil of the last.
    public func history(of session: Session, from place: HistoryPlace = .init(), limit: Int)
        -> (records: [Record], next: HistoryPlace?)
    {
        var walk = HistoryWalk(session, from: place, ring, refusals)
        var records: [Record] = []
        var bytes = 0
        var next = place
        while let record = walk.peek() {
            bytes += record.weight
            guard records.count < limit, records.isEmpty || bytes <= limits.historyBytes else {
                return (records, next)
            }
            records.append(record)
            _ = walk.next()
            next = .init(after: record)
        }
        return (records, nil)
    }
}

extension Sessions.HistoryPlace {
    /// The place behind a record, wherever newer ones have come meanwhile.
    fileprivate init(after record: Sessions.Record) {
        switch record {
        case .change(let change): self.init(before: change.seq)
        case .refusal(let refusal): self.init(before: refusal.seq + 1, refusal: refusal.number)
        }
    }
}

/// Goes through a session's changes and refusals, newest first.
private struct HistoryWalk {
    private var change: Change?
    private var refusal: RefusedEvent?
    private let ring: ChangeRing
    private let refusals: Ring<RefusedEvent>

    init(
        _ session: Session, from place: Sessions.HistoryPlace, _ ring: ChangeRing,
        _ refusals: Ring<RefusedEvent>
    ) {
        (self.ring, self.refusals) = (ring, refusals)
        change = session.last
        refusal = refusals[session.lastRefusal]
        if let before = place.before {
            while let later = change, later.seq >= before { change = ring[later.previous] }
            while let later = refusal, later.seq >= before { refusal = refusals[later.previous] }
        }
        guard let number = place.refusal else { return }
        while let later = refusal, later.number >= number { refusal = refusals[later.previous] }
    }

    func peek() -> Sessions.Record? {
        if let refusal, refusal.seq >= change?.seq ?? 0 { return .refusal(refusal) }
        return change.map { .change($0) }
    }

    mutating func next() -> Sessions.Record? {
        let record = peek()
        switch record {
        case .change(let done): change = ring[done.previous]
        case .refusal(let done): refusal = refusals[done.previous]
        case nil: break
        }
        return record
    }
}
