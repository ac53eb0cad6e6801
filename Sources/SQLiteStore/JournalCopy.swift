internal import CSQLite
internal import Glibc
public import Journal

/// A new journal file with the rows of another store. It gets its name when it is complete,
/// verified and durable. Its calls block on the disk.
public final class JournalCopy {
    private let path: String
    private let part: String
    private var file: JournalFile?

    /// Begins a copy at a path that does not exist.
    public init(to path: String) throws(SQLiteError) {
        (self.path, part) = (path, "\(path).part")
        guard access(path, F_OK) != 0 else {
            throw SQLiteError(code: SQLITE_CANTOPEN, "there is something at \(path)")
        }
        let descriptor = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SQLiteError(
                code: SQLITE_CANTOPEN, "\(part): \(String(cString: strerror(errno)))")
        }
        close(descriptor)
        do throws(SQLiteError) { file = try JournalFile(new: part) } catch {
            Self.remove(part)
            throw error
        }
    }

    deinit {
        guard exchange(&file, with: nil) != nil else { return }
        Self.remove(part)
    }

    private static func remove(_ part: String) {
        for end in ["", "-wal", "-journal"] { unlink(part + end) }
    }

    /// Adds the next rows.
    public func append(_ rows: [JournalRow]) throws(SQLiteError) { try file?.append(rows) }

    /// Adds a note about the journal.
    public func note(_ name: String, _ value: String) throws(SQLiteError) {
        try file?.note(name, value)
    }

    /// Records that rows up to a position were removed from the journal.
    public func notePruned(upTo position: Int) throws(SQLiteError) {
        try file?.note("pruned", String(position))
    }

    /// Reads the copy, makes it durable, and gives it its name.
    public func finish() throws(SQLiteError) -> BackupFacts {
        guard let file else { throw SQLiteError(code: SQLITE_MISUSE, "the copy is finished") }
        var scan = JournalScan(pruned: try file.pruned())
        try file.rows { row in
            scan.take(row)
            return true
        }
        try file.checkpoint()
        return try publish(scan)
    }

    private func publish(_ scan: JournalScan) throws(SQLiteError) -> BackupFacts {
        file = nil
        defer { Self.remove(part) }
        return try BackupFacts.publish(part, as: path, scan)
    }
}
