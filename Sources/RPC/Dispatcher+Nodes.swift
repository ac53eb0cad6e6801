internal import GameFlow
internal import JSONCoding

/// The method `nodes`, which shows the nodes that share a store.
extension Dispatcher {
    /// Writes the nodes of the store and their shards. With the action `switch`, first lets the nodes write the newest format
    /// of rows.
    func nodes(_ params: borrowing Params, _ writer: inout JSONWriter) throws(CallError)
        -> CallOutcome
    {
        guard let action = params.text(.action) else {
            writeNodes(&writer)
            return .succeeded
        }
        guard action == "switch" else { throw .invalidParams("action: expected switch") }
        guard let router else {
            // A state directory is converted when the daemon starts.
            writeNodes(&writer)
            return .succeeded
        }
        return .deferred(
            DeferredResult { done in
                router.switchNodes { result in
                    done(
                        result.map { members in { $0.object(members) } }
                            .mapError { .refused($0) })
                }
            })
    }

    private func writeNodes(_ writer: inout JSONWriter) {
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
                        Member("build", "\(identity.version)+\(identity.commit)"),
                        Member("format", identity.rowFormat),
                    ])
                ])), Member("shards", 1), Member("missing", 0), Member("skewMs", 0),
            Member("differ", .bool(false)), Member("moves", .array([])),
            Member("format", identity.rowFormat), Member("older", .array([])),
            Member("weak", .array([])),
        ])
    }
}
