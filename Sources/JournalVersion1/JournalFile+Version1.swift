internal import Journal
package import SQLiteStore
internal import Sessions

/// Converts the rows of a journal of version 1.
extension JournalFile {
    /// The number of rows that are read, converted and written at a time.
    private static let rowsPerStep = 1000

    /// Rewrites all rows of a journal of version 1 in the newest format. All rows are rewritten in one transaction, so the
    /// file is unchanged if this fails. The old checksums are verified. If they show damage, the new rows preserve the damage.
    /// `reportProgress` is called with the position that was reached, and the newest position.
    package func convertRowsOfVersion1(
        _ reportProgress: (_ done: Int, _ total: Int) -> Void
    ) throws(SQLiteError) {
        let newest = try newestPosition()
        let pruned = try prunedUpTo()
        var oldScan = JournalScan(prunedUpTo: pruned)
        var newScan = JournalScan(prunedUpTo: pruned)
        try database.transaction { () throws(SQLiteError) in
            let update = try SQLiteStatement(
                "UPDATE row SET body = ?, previous_checksum = ?, checksum = ? WHERE position = ?",
                in: database)
            var lastPosition = 0
            while let rows = try nextRows(after: lastPosition) {
                for row in rows {
                    let migrated = row.migrated(
                        after: oldScan.newest(row.session), newScan.newest(row.session))
                    oldScan.add(row)
                    newScan.add(migrated)
                    try write(migrated, by: update)
                    lastPosition = row.position
                }
                reportProgress(lastPosition, newest)
            }
            // `untrusted` has the sessions with damaged or missing rows.
            guard oldScan.damage == newScan.damage, oldScan.untrusted == newScan.untrusted else {
                throw SQLiteError("the converted journal does not have the same damage")
            }
            try markAsNewest()
        }
        try checkpoint()
        // The rows have become shorter, so the file has unused space. It is not an error if this space cannot be released.
        try? database.run("VACUUM")
        try? checkpoint()
    }

    /// The next rows to convert; nil if none is left.
    private func nextRows(after position: Int) throws(SQLiteError) -> [JournalRow]? {
        var found: [JournalRow] = []
        try rows(after: position) { row in
            found.append(row)
            return found.count < Self.rowsPerStep
        }
        return found.isEmpty ? nil : found
    }

    /// Writes a converted row with the statement `update`.
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
    /// The row in the present format, linked to the preceding row of its session. `old` is the position and checksum of the
    /// preceding row before the conversion, and `new` after the conversion. Both are nil for the first row of a session. A
    /// damaged row remains damaged, and a row with a wrong link keeps a wrong link. A row that cannot be decoded keeps its
    /// body.
    fileprivate func migrated(after old: JournalPosition?, _ new: JournalPosition?) -> JournalRow {
        var previous = previous
        if previous == old {
            previous = new ?? previous
        } else if previous == new {
            // The link was wrong. It is equal to the new link by accident, so it is made wrong again.
            previous = JournalPosition(position: previous.position, checksum: ~previous.checksum)
        }
        var body = body
        if flaw == nil, let record = try? Version1Body.record(of: self) {
            body = Self.body(of: record)
        }
        /// The converted row; without a checksum, the valid one is computed.
        func convertedRow(_ checksum: UInt32?) -> JournalRow {
            JournalRow(
                kind, position: position, session: session, seq: seq, atNs: atNs, id: id,
                body: body, after: previous,
                checksum: checksum)
        }
        let validRow = convertedRow(nil)
        return hasValidChecksum ? validRow : convertedRow(~validRow.checksum)
    }
}
