internal import GameFlow
internal import Timers

/// A session as it was before a call changed it.
///
/// An undo leads back to it. While the store cannot record the change, clients see it. It is a class, because the list of what
/// can be undone and the list of the rows that are not durable share one object.
final class SessionState: RingElement {
    let machine: MachineState
    /// The session's newest change, for clients during an outage; nil if changes are not recorded.
    let change: Change?
    let notes: SessionNotes?
    let enteredAt: Instant?
    let lastRefusal: Int

    /// Describes the session as it is now. `firing` is the firing that the call handles; nil if it handles none.
    init(_ session: Session, firing: Firing? = nil) {
        machine = MachineState(session.machine, firing: firing, at: session.sessions.now)
        change = session.sessions.isRecorded ? session.last : nil
        notes = session.notes
        (enteredAt, lastRefusal) = (session.enteredAt, session.lastRefusal)
    }

    /// The approximate number of bytes from clients that the object retains.
    var weight: Int {
        // The change has led to the place, so both have the same data.
        var weight = change?.weight ?? machine.place.data.weight
        weight += notes?.message?.text.utf8.count ?? 0
        for event in machine.waiting { weight += event.event.weight }
        return weight
    }
}
