/// A linked list of sessions in the order in which their stays began. The links are in the sessions.
struct StayList {
    private(set) var first: SessionLink?
    private var last: SessionLink?

    /// How many sessions `add` passes at most to find the place of a stay that began earlier.
    private static let stepLimit = 1000

    func has(atAnEnd session: Session) -> Bool {
        first == SessionLink(session) || last == SessionLink(session)
    }

    func has(atFront session: Session) -> Bool { first == SessionLink(session) }

    /// Adds a session. Usually its stay began last. Only an undo and a move add a stay that began earlier; if very many stays
    /// began later, the session is added before the last thousand, and is found to be stuck later than it should be.
    mutating func add(_ session: Session) {
        var (older, steps) = (last, 0)
        while let candidate = older, candidate.since > session.stay.since, steps < Self.stepLimit {
            older = candidate.older
            steps += 1
        }
        let newer = older.map(\.newer) ?? first
        session.stay.older = older
        session.stay.newer = newer
        let link = SessionLink(session)
        if let older { older.newer = link } else { first = link }
        if let newer { newer.older = link } else { last = link }
    }

    mutating func remove(_ session: Session) {
        let (older, newer) = (session.stay.older, session.stay.newer)
        if let older { older.newer = newer } else { first = newer }
        if let newer { newer.older = older } else { last = older }
        session.stay.older = nil
        session.stay.newer = nil
    }

    /// Moves all sessions of another list behind those of this one.
    mutating func append(_ other: inout StayList) {
        guard let head = other.first else { return }
        if let last {
            last.newer = head
            head.older = last
        } else {
            first = head
        }
        last = other.last
        other = StayList()
    }
}

/// A session's present stay in a state, as far as it is durable.
struct Stay {
    /// The state; nil if it is not known, or if there are too many states.
    var state: StateStays?
    /// When the stay began, in nanoseconds of a `UptimeClock`.
    var since: Int64 = 0
    /// The neighbours in the list.
    var older: SessionLink?
    var newer: SessionLink?
}

extension Session {
    /// Leaves the list of the session's state; its stay goes on.
    func leaveList() { stay.state?.removeIfListed(self) }

    /// Ends the session's stay.
    func leaveState() {
        leaveList()
        stay.state = nil
    }
}
