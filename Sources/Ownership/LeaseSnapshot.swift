/// The rows of the shards and nodes in the database, as they were read at one moment.
public struct LeaseSnapshot: Equatable, Sendable {
    /// The row of a shard: the shard's owner, and the owner's lease.
    public struct Shard: Equatable, Sendable {
        /// The process that acquired the shard most recently. Nil if this process has released the shard, or if no process has
        /// acquired the shard yet.
        public var owner: NodeIdentity?
        /// Each acquisition increments the epoch, so that the database refuses the statements of earlier owners.
        public var epoch: Int
        /// The end of the lease, in microseconds of the database's clock. `Ownership` only compares it with the value that was
        /// read before: a change means that the owner has renewed the lease.
        public var leaseEnd: Int64

        public init(owner: NodeIdentity?, epoch: Int, leaseEnd: Int64) {
            (self.owner, self.epoch, self.leaseEnd) = (owner, epoch, leaseEnd)
        }
    }

    /// The rows of the shards; the index is the shard's number.
    public var shards: [Shard]
    /// The nodes whose own lease is valid, in any order.
    public var nodes: [NodeIdentity]
    /// The time by which the database's clock is ahead of the node's wall clock, as far as it is certain
    /// (`ClockDifference.certainPart`).
    public var skew: Duration
    /// The timeline of the PostgreSQL server, which changes with a failover.
    public var timeline: Int

    public init(shards: [Shard], nodes: [NodeIdentity], skew: Duration, timeline: Int) {
        (self.shards, self.nodes) = (shards, nodes)
        (self.skew, self.timeline) = (skew, timeline)
    }
}

/// A shard that was free when its row was read. The database gives the shard to a node only if the row has not changed since
/// then.
public struct FreeShard: Equatable, Sendable {
    /// The shard's number.
    public let shard: Int
    public let row: LeaseSnapshot.Shard

    public init(_ shard: Int, row: LeaseSnapshot.Shard) { (self.shard, self.row) = (shard, row) }
}
