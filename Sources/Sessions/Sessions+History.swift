internal import GameFlow

/// A session's history: its changes and refused events, as far as they are kept.
extension Sessions {
    /// A record of the history.
    public enum Record {
        case change(Change)
        case refusal(RefusedEvent)

        /// The approximate size of the record in JSON, in bytes; 512 stands for a change's parts of fixed size.
        var weight: Int {
            switch self {
            case .change(let change): 512 + change.weight + (change.step.from?.weight ?? 0)
            case .refusal(let refusal): refusal.weight
            }
        }
    }

    /// The start of a page of history. The page contains changes with numbers below `before`, and refusals before
    /// the change `before` and with numbers below `refusal`. Nil sets no limit.
    public struct HistoryPosition: Equatable, Sendable {
        public let before: Int?
        public let refusal: Int?

        public init(before: Int? = nil, refusal: Int? = nil) {
            (self.before, self.refusal) = (before, refusal)
        }
    }

    /// Returns a session's records from a position on, newest first: at most `limit`, and fewer if they are large.
    /// `next` is the start of the following page; nil on the last one.
    public func history(of session: Session, from position: HistoryPosition = .init(), limit: Int)
        -> HistoryPage
    {
        page(from: position, limit: limit, HistoryWalk(session, from: position, ring, refusals))
    }

    /// Returns a page of history from recorded rows, newest first. `rows` are at least those of the page, or
    /// all rows of the session if `isAll` is true. `newest` is the session's newest row at the time of the
    /// query. Refusals come from memory unless they are recorded.
    public func history(
        of session: Session, from position: HistoryPosition, limit: Int, rows: [SessionRecord],
        isAll: Bool, upTo newest: Int
    ) -> HistoryPage {
        let walk = HistoryWalk(
            session, from: position, rows, isAll: isAll, upTo: newest,
            auditsRefusals ? nil : refusals)
        return page(from: position, limit: limit, walk)
    }

    private func page(from position: HistoryPosition, limit: Int, _ walk: HistoryWalk)
        -> HistoryPage
    {
        var walk = walk
        var records: [Record] = []
        var bytes = 0
        var next = position
        while let record = walk.peek() {
            bytes += record.weight
            guard records.count < limit, records.isEmpty || bytes <= limits.historyBytes else {
                return (records, next)
            }
            records.append(record)
            _ = walk.next()
            next = .init(after: record)
        }
        return (records, walk.isCutShort && next != position ? next : nil)
    }

    public typealias HistoryPage = (records: [Record], next: HistoryPosition?)
}

extension Sessions.HistoryPosition {
    /// Creates the position after a record. It remains valid when newer records are added.
    fileprivate init(after record: Sessions.Record) {
        switch record {
        case .change(let change): self.init(before: change.seq)
        case .refusal(let refusal): self.init(before: refusal.seq + 1, refusal: refusal.number)
        }
    }
}

/// Iterates over a session's changes and refusals, newest first.
struct HistoryWalk {
    private var change: Change?
    private var refusal: RefusedEvent?
    private let olderChange: (Change) -> Change?
    private let olderRefusal: (RefusedEvent) -> RefusedEvent?
    /// Whether there are changes older than the given rows.
    private let isPartial: Bool
    /// Whether the refusals come from the rows, together with the changes, and not from memory.
    private let isOneStream: Bool

    /// Creates a walk over the changes and refusals in memory.
    init(
        _ session: Session, from position: Sessions.HistoryPosition, _ ring: ChangeRing,
        _ refusals: Ring<RefusedEvent>
    ) {
        (isPartial, isOneStream) = (false, false)
        olderChange = { ring[$0.previous] }
        olderRefusal = { refusals[$0.previous] }
        (change, refusal) = (session.last, refusals[session.lastRefusal])
        skip(to: position)
    }

    /// Creates a walk over recorded rows, with refusals from memory or, if `refusals` is nil, from the rows.
    /// Leaves out refusals in memory that refer to a row after `newest`, because that row may not be durable.
    init(
        _ session: Session, from position: Sessions.HistoryPosition, _ rows: [SessionRecord],
        isAll: Bool, upTo newest: Int, _ refusals: Ring<RefusedEvent>?
    ) {
        (isPartial, isOneStream) = (!isAll, refusals == nil)
        var changes: [Int: Change] = [:]
        var refused: [Int: RefusedEvent] = [:]
        var (newestChange, newestRefusal): (Change?, RefusedEvent?)
        var (lastChange, lastRefusal): (Change?, RefusedEvent?)
        for (number, row) in rows.enumerated() {
            if row.kind == .change, let change = row.change(hiding: session.flow.hidden) {
                if let lastChange { changes[lastChange.seq] = change }
                lastChange = change
                newestChange = newestChange ?? change
            } else if refusals == nil, row.kind == .refusal,
                let event = RefusedEvent(
                    row, number: row.position ?? number, hiding: session.flow.hidden)
            {
                if let lastRefusal { refused[lastRefusal.number] = event }
                lastRefusal = event
                newestRefusal = newestRefusal ?? event
            }
        }
        // Each dictionary contains the next older record, by the number of the newer one.
        let (olderChanges, olderRefusals) = (changes, refused)
        olderChange = { olderChanges[$0.seq] }
        if let refusals {
            newestRefusal = refusals[session.lastRefusal]
            while let later = newestRefusal, later.newestRow > newest {
                newestRefusal = refusals[later.previous]
            }
            olderRefusal = { refusals[$0.previous] }
        } else {
            olderRefusal = { olderRefusals[$0.number] }
        }
        (change, refusal) = (newestChange, newestRefusal)
        skip(to: position)
    }

    private mutating func skip(to position: Sessions.HistoryPosition) {
        if let before = position.before {
            while let later = change, later.seq >= before { change = olderChange(later) }
            while let later = refusal, later.seq >= before { refusal = olderRefusal(later) }
        }
        guard let number = position.refusal else { return }
        while let later = refusal, later.number >= number { refusal = olderRefusal(later) }
    }

    /// Whether the walk ended before the session's history did.
    var isCutShort: Bool { isPartial && change == nil && (!isOneStream || refusal == nil) }

    func peek() -> Sessions.Record? {
        // Refusals in memory may be older than changes that are not among the rows.
        if isCutShort { return nil }
        if let refusal, refusal.seq >= change?.seq ?? 0 { return .refusal(refusal) }
        return change.map { .change($0) }
    }

    mutating func next() -> Sessions.Record? {
        let record = peek()
        switch record {
        case .change(let current): change = olderChange(current)
        case .refusal(let current): refusal = olderRefusal(current)
        case nil: break
        }
        return record
    }
}
