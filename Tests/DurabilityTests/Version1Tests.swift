import CSQLite
import Durability
import GameFlow
import Glibc
import JSONCoding
import Journal
import JournalVersion1
import RPC
import SQLiteStore
import Sessions
import TestSupport
import Testing
import Timers

/// Converts a journal of version 1, the first version of the row format, which an earlier daemon wrote. `OlderJournal` copies the
/// journal.
@Suite struct Version1Tests {
    private let folder = Folder()

    init() throws { try OlderJournal.version1.copy(into: folder.path) }

    /// The rows of the journal, read without a conversion.
    private var unconvertedRows: [JournalRow] {
        get throws {
            try OlderJournal.rows(JournalFile(reading: "\(folder.path)/\(JournalFile.name)"))
        }
    }
    /// The journal, converted as `gamectl journal convert` does.
    private func converted() throws(SQLiteError) -> JournalFile {
        try JournalFile(folder.path, vfs: nil, disk: PlainDisk(), Version1Conversion.self)
    }

    /// The rows after the journal was converted.
    private var convertedRows: [JournalRow] {
        get throws { try OlderJournal.rows(converted()) }
    }

    /// Changes the journal's file with SQL, as a fault of the disk or another program might change it.
    private func change(_ sql: String) throws {
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        #expect(
            sqlite3_open("\(folder.path)/\(JournalFile.name)", &handle) == SQLITE_OK
                && sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK)
    }

    private func scan(_ rows: [JournalRow], prunedUpTo pruned: Int = 0) -> JournalScan {
        var scan = JournalScan(prunedUpTo: pruned)
        for row in rows { scan.add(row) }
        return scan
    }

    @Test func `a journal of version 1 passes check and replay after conversion`() throws {
        let rows = try convertedRows
        #expect(rows.count == 74)
        OlderJournal.expectReplays(rows)
    }

    @Test
    func `the daemon does not open a journal of version 1, and names the command that converts it`()
        throws
    {
        let before = try unconvertedRows
        let error = #expect(throws: SQLiteError.self) { try JournalFile(folder.path) }
        #expect(error?.message.contains("`gamectl journal convert \(folder.path)`") == true)
        #expect(try unconvertedRows == before)
        #expect(!folder.has("journal.db.v1"))
    }

    @Test func `without room for the copy and the rewritten rows nothing is changed`() throws {
        let before = try unconvertedRows
        let plan = try #require(
            try JournalFile(reading: "\(folder.path)/\(JournalFile.name)").conversionPlan(
                in: folder.path))
        var status = stat()
        #expect(stat("\(folder.path)/\(JournalFile.name)", &status) == 0)
        #expect(plan.neededBytes > 2 * UInt64(status.st_size))
        // Room for the copy alone.
        let error = #expect(throws: SQLiteError.self) {
            try JournalFile(
                folder.path, vfs: nil,
                disk: FullDisk(freeBytes: plan.neededBytes - UInt64(status.st_size)),
                Version1Conversion.self)
        }
        #expect(error?.isFull == true)
        #expect(error?.message.hasSuffix("\(status.st_size) bytes are missing") == true)
        #expect(try unconvertedRows == before)
        #expect(!folder.has("journal.db.v1"))
    }

    @Test func `a journal of version 1 has the same export before and after conversion`()
        throws
    {
        let exported = try OlderJournal.version1.lines("expected-export.jsonl")
        let rowsBefore = try unconvertedRows
        let rowsAfter = try convertedRows
        #expect(exported.count == rowsBefore.count && rowsBefore.count == rowsAfter.count)
        for (line, (before, after)) in zip(exported, zip(rowsBefore, rowsAfter)) {
            #expect(line["checksum"] == .int(Int(before.checksum)))
            let record = try Version1Body.record(of: before)
            #expect(line["body"] == .object(record.members))
            #expect(try after.record() == record)
            #expect(after.hasValidChecksum && after.body.count < before.body.count)
        }
    }

    @Test func `the old file is kept beside the converted journal`() throws {
        let before = try unconvertedRows
        _ = try convertedRows
        let kept = try JournalFile(reading: "\(folder.path)/journal.db.v1")
        #expect(kept.version == "1")
        #expect(try OlderJournal.rows(kept) == before)
    }

    @Test func `a journal is converted once and becomes smaller`() throws {
        let path = "\(folder.path)/\(JournalFile.name)"
        func size() -> Int {
            var status = stat()
            return stat(path, &status) == 0 ? Int(status.st_size) : 0
        }
        let before = size()
        // `version` is the version before the conversion.
        do { #expect(try converted().version == "1") }
        #expect(size() < before)
        do { #expect(try JournalFile(folder.path).version == RowFormat.newestVersion) }
    }

    /// Damage by a disk, or changes by another program.
    @Test(arguments: [
        "UPDATE row SET body = replace(body, 'episode', 'episodf') WHERE position = 13",
        "UPDATE row SET body = CAST('{' AS BLOB) WHERE position = 13",
        "UPDATE row SET checksum = checksum + 1 WHERE position = 13",
        "UPDATE row SET previous_checksum = previous_checksum + 1 WHERE position = 13",
        "UPDATE row SET session = 'other' WHERE position = 13",
        "UPDATE row SET position = 1000000 WHERE position = 13",
        "UPDATE row SET kind = 99 WHERE position = 13",
        "UPDATE row SET seq = -1, at = -5 WHERE position = 74",
        "DELETE FROM row WHERE position = 13", "DELETE FROM row WHERE position < 20",
        "DELETE FROM row WHERE position = 13; INSERT INTO fact VALUES ('pruned', '13')",
    ])
    func `a damaged row is still damaged after conversion, for the same reason`(
        _ sql: String
    ) throws {
        try change(sql)
        let pruned = sql.contains("pruned") ? 13 : 0
        let (before, after) = (
            scan(try unconvertedRows, prunedUpTo: pruned),
            scan(try convertedRows, prunedUpTo: pruned)
        )
        // The absence of a pruned row is not damage.
        #expect(before.damage.isEmpty == (pruned > 0))
        #expect(before.damage == after.damage && before.untrusted == after.untrusted)
        #expect(before.lost == after.lost && before.newestPosition == after.newestPosition)
    }

    @Test func `a journal that cannot be converted is unchanged`() throws {
        try change(
            "CREATE TRIGGER no BEFORE UPDATE ON row WHEN old.position = 70"
                + " BEGIN SELECT RAISE(ABORT, 'no'); END")
        let before = try unconvertedRows
        #expect(throws: SQLiteError.self) { try converted() }
        #expect(try unconvertedRows == before)
        #expect(try JournalFile(reading: "\(folder.path)/\(JournalFile.name)").version == "1")
    }

    @Test func `sessions of a journal of version 1 are restored unchanged`() throws {
        let (sessions, _) = OlderJournal.restore(try convertedRows)
        let restored = sessions.list(limit: 100).sessions
        try OlderJournal.version1.expectSessions(restored)
        // A repeated id gets its first answer, with change 9 of the session, and makes no change.
        let main = try sessions.session(.main)
        let pos = sessions.pos
        let answer = try sessions.send(
            "completeLevel", [Member("score", 900)], to: main,
            RequestContext(from: Players.player, id: "done-1")
        ).value
        #expect(answer.seq == 9 && sessions.pos == pos)
        for session in restored { session.machine.end() }
    }
}
