package import Journal
internal import Sessions

/// Converts the rows of a journal of version 1. The old checksums are verified; if they show damage, the new rows preserve it.
package struct Version1Conversion: RowConversion {
    private var oldScan: JournalScan
    private var newScan: JournalScan

    package init(prunedUpTo pruned: Int) {
        (oldScan, newScan) = (JournalScan(prunedUpTo: pruned), JournalScan(prunedUpTo: pruned))
    }

    package mutating func converted(_ row: JournalRow) -> JournalRow {
        let migrated = row.migrated(after: oldScan.newest(row.session), newScan.newest(row.session))
        oldScan.add(row)
        newScan.add(migrated)
        return migrated
    }

    package var keepsDamage: Bool {
        // `untrusted` has the sessions with damaged or missing rows.
        oldScan.damage == newScan.damage && oldScan.untrusted == newScan.untrusted
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
