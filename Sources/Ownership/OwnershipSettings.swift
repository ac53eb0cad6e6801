/// The settings of `Ownership`. All nodes of a store must have the same settings.
public struct OwnershipSettings: Equatable, Sendable {
    /// The number of shards.
    public var shards: Int
    /// How long an owner's lease is valid after a renewal.
    public var lease: Duration
    /// The time from the start of a renewal to the start of the next renewal.
    public var renewal: Duration
    /// A node stops acting as the owner this long before the end of its lease.
    public var margin: Duration
    /// If the clock of a node differs from the clock of the database by more than this time, the node acquires no shard.
    public var greatestSkew: Duration

    public init(
        shards: Int = 256, lease: Duration = .seconds(3), renewal: Duration = .seconds(1),
        margin: Duration = .milliseconds(200), greatestSkew: Duration = .milliseconds(500)
    ) {
        (self.shards, self.lease, self.renewal) = (shards, lease, renewal)
        (self.margin, self.greatestSkew) = (margin, greatestSkew)
    }
}

/// The identity of a node. Each process has its own: two processes with the same name are two nodes.
public struct NodeIdentity: Hashable, Comparable, Sendable {
    public let text: String

    public init(_ text: String) { self.text = text }

    public static func < (a: NodeIdentity, b: NodeIdentity) -> Bool { a.text < b.text }
}

/// The shard of a session, by a hash of its name that never changes (FNV-1a, 64 bits).
public enum ShardOfSession {
    /// The number of the shard: at least 0 and less than `shards`.
    public static func shard(of name: String, shards: Int) -> Int {
        // The two constants are the offset basis and the prime of FNV-1a.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        // The lower bits of FNV-1a are distributed more evenly after they are mixed with the upper bits.
        return Int((hash ^ hash >> 32) % UInt64(max(1, shards)))
    }
}
