internal import GameFlow

/// A session's history: what was sent, by which source, when, and with which result, as far as it is kept.
extension Sessions {
    /// A record of the history.
    public enum Record {
        case change(Change)
        case refusal(RefusedEvent)

        /// The approximate size of the record in JSON, in bytes.
        var weight: Int {
            switch self {
            case .change(let change): 512 + change.weight + (change.step.from?.weight ?? 0)
            case .refusal(let refusal): refusal.weight
            }
        }
    }

    /// The start of a page of history: before the change with the number `before`, and, among the refusals
    /// after the change that precedes it, before the refusal with the number `refusal`. Nil means the newest.
    public struct HistoryPlace: Equatable, Sendable {
        public let before: Int?
        public let refusal: Int?

        public init(before: Int? = nil, refusal: Int? = nil) {
            (self.before, self.refusal) = (before, refusal)
        }
    }

    /// Returns a session's records from a place on, newest first: at most `limit`, and fewer if they are large.
    /// `next` is the start of the following page; nil on the last one.
    public func history(of session: Session, from place: HistoryPlace = .init(), limit: Int)
        -> HistoryPage
    {
        page(from: place, limit: limit, HistoryWalk(session, from: place, ring, refusals))
    }

    /// Returns a page of history from recorded rows, newest first. `rows` are at least those of the page, or
    /// all rows of the session if `isAll` is true. `newest` is the session's newest row at the time of the
    /// query. Refusals come from memory unless they are recorded.
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
    /// Creates the place after a record. It remains valid when newer records are added.
    fileprivate init(after record: Sessions.Record) {
        switch record {
        case .change(let change): self.init(before: change.seq)
        case .refusal(let refusal): self.init(before: refusal.seq + 1, refusal: refusal.number)
        }
    }
}
