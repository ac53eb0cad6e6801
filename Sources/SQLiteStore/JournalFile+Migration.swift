internal import CSQLite
internal import Journal
internal import Sessions

/// Converts a journal of an earlier version to the present one.
extension JournalFile {
    /// The number of rows that are read, converted and written at a time.
    private static let rowsPerStep = 1000

    /// Rewrites all rows of a journal of version 1 in the present format, in one transaction: if it
    /// fails, the file is unchanged. The old checksums are verified, and damage that they show is
    /// preserved in the new rows. `reportProgress` is called with the position that was reached, and the newest position.
    func migrate(_ reportProgress: (_ done: Int, _ total: Int) -> Void) throws(SQLiteError) {
        let newest = try newestPosition()
        let pruned = try pruned()
        var (old, new) = (JournalScan(prunedUpTo: pruned), JournalScan(prunedUpTo: pruned))
        try database.transaction { () throws(SQLiteError) in
            let update = try SQLiteStatement(
                "UPDATE row SET body = ?, previous_checksum = ?, checksum = ? WHERE position = ?",
                in: database)
            var last = 0
            while let rows = try nextRows(after: last) {
                for row in rows {
                    let migrated = row.migrated(
                        after: old.newest(row.session), new.newest(row.session))
                    old.add(row)
                    new.add(migrated)
                    try write(migrated, by: update)
                    last = row.position
                }
                reportProgress(last, newest)
            }
            guard old.damage == new.damage, old.untrusted == new.untrusted else {
                throw SQLiteError(
                    code: SQLITE_ERROR, "the converted journal does not have the same damage")
            }
            try setNote("schema", Self.newestVersion)
        }
        try checkpoint()
        // The rows have become shorter. It is not an error if the space cannot be released.
        try? database.run("VACUUM")
        try? checkpoint()
    }

    private func nextRows(after position: Int) throws(SQLiteError) -> [JournalRow]? {
        var found: [JournalRow] = []
        try rows(after: position) { row in
            found.append(row)
            return found.count < Self.rowsPerStep
        }
        return found.isEmpty ? nil : found
    }

    private func write(_ row: JournalRow, by update: SQLiteStatement) throws(SQLiteError) {
        defer { update.reset() }
        try update.bind(1, row.body)
        try update.bind(2, Int(row.previous.checksum))
        try update.bind(3, Int(row.checksum))
        try update.bind(4, row.position)
        _ = try update.step()
    }
}

extension JournalRow {
    /// The row in the present format, linked to the session's preceding row. `old` and `new` are the position and checksum of
    /// that row before and after the conversion. A damaged row remains damaged, and a row with a wrong link keeps a wrong
    /// link. A row that cannot be decoded keeps its body.
    fileprivate func migrated(after old: JournalPosition?, _ new: JournalPosition?) -> JournalRow {
        var previous = previous
        if previous == old {
            previous = new ?? previous
        } else if previous == new {
            previous = JournalPosition(position: previous.position, checksum: ~previous.checksum)
        }
        var body = body
        if flaw == nil, let record = try? record() { body = Self.body(of: record) }
        func row(_ checksum: UInt32?) -> JournalRow {
            JournalRow(
                kind, position: position, session: session, seq: seq, atNs: atNs, id: id,
                body: body, after: previous,
                checksum: checksum)
        }
        let whole = row(nil)
        return hasValidChecksum ? whole : row(~whole.checksum)
    }
}
