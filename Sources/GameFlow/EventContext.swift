/// The cause of a step: the sender, and the event with its arguments as received. An `EventRecord` of the event is made
/// only if the step is observed; see `AnyFlow.eventRecord(_:)`.
public struct EventContext: Sendable {
    @usableFromInline enum Origin: Sendable {
        /// An order: a command without an event, such as to open a session or to enter a state.
        case order
        /// The event at this index of the flow's list of events; it was sent by name.
        case event(Int)
        /// The signal of a timer.
        case signal(UInt8)
    }

    @usableFromInline let origin: Origin
    @usableFromInline let arguments: [Member]
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
