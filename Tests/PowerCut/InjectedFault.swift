/// A fault that a test injects into the disk or into the use of a journal. The test proves that the exploration finds the
/// fault.
package enum InjectedFault: Sendable {
    /// Commits do not sync the log.
    case commitNotSynced
    /// The directory is not synced after a file was created or renamed.
    case directoryNotSynced
    /// The rows of a batch are appended in separate transactions.
    case rowsOneByOne
    /// A checkpoint does not sync the database.
    case checkpointNotSynced
    /// The log of an earlier process is not moved into the database when the journal is opened.
    case logKept
    /// The log of an earlier process is read from the page cache, which may differ from the disk.
    case logTrusted
}
