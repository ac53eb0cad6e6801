/// The result of one look at the database.
public struct DatabaseView: Equatable, Sendable {
    /// The row of a shard.
    public struct Shard: Equatable, Sendable {
        /// Nil if the last owner has released it.
        public var owner: NodeIdentity?
        public var epoch: Int
        /// The end of the lease, in microseconds of the database's clock. It is compared with
        /// itself only: a lease that is renewed has another one.
        public var leaseEnd: Int64

        public init(owner: NodeIdentity?, epoch: Int, leaseEnd: Int64) {
            (self.owner, self.epoch, self.leaseEnd) = (owner, epoch, leaseEnd)
        }
    }

    /// The rows, by the shards' numbers.
    public var shards: [Shard]
    /// The nodes whose own lease is valid, in any order.
    public var nodes: [NodeIdentity]
    /// By how much the database's clock is ahead of the node's wall clock.
    public var skew: Duration
    /// The server's timeline, which changes with a failover.
    public var timeline: Int

    public init(shards: [Shard], nodes: [NodeIdentity], skew: Duration, timeline: Int) {
        (self.shards, self.nodes) = (shards, nodes)
        (self.skew, self.timeline) = (skew, timeline)
    }
}

/// A shard that is free according to a view. The database gives it to the node only if its row is
/// still the same.
public struct FreeShard: Equatable, Sendable {
    public let shard: Int
    public let seen: DatabaseView.Shard

    public init(_ shard: Int, seen: DatabaseView.Shard) { (self.shard, self.seen) = (shard, seen) }
}
