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
    /// Finds the position of a row by a time, in the hour before the newest row.
    var times: RowTimes { get }
    /// The name by which clients recognise the data; see `instance` in the glossary. A journal whose recorded name cannot be
    /// continued gets a new name.
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
