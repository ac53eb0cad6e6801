/// The time in which one turn of the loop writes to clients. What is left is written in the next turns, so that a change that
/// thousands of clients watch delays neither timers nor requests.
package struct DeliveryTime {
    private let limit: Duration
    private var count = 0
    /// When the first clients had been served; nil before.
    private var start: ContinuousClock.Instant?
    package private(set) var isOver = false

    /// The clock is read only after each so many clients, because reading it costs time. The first ones do not count.
    private static let step = 16

    package init(limit: Duration) { self.limit = limit }

    /// Call this after each client.
    package mutating func clientWasServed() {
        count += 1
        guard count.isMultiple(of: Self.step) else { return }
        let now = ContinuousClock.now
        if let start { isOver = now - start > limit } else { start = now }
    }
}
