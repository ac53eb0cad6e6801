/// Where an event came from, and what it was called there. Its `EventRecord` is only made for somebody who watches: see
/// `AnyFlow.happening(_:)`.
public struct EventContext: Sendable {
    @usableFromInline enum Origin: Sendable {
        /// Somebody gave an order: there is no event.
        case order
        /// The event of that number in the flow's order, by its name.
        case event(Int)
        /// A timer's signal.
        case signal(UInt8)
    }

    @usableFromInline let origin: Origin
    @usableFromInline let arguments: [Member]
    public let source: Source
    /// How many beats of its pendulum were skipped before this one.
    public let missed: Int

    @inlinable init(
        _ origin: Origin, _ source: Source, _ arguments: [Member] = [], missed: Int = 0
    ) {
        (self.origin, self.arguments) = (origin, arguments)
        (self.source, self.missed) = (source, missed)
    }
}
