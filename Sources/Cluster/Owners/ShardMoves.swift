import Timers

/// The newest moves of shards to other owners, as this node has noticed them.
struct ShardMoves {
    /// Nodes are named by their identities.
    struct Move {
        let shard: Int
        /// Empty if it is not known.
        let from: String
        let to: String
        /// The instant of the loop's clock at which this node noticed the move.
        let at: Instant
    }

    /// How many moves are kept.
    static let limit = 32

    /// The newest moves, oldest first.
    private(set) var recent: [Move] = []
    /// The last known owner of each shard.
    private var owners: [Int: String] = [:]

    /// Records the owner of a shard. Returns whether the shard has moved.
    mutating func record(_ shard: Int, to owner: String, at now: Instant) -> Bool {
        let previous = owners.updateValue(owner, forKey: shard) ?? ""
        guard previous != owner else { return false }
        recent.append(Move(shard: shard, from: previous, to: owner, at: now))
        if recent.count > Self.limit { recent.removeFirst() }
        return true
    }
}
