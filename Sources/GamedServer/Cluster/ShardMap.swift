import Ownership
import PostgresStore
import Sessions

/// Which node owns which shard, as last seen in the database.
struct ShardMap {
    /// Where a shard is.
    enum Place: Equatable {
        /// This node owns it and has restored its sessions.
        case here
        case node(identity: String)
        /// It has no owner at present, or one that is unknown.
        case nowhere
    }

    private var owners: [Int: String] = [:]
    private(set) var nodes: [LeaseTable.Node] = []
    private(set) var rows: [LeaseTable.Row] = []

    init() {}

    init(_ view: LeaseTable.View) {
        nodes = view.nodes
        rows = view.rows
        let alive = Set(nodes.filter(\.isAlive).map(\.identity))
        for row in view.rows {
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
