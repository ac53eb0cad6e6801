public import EventLoop
public import Journal
internal import Timers

/// Reads, renews and releases the leases of nodes and shards in the database. A `LeaseTable` has a connection of its own, so
/// that a renewal does not wait for an append.
public final class LeaseTable {
    private let link: PostgresLink
    /// The identity of this process.
    private let owner: String
    /// The description of this node that the other nodes read. If its `configurationDigest` is changed, the next renewal writes
    /// it to the database.
    public var node: NodeDescription
    /// The duration of a lease in milliseconds.
    private let lease: Int
    /// Whether the URL of the database names several servers.
    private let severalHosts: Bool
    /// Called for each notification from a node: a shard may have become free, or may have another owner.
    public var ownersMayHaveChanged: () -> Void = {}

    /// A row of a shard, as it was read.
    public struct Row: Equatable, Sendable {
        public let shard: Int
        /// The process that acquired the shard most recently; nil if that process has released the shard.
        public let owner: String?
        public let epoch: Int
        /// The end of the owner's lease, in microseconds of the database's clock.
        public let leaseEnd: Int64
        /// Whether rows of the shard's journal were erased while a process owned the shard. That process must then acquire the
        /// shard and read its journal again.
        public let isWithdrawn: Bool
    }

    /// All rows of the shards and nodes, as they were at one moment.
    public struct Snapshot: Sendable {
        public let rows: [Row]
        /// The nodes, sorted by their identities.
        public let nodes: [Node]
        /// The database's time, in microseconds since 1970.
        public let time: Int64
        /// The timeline of the server, which changes with a failover.
        public let timeline: Int
        /// The codec of the rows that nodes write.
        public let codec: Int

        /// The names of the nodes that prevent the switch to the newest codec: they are live, or were so a short time ago, and
        /// do not read it.
        public var nodesWithOlderCodec: [String] {
            let oldest = -StoreCodec.minutesOfAbsence * 60_000
            let names = nodes.filter {
                $0.description.codec < StoreCodec.newest && $0.leaseMs > oldest
            }.map(\.description.name)
            return Set(names).sorted()
        }
    }

    /// A row of a node.
    public struct Node: Equatable, Sendable {
        public let identity: String
        public let description: NodeDescription
        public let isAlive: Bool
        /// The time until the end of the node's lease, in milliseconds; negative if the lease has ended.
        public let leaseMs: Int
    }

    /// Prepares to renew the leases of a process whose identity is `owner`. `acceptsWeakStore` says whether a server may be
    /// used that can lose acknowledged changes.
    public init(
        _ location: PostgresLocation, owner: String, node: NodeDescription, lease: Duration,
        acceptsWeakStore: Bool, on loop: LibeventLoop
    ) {
        (self.owner, self.node, self.lease) = (owner, node, Int(lease.milliseconds))
        severalHosts = location.namesSeveralHosts
        link = PostgresLink(
            location, acceptsWeakStore: acceptsWeakStore, preparing: [], on: loop,
            timeout: lease)
        link.notified = { [unowned self] in ownersMayHaveChanged() }
        link.opened = { [unowned self] in
            link.execute([PostgresCommand(text: "LISTEN gamed_shard")]) { _ in }
        }
    }

    /// Begins to connect.
    public func start() { link.start() }

    /// Ends the connection.
    public func stop() { link.stop() }

    /// Renews the lease of the node, and of each of the given shards that it still owns. Calls `done` with the epochs of the
    /// renewed shards, by shard. Also writes the shards' high-water marks, and removes nodes whose leases
    /// ended so long ago that they cannot prevent a switch of the codec.
    public func renew(
        _ shards: [Int], _ marks: [Int: HighWaterMark],
        _ done: @escaping (Result<[Int: Int], PostgresError>) -> Void
    ) {
        let node = PostgresCommand(
            text: """
                WITH ended AS (
                    DELETE FROM gamed_node WHERE lease_until < clock_timestamp()
                        - interval '\(StoreCodec.minutesOfAbsence + 1) min')
                INSERT INTO gamed_node (id, name, address, facts, codec, lease_until)
                VALUES ($1::text, $2::text, $3::text, $4::text, $5::int8,
                    clock_timestamp() + $6::int8 * interval '1 ms')
                ON CONFLICT (id) DO UPDATE
                    SET lease_until = EXCLUDED.lease_until, facts = EXCLUDED.facts
                """,
            [
                .text(owner), .text(node.name), .text(node.address),
                .text(node.facts), .int8(node.codec), .int8(lease),
            ])
        // The rows are locked in the order of the shards. An append locks the rows in this order too, so that a renewal and an
        // append cannot deadlock.
        let shards = shards.sorted()
        let shardLeases = PostgresCommand(
            text: """
                WITH mine AS MATERIALIZED (
                    SELECT id FROM gamed_shard WHERE owner = $1::text AND id = ANY ($2::int8[])
                    ORDER BY id FOR NO KEY UPDATE)
                UPDATE gamed_shard s
                SET lease_until = clock_timestamp() + $3::int8 * interval '1 ms',
                    mark_position = greatest(mark_position,
                        ($4::int8[])[array_position($2::int8[], s.id::int8)]),
                    mark_at = greatest(mark_at,
                        ($5::int8[])[array_position($2::int8[], s.id::int8)])
                FROM mine WHERE s.id = mine.id RETURNING s.id, s.epoch
                """,
            [
                .text(owner), .int8s(shards), .int8(lease),
                .int8s(shards.map { marks[$0]?.position ?? 0 }),
                .int8s(shards.map { Int(marks[$0]?.atNs ?? 0) }),
            ])
        link.execute([node, shardLeases]) { result in
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
    public func read(_ done: @escaping (Result<Snapshot, PostgresError>) -> Void) {
        // `backend` is the server process that serves the owner's connection. An erasure of rows sets `backend` to NULL.
        let shards = """
            SELECT id, owner, epoch, \(Statement.leaseEnd), (backend IS NULL)::int4
            FROM gamed_shard ORDER BY id
            """
        let nodes = """
            SELECT id, name, address, facts, codec,
                (extract(epoch FROM lease_until - clock_timestamp()) * 1000)::int8
            FROM gamed_node ORDER BY id
            """
        let server = """
            SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::int8,
                ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int4,
                (SELECT value::int8 FROM gamed_fact WHERE name = '\(StoreCodec.note)')
            """
        link.execute([shards, nodes, server].map { PostgresCommand(text: $0) }) { result in
            done(
                result.flatMap { results in
                    guard results.count == 3 else {
                        return .failure(PostgresError(.disconnected, "an answer is missing"))
                    }
                    return .success(Snapshot(results[0], results[1], results[2]))
                })
        }
    }

    /// Releases the given shards, except shards that this process does not own. Writes the high-water marks of the released
    /// shards, and notifies the other nodes.
    public func release(
        _ shards: [Int], _ marks: [Int: HighWaterMark],
        _ done: @escaping (Result<Void, PostgresError>) -> Void
    ) {
        let release = PostgresCommand(
            text: """
                WITH mine AS MATERIALIZED (
                    SELECT id FROM gamed_shard WHERE owner = $1::text AND id = ANY ($2::int8[])
                    ORDER BY id FOR NO KEY UPDATE)
                UPDATE gamed_shard s SET owner = '', lease_until = '-infinity',
                    mark_position = greatest(mark_position,
                        ($3::int8[])[array_position($2::int8[], s.id::int8)]),
                    mark_at = greatest(mark_at,
                        ($4::int8[])[array_position($2::int8[], s.id::int8)])
                FROM mine WHERE s.id = mine.id
                """,
            [
                .text(owner), .int8s(shards), .int8s(shards.map { marks[$0]?.position ?? 0 }),
                .int8s(shards.map { Int(marks[$0]?.atNs ?? 0) }),
            ])
        let hint = PostgresCommand(text: "NOTIFY gamed_shard")
        link.execute([release, hint]) { done($0.map { _ in }) }
    }

    /// Notifies other nodes that owners have changed. The notification is only a hint and may be lost.
    public func hintOthers() {
        link.execute([PostgresCommand(text: "NOTIFY gamed_shard")]) { _ in }
    }

    /// Why the store cannot be switched to the newest codec.
    public enum SwitchError: Error, Equatable {
        /// Nodes that do not read the newest codec are live, or were so a short time ago (`nodesWithOlderCodec`).
        case olderNodes
        case failed(why: String)
    }

    /// Switches the store to the newest codec: from now on, nodes write rows of the newest format, and a node that does not
    /// read it gets no shard. Changes nothing if the store has the newest codec already.
    public func switchCodec(_ done: @escaping (Result<Void, SwitchError>) -> Void) {
        link.execute([PostgresCommand(text: StoreCodec.switchText)]) { result in
            done(
                result.map { _ in }.mapError { error in
                    error.sqlState == StoreCodec.blockedState
                        ? .olderNodes : .failed(why: error.why)
                })
        }
    }

    /// Reads why the server may lose acknowledged changes at present; an empty list if it does not. The start of a node has checked
    /// it, but the settings of a server can change, or another server can take its place.
    public func readWeaknesses(_ done: @escaping (Result<[String], PostgresError>) -> Void) {
        link.execute([PostgresCommand(text: ServerCheck.weaknessQuery)]) {
            [severalHosts] result in
            done(
                result.map { results in
                    results.first.map {
                        ServerCheck.weaknesses(in: $0, severalHosts: severalHosts)
                    } ?? []
                })
        }
    }

    /// Removes the node's row, because the node no longer takes part.
    public func leave(_ done: @escaping (Result<Void, PostgresError>) -> Void) {
        link.execute([
            PostgresCommand(text: "DELETE FROM gamed_node WHERE id = $1::text", [.text(owner)])
        ]) { done($0.map { _ in }) }
    }
}

extension LeaseTable.Snapshot {
    fileprivate init(_ shards: PostgresResult, _ nodes: PostgresResult, _ server: PostgresResult) {
        rows = (0..<shards.count).map { row in
            let owner = shards.text(row, 1) ?? ""
            return LeaseTable.Row(
                shard: shards.integer(row, 0) ?? 0, owner: owner.isEmpty ? nil : owner,
                epoch: shards.integer(row, 2) ?? 0, leaseEnd: Int64(shards.integer(row, 3) ?? 0),
                isWithdrawn: !owner.isEmpty && shards.integer(row, 4) == 1)
        }
        self.nodes = (0..<nodes.count).map { row in
            let leaseMs = nodes.integer(row, 5) ?? -1
            return LeaseTable.Node(
                identity: nodes.text(row, 0) ?? "",
                description: NodeDescription(
                    name: nodes.text(row, 1) ?? "", address: nodes.text(row, 2) ?? "",
                    facts: nodes.text(row, 3) ?? "",
                    codec: nodes.integer(row, 4) ?? 0),
                isAlive: leaseMs >= 0, leaseMs: leaseMs)
        }
        time = Int64(server.integer(0, 0) ?? 0)
        timeline = server.integer(0, 1) ?? 0
        codec = server.integer(0, 2) ?? StoreCodec.oldest
    }
}

/// What the other nodes read about a node.
public struct NodeDescription: Equatable, Sendable {
    public let name: String
    /// Where other nodes and clients connect; empty if they cannot.
    public let address: String
    /// A digest of the node's rules, flow files and `on` lines; nodes with the same configuration have the same digest.
    public var configurationDigest: String
    /// The newest version of the rows' codec that the node reads.
    public let codec: Int
    /// The version and the commit of the node's program, without blanks; empty if the node does not tell it.
    public let build: String

    public init(
        name: String, address: String = "", configurationDigest: String = "", codec: Int = 0,
        build: String = ""
    ) {
        (self.name, self.address, self.codec) = (name, address, codec)
        (self.configurationDigest, self.build) = (configurationDigest, build)
    }

    /// The text in the column `facts`: the digest, and the build if it is known.
    var facts: String { build.isEmpty ? configurationDigest : "\(configurationDigest) \(build)" }

    /// Reads the text in the column `facts`.
    init(name: String, address: String, facts: String, codec: Int) {
        let words = facts.split(separator: " ", maxSplits: 1).map(String.init)
        self.init(
            name: name, address: address, configurationDigest: words.first ?? "", codec: codec,
            build: words.count > 1 ? words[1] : "")
    }
}
