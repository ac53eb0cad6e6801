internal import CSQLite
internal import Journal

/// A backup in progress while the journal is in use. It copies a few pages at a time. It uses the
/// connection that writes, so the copy also has the rows that are written in the meantime.
final class Backup {
    private let path: String
    /// The path of the copy until it is complete.
    private let part: String
    /// Additional notes in the copy, by name.
    private let notes: [String: String]
    private var target: SQLiteDatabase?
    /// SQLite's object for the copying of pages; nil when all pages are copied.
    private var handle: OpaquePointer?
    /// The copy, when all pages are copied and its rows are being verified; nil before.
    private var copy: JournalFile?
    /// What was found in the rows of the copy that were read.
    private var scan = JournalScan()
    /// The number of pages that one step copies. Between two steps, the journal can be written.
    private static let pagesPerStep: Int32 = 256
    /// The number of rows of the copy that one step reads.
    private static let rowsPerStep = 4096

    /// Begins to copy to a path that does not exist. Wraps `sqlite3_backup_init`.
    init(of source: JournalFile, to path: String, notes: [String: String] = [:])
        throws(SQLiteError)
    {
        (self.path, self.notes) = (path, notes)
        part = try PartFile.create(for: path)
        let target = try SQLiteDatabase(part, creates: true)
        handle = sqlite3_backup_init(target.handle, "main", source.database.handle, "main")
        guard handle != nil else { throw SQLiteError(target.handle) }
        self.target = target
    }

    deinit {
        if handle != nil { sqlite3_backup_finish(handle) }
        (target, copy) = (nil, nil)
        PartFile.remove(part)
    }

    /// Copies some pages, or verifies some rows. Returns the description of the backup when it is finished, else nil.
    func step() throws(SQLiteError) -> BackupSummary? {
        if let copy { return try read(copy) }
        switch sqlite3_backup_step(handle, Self.pagesPerStep) {
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
        for (name, value) in notes { try copy.setNote(name, value) }
        scan = JournalScan(prunedUpTo: try copy.pruned())
        self.copy = copy
    }

    /// Reads some rows of the copy. Gives the copy its final name after it has read all rows.
    private func read(_ copy: JournalFile) throws(SQLiteError) -> BackupSummary? {
        var remaining = Self.rowsPerStep
        try copy.rows(after: scan.newestPosition) { row in
            scan.add(row)
            remaining -= 1
            return remaining > 0
        }
        if remaining <= 0 { return nil }
        // Moves the log into the file, so that the copy is a single file, which can be moved elsewhere.
        try copy.checkpoint()
        self.copy = nil
        return try BackupSummary.publish(part, as: path, scan)
    }
}
