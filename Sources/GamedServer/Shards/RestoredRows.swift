import Durability
import Journal
import Sessions
import Timers

/// The rows of a journal that were read, and the store for further rows: what a `Shard` is restored from.
struct RestoredRows {
    let store: any Store
    /// What the rows say about the sessions.
    let content: Sessions.JournalContent
    /// The positions of the rows of the hour before the newest row, by the times of these rows.
    let times: RowTimes
    /// The last time at which an owner of the journal is known to have run; nil if none ever ran.
    let lastAlive: Instant?
    /// The number of rows in the journal.
    let count: Int
    /// Whether old rows are removed only after the operator allows it, because the clock may be wrong.
    let holdsPruning: Bool

    /// The rows of a daemon without a journal.
    static var none: RestoredRows {
        RestoredRows(
            store: NoStore(), content: Sessions.JournalContent(), times: RowTimes(),
            lastAlive: nil, count: 0, holdsPruning: false)
    }
}
