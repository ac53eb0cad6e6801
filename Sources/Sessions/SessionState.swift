internal import GameFlow
internal import Timers

/// A session as it was before a call changed it.
///
/// An undo leads back to it. While the store cannot record the change, clients see it. It is a class, because the list of what
/// can be undone and the list of the rows that are not durable share one object.
final class SessionState {
    let machine: MachineState
    /// The session's newest change; nil before the opening.
    let change: Change?
    let notes: SessionNotes?
    let enteredAt: Instant?
    let lastRefusal: Int

    /// Describes the session as it is now. `firing` is the firing that the call handles; nil if it handles none.
    init(_ session: Session, firing: Firing? = nil) {
        machine = MachineState(session.machine, firing: firing, at: session.sessions.now)
        (change, notes) = (session.last, session.notes)
        (enteredAt, lastRefusal) = (session.enteredAt, session.lastRefusal)
    }

    /// The approximate number of bytes of the deferred events and the message.
    var weight: Int {
        let message = notes?.message?.text.utf8.count ?? 0
        let waiting = machine.waiting
        return waiting.isEmpty ? message : waiting.reduce(message) { $0 + $1.event.weight }
    }
}
