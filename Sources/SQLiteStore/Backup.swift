internal import CSQLite
internal import Journal

/// A backup in progress while the journal is in use. Each call of `step` copies a few pages, or verifies a few rows of the
/// copy. The pages are copied with the database connection that writes the journal. The copy therefore also has the rows that
/// are written in the meantime.
final class Backup {
    /// The path of the complete copy.
    private let path: String
    /// The path of the copy until it is complete (`PartFile`).
    private let part: String
    /// Notes that are added to the copy, by name.
    private let notes: [String: String]
    /// The copy while its pages are copied; nil afterwards.
    private var target: SQLiteDatabase?
    /// SQLite's object for the copying of pages; nil when all pages are copied.
    private var handle: OpaquePointer?
    /// The copy while its rows are verified; nil before and afterwards.
    private var copy: JournalFile?
    /// What was found in the rows of the copy that were read.
    private var scan = JournalScan()
    /// The number of pages that one call of `step` copies. Between two calls, the journal can be written.
    private static let pagesPerStep: Int32 = 256
    /// The number of rows of the copy that one call of `step` verifies.
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
        // Closes the copy before its file is removed.
        (target, copy) = (nil, nil)
        PartFile.remove(part)
    }

    /// Copies some pages, or verifies some rows. Returns the description of the backup when it is finished, else nil.
    func step() throws(SQLiteError) -> BackupSummary? {
        if let copy { return try verify(copy) }
        switch sqlite3_backup_step(handle, Self.pagesPerStep) {
        case SQLITE_OK: return nil
        case SQLITE_DONE:
            try openCopy()
            return nil
        case let code: throw SQLiteError(code)
        }
    }

    /// Ends the copying of pages, and opens the copy to verify its rows.
    private func openCopy() throws(SQLiteError) {
        let result = sqlite3_backup_finish(handle)
        handle = nil
        target = nil
        guard result == SQLITE_OK else { throw SQLiteError(result) }
        let copy = try JournalFile(existing: part)
        for (name, value) in notes { try copy.setNote(name, value) }
        scan = JournalScan(prunedUpTo: try copy.prunedUpTo())
        self.copy = copy
    }

    /// Verifies the next rows of the copy. After the last row, gives the copy its final name and returns its description.
    private func verify(_ copy: JournalFile) throws(SQLiteError) -> BackupSummary? {
        var remainingRows = Self.rowsPerStep
        try copy.rows(after: scan.newestPosition) { row in
            scan.add(row)
            remainingRows -= 1
            return remainingRows > 0
        }
        if remainingRows <= 0 { return nil }
        // Moves the write-ahead log into the file, so that the copy is a single file, which can be moved elsewhere.
        try copy.checkpoint()
        self.copy = nil
        return try BackupSummary.publish(part, as: path, scan)
    }
}
