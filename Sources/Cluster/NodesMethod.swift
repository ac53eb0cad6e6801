import GameFlow
package import JSONCoding
package import RPC

/// The method `nodes`: shows the nodes that share a store.
package struct NodesMethod: PartMethod {
    package let method = Method.nodes
    /// Knows the nodes; nil if the daemon does not share its store.
    private let router: ShardRouter?
    private let identity: Dispatcher.ServerIdentity

    package init(_ router: ShardRouter?, _ identity: Dispatcher.ServerIdentity) {
        (self.router, self.identity) = (router, identity)
    }

    /// Writes the nodes of the store and their shards. With the action `switch`, first lets the nodes write the newest format
    /// of rows.
    package func call(
        _ params: borrowing Params, _ caller: any Caller, _ dispatcher: Dispatcher,
        _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        let action = params.text(.action)
        guard action == nil || action == "switch" else {
            throw .invalidParams("action: expected switch")
        }
        // A state directory is converted when the daemon starts, so that without a router there is nothing to switch.
        if action != nil, let router {
            return .deferred(DeferredResult(members: router.switchNodes))
        }
        writer.object(router?.nodes() ?? ownNode)
        return .succeeded
    }

    /// A daemon that does not share its store, as a single node that owns the only shard. It has no address for other nodes, and
    /// no lease.
    private var ownNode: [Member] {
        [
            Member(
                "nodes",
                .array([
                    .object([
                        Member("node", identity.node), Member("id", ""), Member("address", ""),
                        Member("self", .bool(true)), Member("shards", 1), Member("leaseMs", 0),
                        Member("rules", ""),
                        Member("build", "\(identity.version)+\(identity.commit)"),
                        Member("format", identity.rowFormat),
                    ])
                ])), Member("shards", 1), Member("missing", 0), Member("skewMs", 0),
            Member("differ", .bool(false)), Member("moves", .array([])),
            Member("format", identity.rowFormat), Member("older", .array([])),
            Member("weak", .array([])),
        ]
    }
}
