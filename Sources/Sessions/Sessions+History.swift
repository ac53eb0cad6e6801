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

    /// Where a page of history begins: before the change of that number, the newest if nil, with so many
    /// records left out that were seen already.
    public struct HistoryPlace: Equatable, Sendable {
        public let before: Int?
        public let skip: Int

        public init(before: Int? = nil, skip: Int = 0) { (self.before, self.skip) = (before, skip) }
    }

    /// A session's records from a place on, newest first: at most `limit`, fewer where they are large.
    /// `next` is where the following page begins; nil of the last.
    public func history(of session: Session, from place: HistoryPlace = .init(), limit: Int)
        -> (records: [Record], next: HistoryPlace?)
    {
        var walk = HistoryWalk(session, before: place.before, ring, refusals)
        for _ in 0..<place.skip where walk.next() == nil { break }
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
            next = next.after(record)
        }
        return (records, nil)
    }
}

extension Sessions.HistoryPlace {
    /// The place behind a record. Behind a change it can be named by that change alone.
    fileprivate func after(_ record: Sessions.Record) -> Self {
        if case .change(let change) = record { return Self(before: change.seq) }
        return Self(before: before, skip: skip + 1)
    }
}

/// Goes through a session's changes and refusals, newest first.
private struct HistoryWalk {
    private var change: Change?
    private var refusal: RefusedEvent?
    private let ring: ChangeRing
    private let refusals: Ring<RefusedEvent>

    init(_ session: Session, before: Int?, _ ring: ChangeRing, _ refusals: Ring<RefusedEvent>) {
        (self.ring, self.refusals) = (ring, refusals)
        change = session.last
        refusal = refusals[session.lastRefusal]
        guard let before else { return }
        while let later = change, later.seq >= before { change = ring[later.previous] }
        while let later = refusal, later.seq >= before { refusal = refusals[later.previous] }
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
