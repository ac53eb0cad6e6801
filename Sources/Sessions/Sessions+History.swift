/// Who sent what, when, from where, and what became of it; as far as it is remembered.
extension Sessions {
    /// One thing that was done to a session, or was to be.
    public enum Record {
        case change(Change)
        case refusal(RefusedEvent)

        /// The number of the change that it is, or came after.
        var seq: Int {
            switch self {
            case .change(let change): change.seq
            case .refusal(let refusal): refusal.seq
            }
        }
    }

    /// A session's records, newest first: those before change `before`, or all. Some `limit` of them:
    /// a change and what was refused after it stay together, so that the next page begins where this
    /// one ends.
    public func history(of session: Session, before: Int? = nil, limit: Int)
        -> (records: [Record], more: Bool)
    {
        var change = session.last
        var refusal = refusals[session.lastRefusal]
        if let before {
            while let later = change, later.seq >= before { change = ring[later.previous] }
            while let later = refusal, later.seq >= before { refusal = refusals[later.previous] }
        }
        var records: [Record] = []
        while true {
            let next: Record
            if let refusal, refusal.seq >= change?.seq ?? 0 {
                next = .refusal(refusal)
            } else if let change {
                next = .change(change)
            } else {
                return (records, false)
            }
            if records.count >= limit, next.seq != records.last?.seq { return (records, true) }
            records.append(next)
            switch next {
            case .change(let done): change = ring[done.previous]
            case .refusal(let done): refusal = refusals[done.previous]
            }
        }
    }
}
