public import GameFlow
public import Timers

/// One change of one session: the step, its source, and the session's state before and after.
///
/// This is a class, so that the ring of the newest changes, the idempotency cache and the queues of all watchers share one
/// object. The object is small and refers to shared objects. Its JSON is written only when the change is sent. If changes were
/// kept as JSON, the newest changes in the ring would not fit into a processor's cache.
public final class Change: Sendable {
    public let session: SessionName
    /// The number of the change within its session, without gaps; the opening is 1.
    public let seq: Int
    /// The number of the change within the daemon, counted from 1 without gaps.
    public let pos: Int
    /// When the change was made, by the clock of the sessions.
    public let at: Instant
    /// The event or the operator's command, its source, and the states before and after.
    public let step: Step
    /// What the change has besides its step; nil if it has nothing.
    package let details: Details?
    /// What the change did to the message on the session's screens; nil if the message is the same as before. Nil for a
    /// change of the kind `say`, whose details contain the message.
    package let message: MessageUpdate?
    /// The session's entry after this change: the `pos` of the change that entered the state. It identifies one stay in
    /// a state and is never reused.
    public let entry: Int
    /// What clients see of the flow's states; nil if the flow hides nothing and its screens do not depend on the data.
    package let view: ClientView?
    /// The `pos` of the session's previous change; 0 for the session's first change.
    let previous: Int
    /// Whether no later change of the session was made. Only the owner of the sessions uses it, on its thread.
    @exclusivity(unchecked) nonisolated(unsafe) var isNewest = true

    /// What a change did to the message on a session's screens.
    package indirect enum MessageUpdate: Equatable, Sendable {
        /// The screens show this message from now on.
        case shown(ScreenMessage)
        /// The screens show no message any more.
        case ended
    }

    package init(
        _ session: SessionName, seq: Int, pos: Int, entry: Int, previous: Int, at instant: Instant,
        _ step: consuming Step, details: Details? = nil, message: MessageUpdate? = nil,
        view: ClientView?
    ) {
        self.view = view
        self.message = message
        self.entry = entry
        (self.session, self.seq, self.pos, self.previous) = (session, seq, pos, previous)
        at = instant
        self.details = details
        self.step = step
    }

    /// What caused the change: an event or a kind of command.
    public var kind: Step.Kind { step.kind }

    /// The numbers (`seq`) of the changes that this change took back; nil if it took none back.
    package var undone: ClosedRange<Int>? { details?.value.undone }

    /// The approximate number of bytes from clients that the change retains. The number is computed each time, because a stored
    /// number would take memory for every session: each session keeps its newest change.
    var weight: Int {
        var weight = 0
        // The names of the event and the state are not counted, because they belong to the flow.
        if let event = step.event, !event.arguments.isEmpty { weight += event.arguments.weight }
        if let place = step.to, !place.data.isEmpty { weight += place.data.weight }
        if let details { weight += details.value.weight }
        if case .shown(let message) = message { weight += message.text.utf8.count }
        return weight
    }
}
