/// What the metrics show of a journal.
package struct JournalFigures {
    /// The position of the newest row; in a database, the sum of these positions of all shards.
    package let rows: Int
    /// The size of the journal in bytes.
    package let bytes: Int
    /// When the last complete backup was made, in seconds since 1970; 0 if none was made.
    package var lastBackup: Int
}

/// A journal in a directory or in a database, which has figures and keeps the time of its last backup.
package protocol JournalFigureSource: AnyObject {
    /// The present figures; nil if they are not known yet. Read them only for somebody who wants to see them.
    var figures: JournalFigures? { get }
    /// Records that a backup is complete.
    func noteBackup()
}
