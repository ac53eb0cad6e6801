package import GameFlow
package import JSONCoding
package import RPC
package import Sessions

/// The nodes that own the sessions of a store, for the method `nodes`.
package protocol StoreNodes {
    /// The result of the method.
    func nodes() -> [Member]
    /// Lets all nodes write the newest format of rows. Calls `done` with the result of the method, or with the error that names
    /// the nodes that prevent it.
    func switchNodes(_ done: @escaping (Result<[Member], RequestError>) -> Void)
}

/// The method `nodes`: shows the nodes that share a store.
package struct NodesMethod: PartMethod {
    package let method = Method.nodes
    private let nodes: any StoreNodes

    package init(_ nodes: any StoreNodes) { self.nodes = nodes }

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
        if action != nil { return .deferred(DeferredResult(members: nodes.switchNodes)) }
        writer.object(nodes.nodes())
        return .succeeded
    }
}

/// A daemon that does not share its store, as a single node that owns the only shard. It has no address for other nodes, and
/// no lease.
package struct SingleNode: StoreNodes {
    private let identity: Dispatcher.ServerIdentity

    package init(_ identity: Dispatcher.ServerIdentity) { self.identity = identity }

    /// Changes nothing, because a state directory is converted when the daemon starts.
    package func switchNodes(_ done: @escaping (Result<[Member], RequestError>) -> Void) {
        done(.success(nodes()))
    }

    package func nodes() -> [Member] {
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
