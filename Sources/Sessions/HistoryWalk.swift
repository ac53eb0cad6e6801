internal import GameFlow

/// Goes through a session's changes and refusals, newest first.
struct HistoryWalk {
    private var change: Change?
    private var refusal: RefusedEvent?
    private let olderChange: (Change) -> Change?
    private let olderRefusal: (RefusedEvent) -> RefusedEvent?
    /// Whether there are older changes than it can know.
    private let isPart: Bool
    /// Whether the refusals stand among the changes, and not in a memory of their own.
    private let isOneStream: Bool

    /// Through what is remembered.
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

    /// Through rows that were written down, and refusals that are remembered, or stand among the rows. Those
    /// of which a later row than `newest` is told are too new: it may not be on the disk.
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

    /// Whether it came to its end before the history did.
    var isCutShort: Bool { isPart && change == nil && (!isOneStream || refusal == nil) }

    func peek() -> Sessions.Record? {
        // What is remembered of refusals may be older than a change that it cannot know.
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
