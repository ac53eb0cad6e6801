import Journal
import Support
import Testing

@Suite struct JournalFileTests {
    private let folder = Folder()

    /// Rows of two sessions by turns, each chained to the one before it of its session.
    static func rows(_ positions: ClosedRange<Int64>) -> [JournalRow] {
        var last: [String: UInt32] = [:]
        return positions.map { position in
            let session = position % 2 == 0 ? "even" : "odd"
            let row = JournalRow(
                position: position, session: session, seq: (position + 1) / 2,
                atNs: position * 1000,
                body: Array("row \(position) \u{0} é".utf8), after: last[session] ?? 0)
            last[session] = row.checksum
            return row
        }
    }

    private func read(_ file: JournalFile, after position: Int64 = 0) throws -> [JournalRow] {
        var rows: [JournalRow] = []
        try file.rows(after: position) {
            rows.append($0)
            return true
        }
        return rows
    }

    @Test func `what was appended is there when the file is opened again`() throws {
        let rows = Self.rows(1...50)
        do {
            let file = try JournalFile(folder.path)
            #expect(try file.head() == 0)
            try file.append(Array(rows[..<20]))
            try file.append(Array(rows[20...]))
        }
        let file = try JournalFile(folder.path)
        #expect(try file.head() == 50)
        #expect(try read(file) == rows)
        #expect(try read(file, after: 30) == Array(rows[30...]))
    }

    @Test func `whoever reads stops when it has enough`() throws {
        let file = try JournalFile(folder.path)
        try file.append(Self.rows(1...50))
        var count = 0
        try file.rows { _ in
            count += 1
            return count < 3
        }
        #expect(count == 3)
    }

    @Test func `of a batch that cannot be added nothing is there`() throws {
        let file = try JournalFile(folder.path)
        let rows = Self.rows(1...10)
        try file.append(Array(rows[..<5]))
        #expect(throws: SQLiteError.self) { try file.append(Array(rows[5...]) + [rows[2]]) }
        #expect(try file.head() == 5)
        try file.append(Array(rows[5...]))
        #expect(try read(file) == rows)
    }

    @Test func `a second one is refused while the first is open`() throws {
        let first = try JournalFile(folder.path)
        try first.append(Self.rows(1...2))
        #expect(throws: SQLiteError.self) { try JournalFile(folder.path) }
        #expect(try first.head() == 2)
    }

    @Test func `a directory that is not there is an error`() {
        #expect(throws: SQLiteError.self) { try JournalFile("\(folder.path)/nowhere") }
    }

    @Test func `rows behind a position are removed for good`() throws {
        do {
            let file = try JournalFile(folder.path)
            try file.append(Self.rows(1...20))
            try file.removeRows(after: 12)
            #expect(try file.head() == 12)
            try file.checkpoint()
        }
        let file = try JournalFile(folder.path)
        #expect(try read(file) == Array(Self.rows(1...20)[..<12]))
    }

    @Test func `a checkpoint changes nothing that can be read`() throws {
        let file = try JournalFile(folder.path)
        try file.append(Self.rows(1...500))
        try file.checkpoint()
        #expect(try read(file) == Self.rows(1...500))
    }

    @Test(arguments: seeds(100)) func `a row that was changed, lost or moved breaks its chain`(
        _ seed: UInt64
    ) {
        var random = SeededRandom(seed)
        let rows = Self.rows(1...40).filter { $0.session == "odd" }
        #expect(holds(rows))
        let place = random.below(rows.count - 1)
        var lost = rows
        lost.remove(at: place)
        #expect(!holds(lost))
        var moved = rows
        moved.swapAt(place, place + 1)
        #expect(!holds(moved))
        let row = rows[place]
        var body = row.body
        body[random.below(body.count)] ^= 1 << UInt8(random.below(8))
        let changed = JournalRow(
            position: row.position, session: row.session, seq: row.seq, atNs: row.atNs, body: body,
            after: place > 0 ? rows[place - 1].checksum : 0)
        #expect(changed.checksum != row.checksum)
    }

    private func holds(_ rows: [JournalRow]) -> Bool {
        var previous: UInt32 = 0
        return rows.allSatisfy { row in
            defer { previous = row.checksum }
            return row.holds(after: previous)
        }
    }
}
