/// The clients whose output waits for rows to become durable, each with the oldest row that it waits for. After a commit only
/// those are called whose rows it contained: with many clients, a commit contains the rows of a few.
struct DurabilityQueue<Waiter> {
    private var waiters: [(row: Int, waiter: Waiter)] = []

    /// Adds a waiter, which must not be in the queue. The row 0 means the next commit.
    mutating func add(_ waiter: Waiter, until row: Int) { waiters.append((row, waiter)) }

    /// Removes and returns the waiters that wait for rows up to this one, in the order in which they were added.
    mutating func take(upTo row: Int) -> [Waiter] {
        var taken: [Waiter] = []
        waiters.removeAll {
            if $0.row <= row { taken.append($0.waiter) }
            return $0.row <= row
        }
        return taken
    }

    /// Removes and returns all waiters.
    mutating func takeAll() -> [Waiter] { take(upTo: .max) }
}
