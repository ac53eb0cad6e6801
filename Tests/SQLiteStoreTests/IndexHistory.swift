import Glibc
import Journal
import JournalTestSupport
import Sessions
import TestSupport

@testable import SQLiteStore

/// A random history of a journal: rows of several sessions, whose names are used again, and everything that is done with a
/// journal. The rows are also kept in memory, for comparison.
struct IndexHistory {
    private var random: SeededRandom
    private let directory: String
    private var file: JournalFile?
    /// The rows that the journal must contain.
    private var rows: [JournalRow] = []
    /// The session of each row, by position: a name has several sessions one after another.
    private var sessions: [Int: Int] = [:]
    /// The number of the directory or file that is used next, when the journal moves.
    private var moves = 0
    private var path: String
    private static let names = ["anna", "ben", "chloé", "dora"]

    init(_ seed: UInt64, _ directory: String) throws {
        (random, self.directory, path) = (SeededRandom(seed), directory, "\(directory)/0")
        mkdir(path, 0o700)
        file = try JournalFile(path)
    }

    // MARK: what is done

    /// Does one thing with the journal.
    mutating func perform() throws {
        let action = random.below(16)
        // No reference to the file may be held while it is closed and opened again.
        if action == 15 { return try openCopy() }
        if action >= 13 { return try reopen() }
        guard let file else { return }
        switch action {
        case 0..<5: try append(file)
        case 5, 6: _ = try fillIndex(file)
        case 7: try file.updateIndex()
        case 8: try file.checkpoint()
        case 9: try prune(file)
        case 10: try removeRows(file)
        case 11: try fail(file)
        default: try erase(file)
        }
    }

    private mutating func append(_ file: JournalFile) throws {
        var batch: [JournalRow] = []
        for _ in 0...random.below(30) { batch.append(newRow(after: rows + batch)) }
        try file.append(batch)
        rows += batch
    }

    /// A row of a session that continues or begins; sometimes a row without a session.
    private mutating func newRow(after rows: [JournalRow]) -> JournalRow {
        let name = random.below(8) == 0 ? "" : random.pick(Self.names)
        let kinds: [JournalRow.Kind] =
            name.isEmpty ? [.daemon] : [.change, .change, .rest, .refusal]
        let kind = random.pick(kinds)
        let previous = rows.last { $0.session == name }
        let isNew = name.isEmpty || previous == nil || random.below(12) == 0
        let seq = isNew ? 0 : previous?.seq ?? 0
        let position = (rows.last?.position ?? 0) + 1
        sessions[position] = isNew ? position : previous.flatMap { sessions[$0.position] }
        return JournalRow(
            kind, position: position, session: name,
            seq: kind == .change ? seq + 1 : seq, atNs: 1, body: [UInt8(random.below(256))],
            after: isNew ? .start : previous?.journalPosition ?? .start)
    }

    /// Adds a part of the tail to the index. Returns whether the filling is finished.
    private mutating func fillIndex(_ file: JournalFile) throws -> Bool {
        let isTimeUp = random.below(3) > 0
        return try file.fillIndex { isTimeUp }
    }

    private mutating func prune(_ file: JournalFile) throws {
        let newest = rows.last?.position ?? 0
        let limit = random.below(newest + 1)
        let share = 1 + random.below(4)
        let positions = rows.map(\.position).filter { $0 < min(newest, limit) && $0 % share == 0 }
        try file.prune(positions)
        let pruned = Set(positions)
        rows.removeAll { pruned.contains($0.position) }
    }

    private mutating func removeRows(_ file: JournalFile) throws {
        let position = max(0, (rows.last?.position ?? 0) - random.below(25))
        try file.removeRows(after: position)
        rows.removeAll { $0.position > position }
    }

    /// Appends a batch whose last row has a position that is in use.
    private mutating func fail(_ file: JournalFile) throws {
        guard let last = rows.last else { return }
        let batch = [newRow(after: rows), last]
        guard (try? file.append(batch)) == nil else { throw Failure(why: "a row twice") }
    }

    private mutating func reopen() throws {
        if random.below(3) == 0 { try file.map { try Self.useEarlierIndex($0) } }
        file = nil
        file = try JournalFile(path)
    }

    /// Erases the sessions of a name as `JournalFile.erase` does, which needs rows with records.
    private mutating func erase(_ file: JournalFile) throws {
        let name = random.pick(Self.names)
        let erased = rows.filter { $0.session == name }
        guard let newest = erased.last else { return }
        let row = JournalRow(
            .forgotten, position: newest.position, session: "", seq: 0, atNs: 1, body: [0],
            after: .start)
        file.forgetTail()
        try file.database.transaction { () throws(SQLiteError) in
            try file.database.run("DELETE FROM row WHERE session = '\(name)'")
            try file.add(row)
        }
        rows.removeAll { $0.session == name }
        rows.append(row)
        rows.sort { $0.position < $1.position }
    }

    /// Continues with a copy: a backup, or the files as a kill leaves them.
    private mutating func openCopy() throws {
        moves += 1
        let newPath = "\(directory)/\(moves)"
        mkdir(newPath, 0o700)
        if random.below(2) == 0 {
            let backup = try file.map { try Backup(of: $0, to: "\(newPath)/journal.db") }
            while try backup?.step() == nil {}
        } else {
            for name in ["journal.db", "journal.db-wal"] { try copy(name, to: newPath) }
            let readOnly = try JournalFile(reading: "\(newPath)/journal.db")
            if let difference = try difference(readOnly) { throw Failure(why: difference) }
        }
        file = nil
        path = newPath
        file =
            random.below(3) == 0
            ? try JournalFile(existing: "\(newPath)/journal.db") : try JournalFile(newPath)
    }

    private func copy(_ name: String, to newPath: String) throws {
        guard let source = fopen("\(path)/\(name)", "r") else { return }
        guard let target = fopen("\(newPath)/\(name)", "w") else { throw Failure(why: name) }
        while case let byte = getc(source), byte != EOF { putc(byte, target) }
        fclose(source)
        fclose(target)
    }

    // MARK: what is found

    /// How the journal differs from the rows in memory; nil if it does not.
    mutating func difference() throws -> String? { try file.flatMap { try difference($0) } }

    private mutating func difference(_ file: JournalFile) throws -> String? {
        if let fault = try file.quickCheck().first { return fault }
        let newest = try file.newest(of: Self.names)
        let expected = Self.names.compactMap { name in newestRow(of: name) }
        if newest != expected { return "newest rows \(newest), not \(expected)" }
        for _ in 0..<6 {
            let query = query()
            let page = try page(query, file)
            let expected = query.page(of: rows)
            if page != expected {
                return
                    "\(query): \(page.rows.map(\.position)), not \(expected.rows.map(\.position))"
            }
        }
        return nil
    }

    private func newestRow(of name: String) -> NewestRow? {
        let rows = rows.filter { $0.session == name }
        guard let newest = rows.last, let state = rows.last(where: { $0.kind != .refusal }) else {
            return nil
        }
        return NewestRow(state, newestPosition: newest.journalPosition)
    }

    /// A query for rows of one of the sessions that had a name.
    private mutating func query() -> JournalQuery {
        let name = random.pick(Self.names)
        let positions = rows.filter { $0.session == name }.map(\.position)
        let session = positions.isEmpty ? 0 : sessions[random.pick(positions)]
        let own = positions.filter { sessions[$0] == session }
        let first = own.first ?? 1
        let last = own.isEmpty ? 10_000 : random.pick([own.last ?? 1, random.pick(own)])
        return JournalQuery(
            session: name, positions: first...last,
            beforeSeq: random.below(2) == 0 ? .max : random.below(40),
            kinds: random.pick([[.change], [.change, .refusal], [.rest]]),
            limit: 1 + random.below(50), byteLimit: random.below(4) == 0 ? 5 : .max)
    }

    /// The page that a search in steps finds. Between two steps, rows move from the tail to the index.
    private mutating func page(_ query: JournalQuery, _ file: JournalFile) throws -> JournalPage {
        var search = JournalSearch(query)
        let isTimeUp = random.below(2) == 0
        while try !search.step(in: file, isTimeUp: { isTimeUp }) {
            if file === self.file, random.below(6) == 0 { _ = try fillIndex(file) }
        }
        return search.page
    }

    // MARK: fixtures

    struct Failure: Error { let why: String }

    /// The statement that creates the index of earlier versions.
    static let earlierIndex =
        "CREATE INDEX IF NOT EXISTS row_by_session ON row (session, seq, position, kind)"

    /// Makes a journal one of an earlier version, which has no index of sessions but SQLite's.
    static func useEarlierIndex(_ file: JournalFile) throws {
        try file.database.run(
            "DROP TRIGGER IF EXISTS row_removed; DROP TABLE session_row;"
                + "DELETE FROM fact WHERE name = 'indexed'; \(earlierIndex)")
    }

    static func hasEarlierIndex(_ file: JournalFile) throws -> Bool {
        try file.database.value(
            "SELECT count(*) FROM sqlite_master WHERE name = 'row_by_session'") == "1"
    }

    /// Rows of this many sessions in turn, `count` for each, with bodies of this many bytes.
    static func rows(sessions: Int, each count: Int, bytes: Int = 100) -> [JournalRow] {
        (0..<(sessions * count)).map { number in
            JournalRow(
                position: number + 1, session: "room-\(number % sessions)",
                seq: number / sessions + 1, atNs: 1, body: [UInt8](repeating: 1, count: bytes),
                after: .start)
        }
    }
}
