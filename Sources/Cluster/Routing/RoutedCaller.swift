package import RPC
package import Sessions

/// A sender of requests to the owners of sessions: a client, or this node itself.
package protocol RoutedCaller: Requester {
    /// Where the caller is connected. The same during its life.
    var origin: CallerOrigin { get }
    /// Sends the caller a notification that an owner's dispatcher has encoded.
    func receive(_ notification: EncodedNotification)
    /// Called when a shard of this node has a new owner. A caller that is connected to another node reports this to its node,
    /// which continues the caller's watches at the new owner.
    func shardMoved(_ shard: Int)
    /// Called when this node begins to serve a shard, whose newest change has the number `pos`. A caller that is connected to
    /// another node reports this to its node, which resumes the caller's watch of all sessions in this shard.
    func nodeServes(_ shard: Int, from pos: Int)
    /// Called when the watch of a target has begun. `missed` is what happened since the position at which the caller wants to
    /// continue: the changes, a gap if the changes are no longer remembered, or nothing.
    func beginWatch(_ target: WatchTarget, _ missed: Sessions.Missed)
    /// Called when the watch of a target has ended.
    func endWatch(_ target: WatchTarget)
}

/// Where a caller is connected.
package enum CallerOrigin: Equatable {
    /// It is a client of this node, or the node itself.
    case thisNode
    /// Another node relays its requests. `resumesWatches` says whether that node resumes the caller's watch of all sessions in a shard
    /// that this node begins to serve. A node of an earlier version does not.
    case otherNode(resumesWatches: Bool)
}

/// A client whose requests `ShardRouter` sends to the owners of sessions. It calls `ShardRouter.callerHasGone` when it ends.
package typealias RoutableClient = RoutedCaller & Caller

extension RoutedCaller {
    package var origin: CallerOrigin { .thisNode }
    /// Whether another node has relayed the caller's requests. This node does not pass them on to a third node.
    var isRelayed: Bool { origin != .thisNode }

    /// Does nothing: the watches of a caller that is connected to this node are resumed by `RoutedClient`.
    package func shardMoved(_ shard: Int) {}
    /// Does nothing, for the same reason.
    package func nodeServes(_ shard: Int, from pos: Int) {}
}
