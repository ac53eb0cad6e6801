import Journal
import Ownership
import PostgresStore
import SQLiteStore
import Shell

/// The journal from which a session is erased: a state directory's, a backup, or the rows of the session's shard in a database.
struct ErasableJournal {
    private enum Origin {
        case file(directory: String?)
        case database(PostgresErasure)
    }

    private let origin: Origin
    private let path: String

    /// Opens the journal. `path` is a directory, a backup or the URL of a database. No process may have a directory or a backup
    /// open; nodes may use a database.
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

    /// Says where copies of the erased rows may still exist, for the report.
    var remainingCopies: String {
        switch origin {
        case .file: "earlier backups still contain them"
        case .database:
            "earlier backups still contain them, and the server's files until `VACUUM FULL gamed_row`"
        }
    }

    /// The rows that `erase` would remove. Throws if a session of this name is open.
    func erasure(of session: String) throws(ErasureError) -> Erasure {
        switch origin {
        case .file(let directory):
            let name = directory.map { "\($0)/\(JournalFile.name)" } ?? path
            let file: JournalFile
            do throws(SQLiteError) { file = try JournalFile(reading: name) } catch {
                throw .storage(StoreError(opening: error))
            }
            return try file.erasure(of: session)
        case .database(let database): return try database.erasure(of: session)
        }
    }

    /// Erases all sessions of a name.
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
        let (lock, file): (DirectoryLock?, JournalFile)
        do throws(DirectoryLock.LockError) {
            lock = if let directory { try DirectoryLock(directory) } else { nil }
        } catch {
            throw .busy("\(TerminalSafe.escaped(path)): in use; a gamed has it open")
        }
        defer { withExtendedLifetime(lock) {} }
        do throws(SQLiteError) {
            file =
                if let directory { try JournalFile(directory) } else {
                    try JournalFile(existing: path)
                }
        } catch { throw OpenJournal.failure(StoreError(opening: error), path) }
        return Result { () throws(ErasureError) in try file.erase(session) }
    }
}
