import Durability
import EventLoop
import Journal
import Sessions
import Timers

/// A journal that was read completely at the start, and from which the daemon continues.
protocol RestoredJournal {
    /// The content of the journal, from which the sessions are restored.
    var content: Sessions.JournalContent { get }
    /// The last time at which a daemon with this journal is known to have run; nil if none ever ran.
    var lastAlive: Instant? { get }
    /// The positions of the rows of the last hour, by the times of these rows.
    var times: RowTimes { get }
    /// The instance name of the daemon whose state is continued.
    var instance: String { get }
    /// The number of rows.
    var rows: Int { get }
    /// Whether old rows are removed only after the operator allows it.
    var holdsPruning: Bool { get }
    /// A directory for temporary files, such as the draft of a backup.
    var temporaryDirectory: String { get }
    /// The location of the journal, for the log.
    var location: String { get }
    /// The store for new rows.
    func store(on loop: LibeventLoop) throws(EventLoopError) -> any Store
}
