/// A fault that a test puts into the disk under a journal, or into its user, to prove that it is found.
package enum InjectedFault: Sendable {
    /// The syncs of commits are skipped.
    case syncedSeldom
    /// The directory is not synced when a file was made or renamed in it.
    case directoryNotSynced
    /// A batch is not one transaction: its rows are appended one by one.
    case rowsOneByOne
    /// A checkpoint does not sync the database.
    case checkpointNotSynced
    /// The log that an earlier process left is not moved into the database first.
    case logKept
    /// What is read of that log is taken to be on the disk.
    case logTrusted
}
