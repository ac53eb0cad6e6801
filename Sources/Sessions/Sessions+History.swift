internal import GameFlow

/// A session's history: its changes and refused events, as far as they are kept.
extension Sessions {
    /// A record of the history.
    public enum Record {
        case change(Change)
        case refusal(RefusedEvent)

        /// The approximate size of the record in JSON, in bytes.
        var weight: Int {
            switch self {
            case .change(let change):
                RefusedEvent.fixedWeight + change.weight + (change.step.from?.weight ?? 0)
            case .refusal(let refusal): refusal.weight
            }
        }
    }

    /// The start of a page of history. The page begins with the newest records that both limits allow.
    public struct HistoryPosition: Equatable, Sendable {
        /// The page contains only changes whose `seq` is less than this number. It contains only refusals that came before the
        /// change with this `seq`. Nil sets no limit.
        public let before: Int?
        /// The page contains only refusals whose number is less than this number. If refusals are recorded in the journal, the
        /// number of a refusal is the position of its row. Nil sets no limit.
        public let refusal: Int?

        public init(before: Int? = nil, refusal: Int? = nil) {
            (self.before, self.refusal) = (before, refusal)
        }
    }

    /// Returns a page of a session's records in memory, newest first: at most `limit`, and fewer if they are large.
    public func history(of session: Session, from position: HistoryPosition = .init(), limit: Int)
        -> HistoryPage
    {
        page(from: position, limit: limit, HistoryWalk(session, from: position, ring, refusals))
    }

    /// Returns a page of history from recorded rows, newest first. `rows` contain at least the rows of the page, newest first;
    /// `isAll` says that the session has no older rows. `newest` is the position of the session's newest row at the time of the
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

    /// Returns the page that begins at `position`. `walk` produces its records.
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

    /// A page of history, newest record first, and the position at which the next page begins. The position is nil if this is
    /// the last page.
    public typealias HistoryPage = (records: [Record], next: HistoryPosition?)
}

extension Sessions.HistoryPosition {
    /// Creates the position at which the records older than `record` begin. The position remains valid when newer records are
    /// added.
    fileprivate init(after record: Sessions.Record) {
        switch record {
        case .change(let change): self.init(before: change.seq)
        case .refusal(let refusal): self.init(before: refusal.seq + 1, refusal: refusal.number)
        }
    }
}

/// Iterates over a session's changes and refusals, newest first.
struct HistoryWalk {
    /// The next change of the walk; nil after the oldest change.
    private var change: Change?
    /// The next refusal of the walk; nil after the oldest refusal.
    private var refusal: RefusedEvent?
    /// Returns the session's last change before the given change; nil if no older change is known.
    private let olderChange: (Change) -> Change?
    /// Returns the session's last refusal before the given refusal; nil if no older refusal is known.
    private let olderRefusal: (RefusedEvent) -> RefusedEvent?
    /// Whether the session has older rows than those from which the walk was created.
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
        // Each dictionary contains, by the number of a record, the next older record of the same kind.
        var olderChangeBySeq: [Int: Change] = [:]
        var olderRefusalByNumber: [Int: RefusedEvent] = [:]
        var (newestChange, newestRefusal): (Change?, RefusedEvent?)
        var (lastChange, lastRefusal): (Change?, RefusedEvent?)
        for (number, row) in rows.enumerated() {
            if row.kind == .change, let change = row.change(view: session.flow.clientView) {
                if let lastChange { olderChangeBySeq[lastChange.seq] = change }
                lastChange = change
                newestChange = newestChange ?? change
            } else if refusals == nil, case .refusal(let refused) = row.body {
                let event = refused.numbered(
                    row.position ?? number, hiding: session.flow.hidden)
                if let lastRefusal { olderRefusalByNumber[lastRefusal.number] = event }
                lastRefusal = event
                newestRefusal = newestRefusal ?? event
            }
        }
        // The closures capture these constants, because capturing the variables would need a heap allocation and a check for
        // each access.
        let (olderChanges, olderRefusals) = (olderChangeBySeq, olderRefusalByNumber)
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

    /// Skips the records that are newer than the start of the page.
    private mutating func skip(to position: Sessions.HistoryPosition) {
        if let before = position.before {
            while let later = change, later.seq >= before { change = olderChange(later) }
            while let later = refusal, later.seq >= before { refusal = olderRefusal(later) }
        }
        guard let number = position.refusal else { return }
        while let later = refusal, later.number >= number { refusal = olderRefusal(later) }
    }

    /// Whether the walk has reached the end of its rows, although the session has older rows.
    var isCutShort: Bool { isPartial && change == nil && (!isOneStream || refusal == nil) }

    /// Returns the record that `next` will return. The walk goes back in time: if a refusal happened after a change, the
    /// refusal is returned first.
    func peek() -> Sessions.Record? {
        // The remaining refusals in memory wait for the next page: they may be older than changes in rows not read yet.
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
