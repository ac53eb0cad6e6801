internal import GameFlow
internal import JSONCoding

/// The method `nodes`, which shows the nodes that share a store.
extension Dispatcher {
    /// Writes the nodes of the store and their shards.
    func nodes(_ writer: inout JSONWriter) {
        if let router { return writer.object(router.nodes()) }
        // A daemon that does not share its store is shown as a single node. This node owns the only shard. It has no address
        // for other nodes, and no lease.
        writer.object([
            Member(
                "nodes",
                .array([
                    .object([
                        Member("node", identity.node), Member("id", ""), Member("address", ""),
                        Member("self", .bool(true)), Member("shards", 1), Member("leaseMs", 0),
                        Member("rules", ""),
                    ])
                ])), Member("shards", 1), Member("missing", 0), Member("skewMs", 0),
            Member("differ", .bool(false)), Member("moves", .array([])),
        ])
    }
}
