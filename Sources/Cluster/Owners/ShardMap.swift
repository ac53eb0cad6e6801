import Ownership
package import PostgresStore
package import Sessions

/// Which node owns which shard, as last read from the database. Nodes are told apart by their identities. Each process has an
/// identity of its own, even if two nodes have the same configured name.
package struct ShardMap {
    /// Which node serves a shard.
    package enum Location: Equatable {
        /// This node owns it and has restored its sessions.
        case here
        case node(identity: String)
        /// The shard has no owner at present, or its owner is not known.
        case nowhere
    }

    /// The identity of the live owner of each shard.
    private var owners: [Int: String] = [:]
    /// All nodes in the lease table, also those whose lease has ended.
    package private(set) var nodes: [LeaseTable.Node] = []

    /// The map before the first read: no shard has a known owner.
    package init() {}

    package init(_ snapshot: LeaseTable.Snapshot) {
        nodes = snapshot.nodes
        let alive = Set(nodes.filter(\.isAlive).map(\.identity))
        for row in snapshot.rows {
            if let owner = row.owner, alive.contains(owner) { owners[row.shard] = owner }
        }
    }

    /// The identity of a shard's owner; nil if the shard has no live owner.
    package func owner(of shard: Int) -> String? { owners[shard] }

    /// The node with this identity; nil if it is not in the lease table.
    package func node(_ identity: String) -> LeaseTable.Node? {
        nodes.first { $0.identity == identity }
    }

    /// The shard of a session, by the hash that all nodes use. `shards` is the number of shards of the store.
    package static func shard(of session: SessionName, shards: Int) -> Int {
        ShardOfSession.shard(of: session.text, shards: shards)
    }
}
