package import Durability
import Support

/// The clients whose output waits for rows to become durable, each with the oldest row that it waits for. After a commit only
/// those are called whose rows it contained: with many clients, a commit contains the rows of a few.
package struct DurabilityQueue<Waiter> {
    private var waiters: [(row: Int, waiter: Waiter)] = []

    /// Adds a waiter, which must not be in the queue. The row 0 means the next commit.
    package mutating func add(_ waiter: Waiter, until row: Int) { waiters.append((row, waiter)) }

    /// Removes and returns all waiters.
    package mutating func takeAll() -> [Waiter] { exchange(&waiters, with: []).map(\.waiter) }

    /// Removes and returns the waiters that an outcome of the store concerns, in the order in which they were added. If it has
    /// made rows durable, these are the waiters of rows up to `durable`; otherwise all.
    package mutating func take(after outcome: GroupCommit.Outcome, durable: Int) -> [Waiter] {
        let newest = if case .durable = outcome { durable } else { Int.max }
        var taken: [Waiter] = []
        waiters.removeAll {
            if $0.row <= newest { taken.append($0.waiter) }
            return $0.row <= newest
        }
        return taken
    }
}
