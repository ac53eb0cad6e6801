/// The cause of a step: the sender, and the event with its arguments as received. An `EventRecord`, which has the event's name,
/// takes longer to make. It is made from the context only if the step is observed; see `AnyFlow.eventRecord(_:)`.
public struct EventContext: Sendable {
    /// What caused the step.
    @usableFromInline enum Origin: Sendable {
        /// A command without an event: to open the session (`open`), or to enter a state (`goto`).
        case command
        /// The event at this index of the flow's list of events; it was sent by name.
        case event(Int)
        /// The signal of a timer: the timer's tag, which is the raw value of the signal.
        case signal(UInt8)
    }

    @usableFromInline let origin: Origin
    /// The event's arguments as received; empty for a command or a signal.
    @usableFromInline let arguments: [Member]
    /// The sender of the event or of the command.
    public let source: Source
    /// If a pendulum sent the event: the number of periods that were missed before this event; otherwise 0.
    public let missed: Int

    @inlinable init(
        _ origin: Origin, _ source: Source, _ arguments: [Member] = [], missed: Int = 0
    ) {
        (self.origin, self.arguments) = (origin, arguments)
        (self.source, self.missed) = (source, missed)
    }
}
