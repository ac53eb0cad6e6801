import EventLoop
import Journal
import JournalTestSupport
import TestSupport
import Testing

@testable import SQLiteStore

/// The index of sessions, its tail in memory, and journals whose index is that of an earlier version.
@Suite struct SessionIndexTests {
    private let folder = Folder()

    private func expectAll(_ file: JournalFile, _ rows: [JournalRow]) throws {
        #expect(try file.quickCheck() == [])
        for session in Set(rows.map(\.session)) {
            let query = JournalQuery(session: session, positions: 1...10_000, limit: 10_000)
            #expect(try file.page(query) == query.page(of: rows))
        }
    }

    @Test func `a commit writes no page for each session`() throws {
        let file = try JournalFile(folder.path)
        // In an index, the rows of each session fill a page.
        let rows = IndexHistory.rows(sessions: 64, each: 200)
        try file.append(rows)
        try file.updateIndex()
        try file.checkpoint()
        try file.append(IndexHistory.rows(sessions: 64, each: 201).suffix(64))
        let frameBytes = 4096 + 24
        #expect(file.logBytes < 10 * frameBytes)
    }

    @Test func `the index is filled in short parts, and each page of it is written once`() throws {
        let file = try JournalFile(folder.path)
        let rows = SampleRows.rows(1...100)
        try file.append(Array(rows[..<90]))
        var parts = 1
        while try !file.fillIndex(isTimeUp: { true }) {
            #expect(file.indexedPosition == 0, "a part of the index does not count")
            if parts == 2 { try file.append(Array(rows[90...])) }
            try expectAll(file, parts < 2 ? Array(rows[..<90]) : rows)
            parts += 1
        }
        // Each part has 16 rows. The rows that were written meanwhile are left for the next time.
        #expect(parts == 6 && file.indexedPosition == 90)
        try expectAll(file, rows)
        let entries = try file.database.value("SELECT count(*) FROM session_row")
        #expect(entries == "90")
    }

    @Test func `an interrupted filling is repeated after the journal was opened`() throws {
        do {
            let file = try JournalFile(folder.path)
            try file.append(SampleRows.rows(1...50))
            #expect(try !file.fillIndex { true })
            try file.removeRows(after: 40)
        }
        let file = try JournalFile(folder.path)
        #expect(file.indexedPosition == 0)
        try expectAll(file, SampleRows.rows(1...40))
        #expect(try file.fillIndex { false })
        #expect(file.indexedPosition == 40)
        try expectAll(file, SampleRows.rows(1...40))
    }

    @Test func `a journal with a tail is opened without a write`() throws {
        do { try JournalFile(folder.path).append(SampleRows.rows(1...50)) }
        let file = try JournalFile(folder.path)
        #expect(file.logBytes == 0)
        try expectAll(file, SampleRows.rows(1...50))
    }

    /// The store's thread fills the index when nothing else is to be done and the log has more than 4 MiB.
    @Test func `rows are added to the index before the log is moved into the file`() throws {
        let loop = try LibeventLoop()
        let store = try SQLiteStore(folder.path, on: loop)
        let rows = IndexHistory.rows(sessions: 3, each: 1000, bytes: 2000)
        var acknowledged = 0
        for start in stride(from: 0, to: 3000, by: 500) {
            store.append(Array(rows[start..<(start + 500)])) { outcome in
                acknowledged += outcome == .durable ? 1 : 0
            }
        }
        // A job without a batch. The rows are found at each time.
        func find(_ left: Int) {
            let query = JournalQuery(session: "room-1", positions: 1...3000, limit: 2000)
            store.find(query) { page in
                #expect(page == .success(query.page(of: rows)))
                left > 0 ? find(left - 1) : store.close { loop.stop() }
            }
        }
        find(20)
        loop.run()
        #expect(acknowledged == 6)
        let file = try JournalFile(reading: "\(folder.path)/journal.db")
        #expect(file.indexedPosition == 3000)
        try expectAll(file, rows)
    }

    @Test func `a journal with the index of an earlier version gets the new one`() throws {
        let rows = SampleRows.rows(1...60)
        do {
            let file = try JournalFile(folder.path)
            try file.append(Array(rows[..<50]))
            try IndexHistory.useEarlierIndex(file)
        }
        do {
            let readOnly = try JournalFile(reading: "\(folder.path)/journal.db")
            try expectAll(readOnly, Array(rows[..<50]))
        }
        do {
            let file = try JournalFile(folder.path)
            #expect(try IndexHistory.hasEarlierIndex(file) == false)
            #expect(file.indexedPosition == 50)
            try expectAll(file, Array(rows[..<50]))
        }
        // An earlier version creates its index, and then does not maintain the new one.
        do {
            let file = try JournalFile(folder.path)
            try file.database.run(IndexHistory.earlierIndex)
            try file.database.run("DELETE FROM row WHERE position > 30")
            file.indexedPosition = 0
            try file.append(Array(rows[30...]))
        }
        let file = try JournalFile(folder.path)
        #expect(try IndexHistory.hasEarlierIndex(file) == false)
        try expectAll(file, rows)
    }

    @Test func `rows that another program removes are not found`() throws {
        let file = try JournalFile(folder.path)
        let rows = SampleRows.rows(1...50)
        try file.append(rows)
        try file.updateIndex()
        try file.database.run("DELETE FROM row WHERE position > 45 OR position = 7")
        try expectAll(file, rows.filter { $0.position <= 45 && $0.position != 7 })
        // New rows at the positions of the removed ones are found, also after the next start.
        try file.append(Array(rows[45...]))
        try expectAll(file, rows.filter { $0.position != 7 })
        let newest = try file.newest(of: ["odd", "even"]).map(\.newestPosition)
        #expect(newest == [rows[48].journalPosition, rows[49].journalPosition])
    }

    @Test func `a check finds entries that the index lacks or has without a row`() throws {
        let file = try JournalFile(folder.path)
        try file.append(SampleRows.rows(1...50))
        try file.updateIndex()
        try file.database.run("DELETE FROM session_row WHERE position IN (5, 6)")
        #expect(try file.quickCheck() == ["the index of sessions lacks 2 rows"])
        try file.database.run("UPDATE session_row SET session = 'other' WHERE position = 7")
        #expect(
            try file.quickCheck() == [
                "the index of sessions lacks 3 rows",
                "the index of sessions has 1 entries without a row",
            ])
    }

    @Test(arguments: ["9223372036854775807", "-1", "many"])
    func `an impossible indexed position is ignored`(_ value: String) throws {
        let file = try JournalFile(folder.path)
        try file.append(SampleRows.rows(1...50))
        try file.setNote(JournalFile.indexedNote, value)
        #expect(try JournalFile.openIndex(file.database) == 0)
    }

    @Test(arguments: seeds(60, long: 1000))
    func `queries find what a scan of the rows finds, in random histories`(_ seed: UInt64) throws {
        var history = try IndexHistory(seed, folder.path)
        for step in 1...40 {
            try history.perform()
            if let difference = try history.difference() {
                Issue.record("seed \(seed), step \(step): \(difference)")
                return
            }
        }
    }
}
