import CSQLite
import Durability
import GameFlow
import JSONCoding
import Journal
import RPC
import SQLiteStore
import Sessions
import TestSupport
import Testing
import Timers

/// Opens a journal of version 2, which an earlier daemon wrote. Its rows stay as they are; new rows have the third format.
@Suite struct Version2Tests {
    private let folder = Folder()

    init() throws { try OlderJournal.version2.copy(into: folder.path) }

    private var path: String { "\(folder.path)/\(JournalFile.name)" }
    private var unconvertedRows: [JournalRow] {
        get throws { try OlderJournal.rows(JournalFile(reading: path)) }
    }

    @Test func `no row is rewritten, and the old file is kept`() throws {
        let before = try unconvertedRows
        #expect(before.count == 57)
        do {
            let file = try JournalFile(folder.path)
            #expect(file.version == "2")
            #expect(try OlderJournal.rows(file) == before)
        }
        let kept = try JournalFile(reading: "\(folder.path)/journal.db.v2")
        #expect(kept.version == "2")
        #expect(try OlderJournal.rows(kept) == before)
        #expect(try JournalFile(folder.path).version == "3")
    }

    /// The earlier daemon did not export what became of the timers at an undo: they were as before the step.
    @Test
    func `the export is the same as that of the earlier daemon, but for the clocks of an undo`()
        throws
    {
        let exported = try OlderJournal.version2.lines("expected-export.jsonl")
        let rows = try unconvertedRows
        #expect(exported.count == rows.count)
        for (line, row) in zip(exported, rows) {
            #expect(line["checksum"] == .int(Int(row.checksum)))
            #expect(line["body"] == .object(try row.record().members))
        }
    }

    @Test func `it is replayed, although messages ended otherwise when it was written`() throws {
        OlderJournal.expectReplays(try unconvertedRows)
    }

    @Test func `its sessions are restored as they were, and messages count as the operator's`()
        throws
    {
        let (sessions, _) = OlderJournal.restore(try unconvertedRows)
        let restored = sessions.list(limit: 100).sessions
        try OlderJournal.version2.expectSessions(restored)
        #expect(try sessions.session(SessionName("room")!).message?.scope == .operators)
        // A repeated id gets its first answer.
        let pos = sessions.pos
        let room = try sessions.session(SessionName("room")!)
        let answer = try sessions.send(
            "open", to: room, RequestContext(from: Players.player, id: "op1")
        ).value
        #expect(answer.seq == 4 && sessions.pos == pos)
        for session in restored { session.machine.end() }
    }

    @Test func `it is played on in the third format, and replayed as a whole`() throws {
        let before = try unconvertedRows
        let (sessions, clock) = OlderJournal.restore(before)
        var all = before
        sessions.recorder = { record, previous in
            let row = JournalRow(record, at: all.count + 1, after: previous)
            all.append(row)
            return row.journalPosition
        }
        sessions.recordStart([], lastAlive: clock.now)
        let wait = try sessions.session(SessionName("wait")!)
        let context = RequestContext(from: Players.player)
        _ = try sessions.send("hint", [Member("say", "Look up")], to: wait, context)
        #expect(wait.message?.scope == .state)
        _ = try sessions.send("open", to: wait, context)
        _ = try sessions.undo(wait, context)
        #expect(wait.message?.text == "Look up")
        try sessions.label([Member("team", "Crows")], wait, context)
        #expect(all.dropFirst(before.count).allSatisfy { $0.body.first == 3 })
        OlderJournal.expectReplays(all)
        for session in sessions.all { session.machine.end() }
    }

    @Test func `without room for the copy nothing is changed, and the missing bytes are named`()
        throws
    {
        let before = try unconvertedRows
        let error = #expect(throws: SQLiteError.self) {
            try JournalFile(folder.path, vfs: nil, disk: FullDisk(freeBytes: 4096))
        }
        let needed = try #require(try JournalFile(reading: path).conversionPlan(in: folder.path))
        #expect(error?.isFull == true)
        #expect(
            error?.message.hasSuffix("\(needed.neededBytes - 4096) bytes are missing") == true)
        #expect(try JournalFile(reading: path).version == "2")
        #expect(try unconvertedRows == before)
        #expect(!folder.has("journal.db.v2"))
    }

    @Test func `an interrupted copy is replaced`() throws {
        folder.write("journal.db.v2.part", "half a copy")
        _ = try JournalFile(folder.path)
        #expect(!folder.has("journal.db.v2.part"))
        #expect(try JournalFile(reading: "\(folder.path)/journal.db.v2").version == "2")
    }
}
