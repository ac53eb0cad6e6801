internal import GameFlow

/// Iterates over a session's changes and refusals, newest first.
struct HistoryWalk {
    private var change: Change?
    private var refusal: RefusedEvent?
    private let olderChange: (Change) -> Change?
    private let olderRefusal: (RefusedEvent) -> RefusedEvent?
    /// Whether there are changes older than the given rows.
    private let isPart: Bool
    /// Whether the refusals come from the rows, together with the changes, and not from memory.
    private let isOneStream: Bool

    /// Creates a walk over the changes and refusals in memory.
    init(
        _ session: Session, from place: Sessions.HistoryPlace, _ ring: ChangeRing,
        _ refusals: Ring<RefusedEvent>
    ) {
        (isPart, isOneStream) = (false, false)
        olderChange = { ring[$0.previous] }
        olderRefusal = { refusals[$0.previous] }
        (change, refusal) = (session.last, refusals[session.lastRefusal])
        skip(to: place)
    }

    /// Creates a walk over recorded rows, with refusals from memory or, if `refusals` is nil, from the rows.
    /// Leaves out refusals in memory that refer to a row after `newest`, because that row may not be durable.
    init(
        _ session: Session, from place: Sessions.HistoryPlace, _ rows: [SessionRecord],
        isAll: Bool, upTo newest: Int, _ refusals: Ring<RefusedEvent>?
    ) {
        (isPart, isOneStream) = (!isAll, refusals == nil)
        var changes: [Int: Change] = [:]
        var refused: [Int: RefusedEvent] = [:]
        var (newestChange, newestRefusal): (Change?, RefusedEvent?)
        var (lastChange, lastRefusal): (Change?, RefusedEvent?)
        for (number, row) in rows.enumerated() {
            if row.kind == .change, let change = row.change {
                if let lastChange { changes[lastChange.seq] = change }
                lastChange = change
                newestChange = newestChange ?? change
            } else if refusals == nil, row.kind == .refusal,
                let event = RefusedEvent(row, number: row.position ?? number)
            {
                if let lastRefusal { refused[lastRefusal.number] = event }
                lastRefusal = event
                newestRefusal = newestRefusal ?? event
            }
        }
        let older = (changes, refused)
        olderChange = { older.0[$0.seq] }
        if let refusals {
            newestRefusal = refusals[session.lastRefusal]
            while let later = newestRefusal, later.mark > newest {
                newestRefusal = refusals[later.previous]
            }
            olderRefusal = { refusals[$0.previous] }
        } else {
            olderRefusal = { older.1[$0.number] }
        }
        (change, refusal) = (newestChange, newestRefusal)
        skip(to: place)
    }

    private mutating func skip(to place: Sessions.HistoryPlace) {
        if let before = place.before {
            while let later = change, later.seq >= before { change = olderChange(later) }
            while let later = refusal, later.seq >= before { refusal = olderRefusal(later) }
        }
        guard let number = place.refusal else { return }
        while let later = refusal, later.number >= number { refusal = olderRefusal(later) }
    }

    /// Whether the walk ended before the session's history did.
    var isCutShort: Bool { isPart && change == nil && (!isOneStream || refusal == nil) }

    func peek() -> Sessions.Record? {
        // Refusals in memory may be older than changes that are not among the rows.
        if isCutShort { return nil }
        if let refusal, refusal.seq >= change?.seq ?? 0 { return .refusal(refusal) }
        return change.map { .change($0) }
    }

    mutating func next() -> Sessions.Record? {
        let record = peek()
        switch record {
        case .change(let done): change = olderChange(done)
        case .refusal(let done): refusal = olderRefusal(done)
        case nil: break
        }
        return record
    }
}
