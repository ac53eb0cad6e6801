import Glibc
import Journal
import JournalTestSupport
import SQLiteStore
import Sessions
import TestSupport
import Testing

@Suite struct JournalFileTests {
    private let folder = Folder()

    private func read(_ file: JournalFile, after position: Int = 0) throws -> [JournalRow] {
        var rows: [JournalRow] = []
        try file.rows(after: position) {
            rows.append($0)
            return true
        }
        return rows
    }

    @Test func `appended rows are in the file when it is opened again`() throws {
        let rows = SampleRows.rows(1...50)
        do {
            let file = try JournalFile(folder.path)
            #expect(try file.newestPosition() == 0)
            try file.append(Array(rows[..<20]))
            try file.append(Array(rows[20...]))
        }
        let file = try JournalFile(folder.path)
        #expect(try file.newestPosition() == 50)
        #expect(try read(file) == rows)
        #expect(try read(file, after: 30) == Array(rows[30...]))
    }

    @Test func `a reader can stop before the last row`() throws {
        let file = try JournalFile(folder.path)
        try file.append(SampleRows.rows(1...50))
        var count = 0
        try file.rows { _ in
            count += 1
            return count < 3
        }
        #expect(count == 3)
    }

    @Test func `a batch that fails leaves no rows`() throws {
        let file = try JournalFile(folder.path)
        let rows = SampleRows.rows(1...10)
        try file.append(Array(rows[..<5]))
        // The row 3 is already in the file.
        #expect(throws: SQLiteError.self) { try file.append(Array(rows[5...]) + [rows[2]]) }
        #expect(try file.newestPosition() == 5)
        try file.append(Array(rows[5...]))
        #expect(try read(file) == rows)
    }

    @Test func `a second process is refused while the journal is open`() throws {
        let first = try JournalFile(folder.path)
        try first.append(SampleRows.rows(1...2))
        #expect(throws: SQLiteError.self) { try JournalFile(folder.path) }
        #expect(try first.newestPosition() == 2)
    }

    @Test func `a missing directory is an error`() {
        #expect(throws: SQLiteError.self) { try JournalFile("\(folder.path)/nowhere") }
    }

    @Test func `rows after a position are removed permanently`() throws {
        do {
            let file = try JournalFile(folder.path)
            try file.append(SampleRows.rows(1...20))
            try file.removeRows(after: 12)
            #expect(try file.newestPosition() == 12)
            try file.checkpoint()
        }
        let file = try JournalFile(folder.path)
        #expect(try read(file) == Array(SampleRows.rows(1...20)[..<12]))
    }

    @Test func `rows in the write-ahead log of a killed process are read`() throws {
        let file = try JournalFile(folder.path)
        try file.append(SampleRows.rows(1...20))
        let killedFolder = Folder()
        // A kill leaves the files as they are while the journal is open.
        for name in ["journal.db", "journal.db-wal"] {
            try copy("\(folder.path)/\(name)", to: "\(killedFolder.path)/\(name)")
        }
        #expect(try read(JournalFile(killedFolder.path)) == SampleRows.rows(1...20))
    }

    private func copy(_ source: String, to target: String) throws {
        let input = try #require(fopen(source, "r"))
        let output = try #require(fopen(target, "w"))
        defer {
            fclose(input)
            fclose(output)
        }
        while case let byte = getc(input), byte != EOF { putc(byte, output) }
    }

    @Test func `a checkpoint does not change any row`() throws {
        let file = try JournalFile(folder.path)
        try file.append(SampleRows.rows(1...500))
        try file.checkpoint()
        #expect(try read(file) == SampleRows.rows(1...500))
    }

    @Test func `a session's rows are read newest first`() throws {
        let file = try JournalFile(folder.path)
        let rows = SampleRows.rows(1...50)
        try file.append(rows)
        let even = Array(rows.filter { $0.session == "even" }.reversed())
        func found(
            _ positions: ClosedRange<Int> = 1...50, before: Int = .max, limit: Int = 100,
            bytes: Int = .max
        ) throws -> JournalPage {
            let query = JournalQuery(
                session: "even", positions: positions, beforeSeq: before, limit: limit,
                byteLimit: bytes)
            #expect(
                try file.page(query) == query.page(of: rows),
                "a query of the rows in memory has the same result")
            return try file.page(query)
        }
        #expect(try found().rows == even && found().isComplete)
        #expect(try found(limit: 3).rows == Array(even.prefix(3)) && !found(limit: 3).isComplete)
        #expect(try found(limit: 25).rows == even)
        // The body of each of these rows has 11 bytes. A page ends when its bodies have 20 bytes or more.
        #expect(try found(bytes: 20).rows.count == 2)
        #expect(try found(before: 10, limit: 2).rows.map(\.seq) == [9, 8])
        #expect(try found(11...40).rows.map(\.position).last == 12)
        #expect(try found(51...60).rows.isEmpty && found(51...60).isComplete)
    }

    @Test func `notes of the journal are stored`() throws {
        do {
            let file = try JournalFile(folder.path)
            #expect(try file.note("clock") == nil)
            try file.setNote("clock", "real")
            try file.setNote("clock", "virtual")
        }
        #expect(try JournalFile(folder.path).note("clock") == "virtual")
    }

    @Test func `old rows are pruned, and their positions are not reported as damage`() throws {
        let file = try JournalFile(folder.path)
        let rows = SampleRows.rows(1...50)
        try file.append(rows)
        // The row at position n was recorded at n · 1000 ns.
        let old = try file.pruneCandidates(after: 4, recordedBefore: 20_000, limit: 100)
        #expect(old.map(\.position) == Array(5...19))
        #expect(old.first { $0.position == 10 }?.idNumber == 10)
        // The newest row is never pruned.
        #expect(try file.pruneCandidates(after: 0, recordedBefore: .max, limit: 100).count == 49)
        try file.prune([2, 4, 5, 6, 8, 17])
        #expect(try file.prunedUpTo() == 17)
        var scan = JournalScan(prunedUpTo: 17)
        for row in try read(file) { scan.add(row) }
        #expect(scan.damage.isEmpty && scan.count == 44)
        try file.removeRows(after: 30)
        #expect(try file.newestPosition() == 30)
    }

    @Test func `a file of another version is an error`() throws {
        do { try JournalFile(folder.path).setNote("schema", "-1") }
        let error = #expect(throws: SQLiteError.self) { try JournalFile(folder.path) }
        #expect(error?.message == "the journal is of another version: -1")
    }

    @Test func `a file of a newer version is an error that names the way back`() throws {
        do { try JournalFile(folder.path).setNote("schema", "9") }
        let sentence =
            "the journal has version 9, and this gamed reads versions up to 3: use a newer gamed"
        let error = #expect(throws: SQLiteError.self) { try JournalFile(folder.path) }
        #expect(error?.message == sentence)
        folder.write("journal.db.v2", "")
        folder.write("journal.db.v3", "")
        let errorWithCopies = #expect(throws: SQLiteError.self) { try JournalFile(folder.path) }
        #expect(
            errorWithCopies?.message == sentence
                + ", or `gamectl restore \(folder.path)/journal.db.v3 \(folder.path)`, "
                + "which restores the copy from before the conversion")
    }

    @Test(arguments: ["9223372036854775807", "-1", "many", "9223372036854775808"])
    func `an impossible position of the newest pruned row is ignored`(_ value: String) throws {
        let file = try JournalFile(folder.path)
        try file.setNote("pruned", value)
        #expect(try file.prunedUpTo() == 0)
    }
}
