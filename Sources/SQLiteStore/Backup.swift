internal import CSQLite
internal import Glibc
internal import Journal

/// A copy of the journal in the making, while the journal goes on: a few pages at a time, on the
/// connection that writes, so that what is written meanwhile is in the copy, too.
final class Backup {
    private let path: String
    private let part: String
    /// What the copy says of itself besides, by name.
    private let notes: [String: String]
    private var target: SQLiteDatabase?
    private var handle: OpaquePointer?
    /// The copy, once it is all there and is being read.
    private var copy: JournalFile?
    private var scan = JournalScan()
    /// Whether it was made here what stands beside the path.
    private var isMine = false
    /// How many pages are copied, and how many rows read, before a commit may have its turn.
    private static let (pages, rows): (Int32, Int) = (256, 4096)

    /// Begins to copy to a path where nothing is. Wraps `sqlite3_backup_init`.
    init(of source: JournalFile, to path: String, notes: [String: String] = [:])
        throws(SQLiteError)
    {
        (self.path, part, self.notes) = (path, "\(path).part", notes)
        guard access(path, F_OK) != 0 else {
            throw SQLiteError(code: SQLITE_CANTOPEN, "there is something at \(path)")
        }
        let descriptor = open(part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SQLiteError(
                code: SQLITE_CANTOPEN, "\(part): \(String(cString: strerror(errno)))")
        }
        close(descriptor)
        isMine = true
        let target = try SQLiteDatabase(part, creates: true)
        handle = sqlite3_backup_init(target.handle, "main", source.database.handle, "main")
        guard handle != nil else { throw SQLiteError(target.handle) }
        self.target = target
    }

    deinit {
        if handle != nil { sqlite3_backup_finish(handle) }
        (target, copy) = (nil, nil)
        guard isMine else { return }
        for end in ["", "-wal", "-journal"] { unlink(part + end) }
    }

    /// Does some of it; what was done, once that is all.
    func step() throws(SQLiteError) -> BackupFacts? {
        if let copy { return try read(copy) }
        switch sqlite3_backup_step(handle, Self.pages) {
        case SQLITE_OK: return nil
        case SQLITE_DONE:
            try openCopy()
            return nil
        case let code: throw SQLiteError(code)
        }
    }

    private func openCopy() throws(SQLiteError) {
        let result = sqlite3_backup_finish(handle)
        handle = nil
        target = nil
        guard result == SQLITE_OK else { throw SQLiteError(result) }
        let copy = try JournalFile(existing: part)
        for (name, value) in notes { try copy.note(name, value) }
        scan = JournalScan(pruned: try copy.pruned())
        self.copy = copy
    }

    /// Looks at some rows of the copy, and only when it has seen all gives it its name.
    private func read(_ copy: JournalFile) throws(SQLiteError) -> BackupFacts? {
        var left = Self.rows
        try copy.rows(after: scan.head) { row in
            scan.take(row)
            left -= 1
            return left > 0
        }
        if left <= 0 { return nil }
        // In one file, and on the disk, it may be carried about.
        try copy.checkpoint()
        self.copy = nil
        let disk = PlainDisk()
        try disk.sync(part)
        // A link is not made over anything that has come there meanwhile.
        guard link(part, path) == 0, unlink(part) == 0 else {
            throw SQLiteError(code: SQLITE_IOERR, "\(path): \(String(cString: strerror(errno)))")
        }
        try disk.syncDirectory(JournalFile.directory(of: path))
        var status = stat()
        stat(path, &status)
        return BackupFacts(
            bytes: Int(status.st_size), rows: scan.count, sessions: scan.sessions,
            position: scan.head, damaged: scan.damage.count)
    }
}
