public import Journal
internal import Sessions

/// Writes the rows of a journal to a database without rows, in one transaction.
///
/// Its calls block, so use it only in a program that may wait. Nothing is written unless `finish` is called.
public final class PostgresImport {
    private let session: PostgresSession
    private var epochs: [Int32: Int] = [:]
    /// The newest format of rows that the nodes of the database can read.
    private let format: RowFormat
    private var splitter: ShardSplitter

    /// Begins the import. Throws if a node uses the database, or if the database has rows. `pruned` says whether
    /// old rows were removed from the journal, and `shard` returns the shard of a session.
    public init(
        _ location: PostgresLocation, hasPruned pruned: Bool,
        shardOf shard: @escaping (_ session: String) -> Int
    ) throws(PostgresError) {
        session = try PostgresSession(location)
        splitter = ShardSplitter(hasPruned: pruned, shardOf: shard)
        // A weak store is a server whose settings let a crash lose acknowledged changes. The nodes that use the database later
        // refuse such a server; the import does not.
        try ServerCheck.check(
            session, severalHosts: location.namesSeveralHosts, acceptsWeakStore: true)
        let codec = try session.value(
            "SELECT value FROM gamed_fact WHERE name = '\(StoreCodec.note)'")
        format = StoreCodec.format(of: codec.flatMap { Int($0) } ?? StoreCodec.oldest)
        // The query of the shards locks them. Nodes that start meanwhile wait for the locks, and then see the imported rows.
        try session.script("SET lock_timeout = '5s'; BEGIN")
        let shards = try session.run(
            "SELECT id, epoch FROM gamed_shard ORDER BY id FOR NO KEY UPDATE")
        for row in 0..<shards.count {
            epochs[Int32(clamping: shards.integer(row, 0) ?? 0)] = shards.integer(row, 1) ?? 0
        }
        try Self.checkUnused(session)
        guard try session.run("SELECT 1 FROM gamed_row LIMIT 1").count == 0 else {
            throw PostgresError(
                .unsuitable,
                "the database has rows: copy into one that `gamed --prepare` has just made")
        }
    }

    /// Throws if a node has a valid lease.
    static func checkUnused(_ session: PostgresSession) throws(PostgresError) {
        let nodes = try session.run(
            """
            SELECT string_agg(name, ', ' ORDER BY name) FROM gamed_node
            WHERE lease_until > clock_timestamp()
            """)
        guard let names = nodes.text(0, 0) else { return }
        throw PostgresError(.unsuitable, "a node uses the database: \(names); stop it first")
    }

    /// Adds the next rows of the journal.
    public func append(_ rows: [JournalRow]) throws(PostgresError) {
        if format == .second, rows.contains(where: { $0.body.first == RowFormat.third.rawValue }) {
            throw PostgresError(
                .unsuitable,
                "an older gamed has prepared it, which cannot read these rows: copy into a database "
                    + "that this gamed's --prepare has made")
        }
        let parts = splitter.add(rows)
        guard !parts.isEmpty else { return }
        try session.run(
            Statement.append.text, PostgresRow.parameters(parts) { epochs[$0] ?? 0 })
    }

    /// Writes the access tokens, which all nodes share.
    public func add(_ tokens: [TokenTable.NamedLine]) throws(PostgresError) {
        guard !tokens.isEmpty else { return }
        guard try session.run("SELECT 1 FROM gamed_token LIMIT 1").count == 0 else {
            throw PostgresError(
                .unsuitable,
                "the database has tokens: copy into one that `gamed --prepare` has just made")
        }
        let changed = try session.run(
            TokenTable.changeText,
            [
                .int8(
                    try session.run("SELECT version FROM gamed_token_version").integer(0, 0) ?? 0),
                .texts([String]()), .texts(tokens.map(\.name)), .texts(tokens.map(\.line)),
            ])
        guard changed.count == 1 else {
            throw PostgresError(.unsuitable, "the tokens were changed meanwhile")
        }
    }

    /// Writes the notes and the time until which the daemon is known to have run, and commits.
    /// Returns the number of rows and of shards.
    public func finish(
        notes: [String: String], lastAliveNs: Int64
    ) throws(PostgresError) -> (rows: Int, shards: Int) {
        for (name, value) in notes.sorted(by: { $0.key < $1.key }) where name != "schema" {
            try session.run(
                """
                INSERT INTO gamed_fact VALUES ($1::text, $2::text)
                ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value
                """, [.text(name), .text(value)])
        }
        let newest = splitter.newestPositions.sorted { $0.key < $1.key }
        try session.run(
            """
            UPDATE gamed_shard s SET mark_position = h.position, mark_at = $3::int8, pruned = $4::int8
            FROM unnest($1::int4[], $2::int8[]) AS h (shard, position) WHERE s.id = h.shard
            """,
            [
                .int4s(newest.map(\.key)), .int8s(newest.map(\.value)), .int8(Int(lastAliveNs)),
                .int8(splitter.pruned),
            ])
        try session.script("COMMIT")
        return (splitter.count, newest.count)
    }
}

extension PostgresJournal {
    /// Throws if a node uses the database.
    public func checkUnused() throws(PostgresError) { try PostgresImport.checkUnused(session) }
}

extension PostgresError {
    /// The rows to import could not be read, for the reason `why`.
    public init(reading why: String) { self.init(.unsuitable, why) }
}
