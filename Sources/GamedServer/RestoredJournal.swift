import Durability
import EventLoop
import Journal
import Sessions
import Timers

/// A journal that was read completely at the start, and from which the daemon continues. `StateDirectory` conforms;
/// `Durability` restores the sessions from this journal.
protocol RestoredJournal {
    /// What the rows say about the sessions.
    var content: Sessions.JournalContent { get }
    /// The last time at which a daemon with this journal is known to have run; nil if none ever ran.
    var lastAlive: Instant? { get }
    /// The positions of the rows of the hour before the newest row, by the times of these rows.
    var times: RowTimes { get }
    /// The name by which clients recognise the data; see `instance` in the glossary. The journal records the name. A journal
    /// without rows, and a journal that has lost rows, gets a new name, because numbers of changes are then used again.
    var instance: String { get }
    /// The number of rows.
    var rows: Int { get }
    /// Whether old rows are removed only after the operator allows it, because the clock may be wrong.
    var holdsPruning: Bool { get }
    /// A directory for temporary files, such as the draft of a backup.
    var temporaryDirectory: String { get }
    /// The location of the journal, for the log.
    var location: String { get }
    /// Makes the store for new rows. Call it once.
    func store(on loop: LibeventLoop) throws(EventLoopError) -> any Store
}
