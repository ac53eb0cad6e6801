/// The sessions of one daemon, or of one shard, that are in one state, in the order in which their stays began.
///
/// The same time applies to all stays in a state, so the session at the front always exceeds it first. The sessions are a linked
/// list: a session that enters a state is moved from one list to the end of another in constant time, and the list itself takes
/// no memory.
///
/// There are two lists. `past` has the sessions whose stays were read in the journal, and `present` those that entered the state
/// since. All stays of the former began earlier. `join` puts them together when the journal is read.
final class StateStays {
    let times: StateVisitTimes
    /// The states of the same version of the flow.
    unowned let flow: FlowStays
    /// The state that a session entered last from this state; most sessions take the same way.
    @exclusivity(unchecked) unowned(unsafe) var usualNext: StateStays?
    @exclusivity(unchecked) private var present = StayList()
    @exclusivity(unchecked) private var past = StayList()

    init(_ times: StateVisitTimes, _ flow: FlowStays) { (self.times, self.flow) = (times, flow) }

    /// The session whose stay began first, of those that were not found to be stuck.
    var first: Session? { present.first }

    /// Adds a session whose stay has begun. `isPast` says whether its stay was read in the journal.
    func add(_ session: Session, isPast: Bool = false) {
        if isPast { past.add(session) } else { present.add(session) }
    }

    /// Removes a session that was added and not removed since.
    func remove(_ session: Session) {
        // A session in the middle of a list needs none of the list's ends.
        if past.has(atAnEnd: session) { past.remove(session) } else { present.remove(session) }
    }

    /// Puts the past stays before the present ones.
    func join() {
        past.append(&present)
        swap(&past, &present)
    }
}

/// The states of one version of a flow that sessions are in or were in.
final class FlowStays {
    let version: FlowVersion
    private(set) var states: [StateStays] = []

    init(_ version: FlowVersion) { self.version = version }

    func find(_ state: String) -> StateStays? { states.first { $0.times.state == state } }

    func add(_ times: StateVisitTimes) -> StateStays {
        let new = StateStays(times, self)
        states.append(new)
        return new
    }
}

/// A linked list of sessions in the order in which their stays began. The links are in the sessions.
struct StayList {
    private(set) unowned(unsafe) var first: Session?
    private(set) unowned(unsafe) var last: Session?

    /// How many sessions `add` passes at most to find the place of a stay that began earlier.
    private static let stepLimit = 1000

    func has(atAnEnd session: Session) -> Bool { first === session || last === session }

    /// Adds a session. Usually its stay began last. Only an undo and a move add a stay that began earlier; if very many stays
    /// began later, the session is added before the last thousand, and is found to be stuck later than it should be.
    mutating func add(_ session: Session) {
        var (older, steps) = (last, 0)
        while let candidate = older, candidate.stay.since > session.stay.since,
            steps < Self.stepLimit
        {
            older = candidate.stay.older
            steps += 1
        }
        let newer = older.map { $0.stay.newer } ?? first
        session.stay.older = older
        session.stay.newer = newer
        if let older { older.stay.newer = session } else { first = session }
        if let newer { newer.stay.older = session } else { last = session }
    }

    mutating func remove(_ session: Session) {
        let (older, newer) = (session.stay.older, session.stay.newer)
        if let older { older.stay.newer = newer } else { first = newer }
        if let newer { newer.stay.older = older } else { last = older }
        session.stay.older = nil
        session.stay.newer = nil
    }

    /// Moves all sessions of another list behind those of this one.
    mutating func append(_ other: inout StayList) {
        guard let head = other.first else { return }
        if let last {
            last.stay.newer = head
            head.stay.older = last
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
    /// When the stay began, in nanoseconds of a `StayClock`.
    var since: Int64 = 0
    /// Whether the session is in the list of the state: it was not found to be stuck.
    var isListed = false
    /// The neighbours in the list. A session leaves its list before it is released.
    unowned(unsafe) var older: Session?
    unowned(unsafe) var newer: Session?
}
