import Journal
import LocalJournals
import Ownership
import PostgresStore
import Shell

/// The journal from which `gamectl journal forget` erases the sessions of one name. It is the journal of a state directory, a
/// backup, or the rows of one shard in a database. The name of the sessions determines the shard.
struct ErasableJournal {
    /// Where the rows are.
    private enum Origin {
        /// The state directory; nil for a backup.
        case file(directory: String?)
        case database(PostgresErasure)
    }

    private let origin: Origin
    /// The state directory, the backup or the URL.
    private let path: String

    /// Opens the journal for the erasure of `session`. `path` is a state directory, a backup or the URL of a database. No
    /// process may use the directory or the backup meanwhile; nodes may use the database.
    init(_ path: String, for session: String) throws(CommandError) {
        self.path = path
        guard PostgresLocation.isURL(path) else {
            origin = .file(directory: try OpenJournal(directoryOrBackup: path).directory)
            return
        }
        let location = try OpenJournal.location(path)
        let shard = ShardOfSession.shard(of: session, shards: OwnershipSettings().shards)
        do throws(PostgresError) {
            origin = .database(try PostgresErasure(location, shard: shard))
        } catch { throw .malformed(["the database: \(TerminalSafe.escaped(error.why))"]) }
    }

    /// Where copies of the erased rows may still exist: the end of a sentence about these rows.
    var remainingCopies: String {
        switch origin {
        case .file(let directory):
            (["earlier backups"]
                + (directory.map { LocalJournals.kind(in: $0).keptCopies(in: $0) } ?? [])
                .map(TerminalSafe.escaped))
                .joined(separator: " and ") + " still contain them"
        case .database:
            "earlier backups still contain them; the server's files contain them until "
                + "`VACUUM FULL gamed_row`"
        }
    }

    /// The rows that `erase` would remove; changes nothing. Throws if a session of this name is open.
    func erasure(of session: String) throws(ErasureError) -> Erasure {
        switch origin {
        case .file(let directory):
            let kind = LocalJournals.kind(in: directory)
            let filePath = directory.map { "\($0)/\(kind.fileName)" } ?? path
            let file: any LocalJournal
            do throws(StoreError) { file = try kind.init(reading: filePath) } catch {
                throw .storage(error)
            }
            return try file.erasure(of: session)
        case .database(let database): return try database.erasure(of: session)
        }
    }

    /// Erases all sessions of a name. Throws if the journal cannot be opened. Returns a failure if the rows cannot be erased,
    /// for example because a session of this name is open.
    func erase(_ session: String) throws(CommandError) -> Result<Erasure, ErasureError> {
        switch origin {
        case .file(let directory): try erase(session, from: directory)
        case .database(let database):
            Result { () throws(ErasureError) in try database.erase(session) }
        }
    }

    private func erase(_ session: String, from directory: String?) throws(CommandError)
        -> Result<Erasure, ErasureError>
    {
        let (lock, file): (DirectoryLock?, any LocalJournal)
        do throws(DirectoryLock.LockError) {
            lock = if let directory { try DirectoryLock(directory) } else { nil }
        } catch {
            throw .busy("\(TerminalSafe.escaped(path)): in use; a gamed has it open")
        }
        // Until the rows are erased, no daemon can start in the directory.
        defer { withExtendedLifetime(lock) {} }
        let kind = LocalJournals.kind(in: directory)
        do throws(StoreError) {
            file =
                if let directory {
                    try kind.init(in: directory, converting: nil) { _, _ in }
                } else {
                    try kind.init(existing: path)
                }
        } catch { throw OpenJournal.failure(error, path) }
        return Result { () throws(ErasureError) in try file.erase(session) }
    }
}
