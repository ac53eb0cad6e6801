package import Durability
package import Journal
package import Sessions
package import Timers

/// The rows of a journal that were read, and the store for further rows: what a `Shard` is restored from.
package struct RestoredRows {
    package let store: any Store
    package let read: ReadRows

    package init(_ read: ReadRows, in store: any Store) { (self.read, self.store) = (read, store) }

    /// No rows, and a store that keeps none.
    package static var none: RestoredRows {
        RestoredRows(
            ReadRows(
                content: Sessions.JournalContent(), times: RowTimes(), lastAlive: nil, count: 0,
                holdsPruning: false), in: NoStore())
    }
}

/// The rows of a journal, as they were read.
package struct ReadRows {
    /// What the rows say about the sessions.
    package let content: Sessions.JournalContent
    /// The positions of the rows of the hour before the newest row, by the times of these rows.
    package let times: RowTimes
    /// The last time at which an owner of the journal is known to have run; nil if none ever ran.
    package let lastAlive: Instant?
    /// The number of rows in the journal.
    package let count: Int
    /// Whether old rows are removed only after the operator allows it, because the clock may be wrong.
    package let holdsPruning: Bool

    package init(
        content: Sessions.JournalContent, times: RowTimes, lastAlive: Instant?, count: Int,
        holdsPruning: Bool
    ) {
        (self.content, self.times, self.lastAlive) = (content, times, lastAlive)
        (self.count, self.holdsPruning) = (count, holdsPruning)
    }
}
