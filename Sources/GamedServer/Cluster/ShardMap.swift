import Ownership
import PostgresStore
import Sessions

/// Which node owns which shard, as last read from the database.
struct ShardMap {
    /// Which node serves a shard.
    enum Location: Equatable {
        /// This node owns it and has restored its sessions.
        case here
        case node(identity: String)
        /// The shard has no owner at present, or its owner is not known.
        case nowhere
    }

    /// The identity of the live owner of each shard.
    private var owners: [Int: String] = [:]
    private(set) var nodes: [LeaseTable.Node] = []
    private(set) var rows: [LeaseTable.Row] = []

    init() {}

    init(_ snapshot: LeaseTable.Snapshot) {
        nodes = snapshot.nodes
        rows = snapshot.rows
        let alive = Set(nodes.filter(\.isAlive).map(\.identity))
        for row in snapshot.rows {
            if let owner = row.owner, alive.contains(owner) { owners[row.shard] = owner }
        }
    }

    func owner(of shard: Int) -> String? { owners[shard] }

    func node(_ identity: String) -> LeaseTable.Node? { nodes.first { $0.identity == identity } }

    /// The shard of a session, by the hash that all nodes use.
    static func shard(of session: SessionName, shards: Int) -> Int {
        ShardOfSession.shard(of: session.text, shards: shards)
    }
}
