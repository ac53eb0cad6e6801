internal import CSQLite
public import Journal

/// A new journal file that gets the rows of another store, such as a PostgreSQL database. It gets its final name only when it
/// is complete, verified and durable. Its calls block on the disk.
public final class JournalCopy {
    /// The path of the complete copy.
    private let path: String
    /// The path of the copy until it is complete (`PartFile`).
    private let part: String
    /// The copy while it is written; nil when it has its final name.
    private var file: JournalFile?

    /// Begins a copy at a path that does not exist.
    public init(to path: String) throws(SQLiteError) {
        self.path = path
        part = try PartFile.create(for: path)
        do throws(SQLiteError) { file = try JournalFile(new: part) } catch {
            PartFile.remove(part)
            throw error
        }
    }

    deinit {
        guard exchange(&file, with: nil) != nil else { return }
        PartFile.remove(part)
    }

    /// Adds the next rows.
    public func append(_ rows: [JournalRow]) throws(SQLiteError) { try file?.append(rows) }

    /// Adds a note about the journal.
    public func setNote(_ name: String, _ value: String) throws(SQLiteError) {
        try file?.setNote(name, value)
    }

    /// Records the position up to which rows were removed from the other store because of their age.
    public func recordPruned(upTo position: Int) throws(SQLiteError) {
        try file?.setNote(JournalFile.prunedNote, String(position))
    }

    /// Verifies the copy, makes it durable, and gives it its final name. No method may be called afterwards.
    public func finish() throws(SQLiteError) -> BackupSummary {
        guard let file else { throw SQLiteError(code: SQLITE_MISUSE, "the copy is finished") }
        var scan = JournalScan(prunedUpTo: try file.prunedUpTo())
        try file.rows { row in
            scan.add(row)
            return true
        }
        try file.updateIndex()
        try file.checkpoint()
        return try publish(scan)
    }

    /// Closes the copy, and gives it its final name.
    private func publish(_ scan: JournalScan) throws(SQLiteError) -> BackupSummary {
        file = nil
        defer { PartFile.remove(part) }
        return try BackupSummary.publish(part, as: path, scan)
    }
}
