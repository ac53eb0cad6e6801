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
    /// The transitions out of the state.
    private let transitions: TransitionCounts
    @exclusivity(unchecked) private var present = StayList()
    @exclusivity(unchecked) private var past = StayList()

    init(_ times: StateVisitTimes, _ flow: FlowStays, _ transitions: TransitionCounts) {
        (self.times, self.flow, self.transitions) = (times, flow, transitions)
    }

    /// Counts a transition to another state of the flow; nil for one that is not known.
    func countTransition(to next: StateStays?) {
        if let next { transitions.count(to: next.transitions) }
    }

    /// The session whose stay began first, of those that were not found to be stuck.
    var first: Session? { present.first?.counted }

    /// Adds a session whose stay has begun. `isPast` says whether its stay was read in the journal.
    func add(_ session: Session, isPast: Bool = false) {
        if isPast { past.add(session) } else { present.add(session) }
    }

    /// Whether a session of this state is in a list, because it was not found to be stuck. Only the session at the front of a
    /// list has no older neighbour.
    func has(_ session: Session) -> Bool {
        session.stay.older != nil || present.has(atFront: session) || past.has(atFront: session)
    }

    /// Removes a session from its list if it is in one.
    func removeIfListed(_ session: Session) {
        guard has(session) else { return }
        // A session in the middle of a list needs none of the list's ends.
        if past.has(atAnEnd: session) { past.remove(session) } else { present.remove(session) }
    }

    /// Puts the past stays before the present ones.
    func join() {
        past.append(&present)
        swap(&past, &present)
    }
}
