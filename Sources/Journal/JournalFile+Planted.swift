extension JournalFile {
    /// Mistakes in how the journal goes about the disk. Tests switch them on, to prove that they
    /// would be caught if somebody made them; nothing else sets any.
    package struct Planted: OptionSet, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }

        /// Commits are not synced: `synchronous=NORMAL` instead of `FULL`.
        package static let syncedSeldom = Planted(rawValue: 1)
        /// The directory is not synced after a file was made in it.
        package static let directoryNotSynced = Planted(rawValue: 2)
        /// A batch is not one transaction: each row is one of its own.
        package static let rowsOneByOne = Planted(rawValue: 4)
        /// From the first checkpoint on, nothing is synced.
        package static let checkpointNotSynced = Planted(rawValue: 8)
        /// The log that an earlier process left is gone on with.
        package static let logKept = Planted(rawValue: 16)
        /// What is read of that log is taken to be on the disk.
        package static let logTrusted = Planted(rawValue: 32)
    }
}
