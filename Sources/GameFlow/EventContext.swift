/// The origin of an event: its source, and its name and arguments as received. Its `EventRecord` is made only
/// if a step is observed; see `AnyFlow.eventRecord(_:)`.
public struct EventContext: Sendable {
    @usableFromInline enum Origin: Sendable {
        /// An order by an operator, without an event.
        case order
        /// The event with this number in the flow's order; it was sent by name.
        case event(Int)
        /// The signal of a timer.
        case signal(UInt8)
    }

    @usableFromInline let origin: Origin
    @usableFromInline let arguments: [Member]
    public let source: Source
    /// The number of periods that the pendulum missed before this event.
    public let missed: Int

    @inlinable init(
        _ origin: Origin, _ source: Source, _ arguments: [Member] = [], missed: Int = 0
    ) {
        (self.origin, self.arguments) = (origin, arguments)
        (self.source, self.missed) = (source, missed)
    }
}
