public import EventLoop
public import Journal
internal import Timers

/// The leases of nodes and shards in the database, on a connection of their own: a renewal does not
/// wait behind an append.
public final class LeaseTable {
    private let link: PostgresLink
    private let owner: String
    private let name: String
    private let lease: Int

    /// A row of a shard, as it was read.
    public struct Row: Equatable, Sendable {
        public let shard: Int
        /// Nil if the last owner has released it.
        public let owner: String?
        public let epoch: Int
        /// In microseconds of the database's clock.
        public let leaseEnd: Int64
    }

    /// What a look shows.
    public struct View: Sendable {
        public let rows: [Row]
        /// The identities of the nodes whose own lease is valid.
        public let nodes: [String]
        /// The name of the node of each identity.
        public let names: [String: String]
        /// The database's time, in microseconds since 1970.
        public let time: Int64
        public let timeline: Int
    }

    /// Prepares to keep the leases of a process, whose identity is `owner`, under a node's name.
    public init(
        _ location: PostgresLocation, owner: String, name: String, lease: Duration,
        acceptsWeak: Bool, on loop: LibeventLoop
    ) {
        (self.owner, self.name, self.lease) = (owner, name, Int(lease.milliseconds))
        link = PostgresLink(
            location, ServerRequirement(acceptsWeak: acceptsWeak), preparing: [], on: loop,
            patience: lease)
    }

    /// Begins to connect.
    public func start() { link.start() }

    /// Ends the connection.
    public func stop() { link.stop() }

    private func execute(
        _ commands: [PostgresCommand],
        _ done: @escaping (Result<[PostgresResult], PostgresError>) -> Void
    ) {
        guard let connection = link.connection else {
            return done(.failure(PostgresError(.disconnected, "not connected")))
        }
        connection.execute(commands, done)
    }

    /// Renews the lease of the node, and of those of the shards that it owns. Returns their epochs,
    /// by shard. Writes the marks, and removes nodes that ended long ago.
    public func renew(
        _ shards: [Int], _ mark: HighWaterMark?,
        _ done: @escaping (Result<[Int: Int], PostgresError>) -> Void
    ) {
        let node = PostgresCommand(
            text: """
                WITH ended AS (
                    DELETE FROM gamed_node WHERE lease_until < clock_timestamp() - interval '1 min')
                INSERT INTO gamed_node (id, name, lease_until)
                VALUES ($1::text, $2::text, clock_timestamp() + $3::int8 * interval '1 ms')
                ON CONFLICT (id) DO UPDATE SET lease_until = EXCLUDED.lease_until
                """, [.text(owner), .text(name), .int8(lease)])
        let shards = PostgresCommand(
            text: """
                UPDATE gamed_shard SET lease_until = clock_timestamp() + $3::int8 * interval '1 ms',
                    mark_position = greatest(mark_position, $4::int8),
                    mark_at = greatest(mark_at, $5::int8)
                WHERE owner = $1::text AND id = ANY ($2::int8[]) RETURNING id, epoch
                """,
            [
                .text(owner), .int8s(shards), .int8(lease), .int8(mark?.position ?? 0),
                .int8(Int(mark?.atNs ?? 0)),
            ])
        execute([node, shards]) { result in
            done(
                result.map { results in
                    guard let found = results.last else { return [:] }
                    let pairs = (0..<found.count).map {
                        (found.integer($0, 0) ?? -1, found.integer($0, 1) ?? 0)
                    }
                    return Dictionary(pairs) { $1 }
                })
        }
    }

    /// Reads the rows of the shards and nodes.
    public func look(_ done: @escaping (Result<View, PostgresError>) -> Void) {
        let shards = """
            SELECT id, owner, epoch, \(Statement.leaseEnd) FROM gamed_shard ORDER BY id
            """
        let nodes = """
            SELECT id, name, lease_until >= clock_timestamp() FROM gamed_node ORDER BY id
            """
        let server = """
            SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8,
                ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int4
            """
        execute([shards, nodes, server].map { PostgresCommand(text: $0) }) { result in
            done(
                result.flatMap { results in
                    guard results.count == 3 else {
                        return .failure(PostgresError(.disconnected, "an answer is missing"))
                    }
                    return .success(View(results[0], results[1], results[2]))
                })
        }
    }

    /// Gives a shard up, if this process is its owner.
    public func release(
        _ shard: Int, _ mark: HighWaterMark?,
        _ done: @escaping (Result<Void, PostgresError>) -> Void
    ) {
        let release = PostgresCommand(
            text: """
                UPDATE gamed_shard SET owner = '', lease_until = '-infinity',
                    mark_position = greatest(mark_position, $3::int8),
                    mark_at = greatest(mark_at, $4::int8)
                WHERE id = $2::int8 AND owner = $1::text
                """,
            [
                .text(owner), .int8(shard), .int8(mark?.position ?? 0),
                .int8(Int(mark?.atNs ?? 0)),
            ])
        execute([release]) { done($0.map { _ in }) }
    }

    /// Removes the node: it takes part no more.
    public func leave(_ done: @escaping (Result<Void, PostgresError>) -> Void) {
        execute([
            PostgresCommand(text: "DELETE FROM gamed_node WHERE id = $1::text", [.text(owner)])
        ]) { done($0.map { _ in }) }
    }
}

extension LeaseTable.View {
    fileprivate init(_ shards: PostgresResult, _ nodes: PostgresResult, _ server: PostgresResult) {
        rows = (0..<shards.count).map { row in
            let owner = shards.text(row, 1) ?? ""
            return LeaseTable.Row(
                shard: shards.integer(row, 0) ?? 0, owner: owner.isEmpty ? nil : owner,
                epoch: shards.integer(row, 2) ?? 0, leaseEnd: Int64(shards.integer(row, 3) ?? 0))
        }
        let all = (0..<nodes.count)
        self.nodes = all.filter { nodes.isTrue($0, 2) }.compactMap { nodes.text($0, 0) }
        names = Dictionary(
            all.map { (nodes.text($0, 0) ?? "", nodes.text($0, 1) ?? "") }, uniquingKeysWith: { $1 }
        )
        time = Int64(server.integer(0, 0) ?? 0)
        timeline = server.integer(0, 1) ?? 0
    }
}
