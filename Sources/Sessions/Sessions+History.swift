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
            case .change(let change): 512 + change.weight + (change.step.from?.size ?? 0)
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
        -> HistoryPage
    {
        page(from: place, limit: limit, HistoryWalk(session, from: place, ring, refusals))
    }

    /// The same from rows that were written down, newest first, those of such a page at least, or all there
    /// are; `newest` is the session's newest row when they were asked for. What was refused is remembered here
    /// unless it is among them.
    public func history(
        of session: Session, from place: HistoryPlace, limit: Int, rows: [SessionRecord],
        isAll: Bool, upTo newest: Int
    ) -> HistoryPage {
        let walk = HistoryWalk(
            session, from: place, rows, isAll: isAll, upTo: newest,
            auditsRefusals ? nil : refusals)
        return page(from: place, limit: limit, walk)
    }

    private func page(from place: HistoryPlace, limit: Int, _ walk: HistoryWalk) -> HistoryPage {
        var walk = walk
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
        return (records, walk.isCutShort && next != place ? next : nil)
    }

    public typealias HistoryPage = (records: [Record], next: HistoryPlace?)
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
