public import Journal
internal import SQLiteStore
internal import Sessions

/// Reads all rows of a database as they were at one instant, while a daemon may go on writing.
///
/// Its calls block: for a worker thread, or a program that has nothing else to do.
public final class PostgresJournal {
    private let session: PostgresSession
    private let shard: Int32
    private static let rowsPerStep = 1000

    /// Connects, and begins a transaction that sees the present rows only.
    public init(_ location: PostgresLocation, shard: Int = 0) throws(PostgresError) {
        self.shard = Int32(clamping: shard)
        session = try PostgresSession(location)
        try ServerCheck.checkSchema(session)
        try session.script("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    }

    /// The notes about the journal, in the order of their names.
    public func facts() throws(PostgresError) -> [(name: String, value: String)] {
        let found = try session.run(
            "SELECT name, value FROM gamed_fact WHERE name <> 'schema' ORDER BY name")
        return (0..<found.count).map { (found.text($0, 0) ?? "", found.text($0, 1) ?? "") }
    }

    /// The position up to which old rows were removed: gaps before it are expected.
    public func pruned() throws(PostgresError) -> Int {
        let found = try session.run(
            "SELECT pruned FROM gamed_shard WHERE id = $1::int4", [.int4(shard)])
        guard let pruned = found.integer(0, 0), 0...JournalRow.most ~= pruned else { return 0 }
        return pruned
    }

    /// The position of the newest row; 0 if there is none.
    public func head() throws(PostgresError) -> Int {
        let found = try session.run(
            "SELECT coalesce(max(position), 0) FROM gamed_row WHERE shard = $1::int4",
            [.int4(shard)])
        return found.integer(0, 0) ?? 0
    }

    /// The high-water mark, as the last renewal of the owner's lease wrote it.
    public func mark() throws(PostgresError) -> HighWaterMark? {
        let found = try session.run(
            "SELECT mark_position, mark_at FROM gamed_shard WHERE id = $1::int4", [.int4(shard)])
        guard let position = found.integer(0, 0), let atNs = found.integer(0, 1), position > 0
        else { return nil }
        return HighWaterMark(position: position, atNs: Int64(atNs))
    }

    /// The next rows after a position, in order; none after the last one.
    public func rows(after position: Int) throws(PostgresError) -> [JournalRow] {
        PostgresRow.rows(
            try session.run(
                Statement.walk.text,
                [.int4(shard), .int8(position), .int8(Self.rowsPerStep)]))
    }

    /// Calls `take` with each row in order until it returns false.
    public func rows(_ take: (JournalRow) -> Bool) throws(PostgresError) {
        var position = 0
        while case let rows = try rows(after: position), let last = rows.last {
            for row in rows where !take(row) { return }
            // A row whose position is damaged must not lead back.
            position = max(position + 1, last.position)
        }
    }

    /// The size of the table of rows with its indexes, in bytes; 0 if it cannot be read.
    public var bytes: Int {
        let found = try? session.run("SELECT pg_total_relation_size('gamed_row')")
        return found?.integer(0, 0) ?? 0
    }

    /// Writes all rows and notes to a journal file that does not exist, and verifies it.
    func copy(to path: String, notes: [String: String]) -> Result<BackupFacts, StoreError> {
        do {
            let copy = try JournalCopy(to: path)
            var position = 0
            while case let rows = try rows(after: position), let last = rows.last {
                try copy.append(rows)
                position = last.position
            }
            for (name, value) in try facts() { try copy.note(name, value) }
            for (name, value) in notes.sorted(by: { $0.key < $1.key }) {
                try copy.note(name, value)
            }
            try copy.notePruned(upTo: try pruned())
            return .success(try copy.finish())
        } catch let error as PostgresError {
            return .failure(error.storeError)
        } catch {
            return .failure(StoreError(.other, why: "\(error)"))
        }
    }
}
