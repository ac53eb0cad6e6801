internal import CSQLite
package import Journal

/// A copy in a new `JournalFile`.
package final class SQLiteJournalCopy: JournalCopy {
    /// The path of the complete copy.
    private let path: String
    /// The path of the copy until it is complete (`PartFile`).
    private let part: String
    /// The copy while it is written; nil when it has its final name.
    private var file: JournalFile?

    /// Begins a copy at a path that does not exist.
    package init(to path: String) throws(StoreError) {
        self.path = path
        do throws(SQLiteError) { part = try PartFile.create(for: path) } catch {
            throw StoreError(error)
        }
        do throws(SQLiteError) { file = try JournalFile(new: part) } catch {
            PartFile.remove(part)
            throw StoreError(error)
        }
    }

    deinit {
        guard exchange(&file, with: nil) != nil else { return }
        PartFile.remove(part)
    }

    package func append(_ rows: [JournalRow]) throws(StoreError) {
        try use { (file) throws(SQLiteError) in try file.append(rows) }
    }

    package func setNote(_ name: String, _ value: String) throws(StoreError) {
        try use { (file) throws(SQLiteError) in try file.setNote(name, value) }
    }

    package func recordPruned(upTo position: Int) throws(StoreError) {
        try setNote(JournalNote.pruned, String(position))
    }

    package func finish() throws(StoreError) -> BackupSummary {
        let scan = try use { (file) throws(SQLiteError) in
            var scan = JournalScan(prunedUpTo: try file.prunedUpTo())
            try file.rows { row in
                scan.add(row)
                return true
            }
            try file.updateIndex()
            try file.checkpoint()
            return scan
        }
        // Closes the copy.
        file = nil
        defer { PartFile.remove(part) }
        do throws(SQLiteError) { return try BackupSummary.publish(part, as: path, scan) } catch {
            throw StoreError(error)
        }
    }

    /// Calls a function with the copy. Throws if the copy is finished.
    private func use<T>(_ function: (JournalFile) throws(SQLiteError) -> T) throws(StoreError) -> T
    {
        do throws(SQLiteError) {
            guard let file else { throw SQLiteError(code: SQLITE_MISUSE, "the copy is finished") }
            return try function(file)
        } catch { throw StoreError(error) }
    }
}
