/// The shards that have waiting rows. Before the loop sleeps, their `endTurn` must be called, which passes the rows to the
/// store. A shard adds itself when its first row of a turn of the loop waits: a node has hundreds of shards, and most have
/// nothing to do.
package final class BusyShards {
    @exclusivity(unchecked) private var shards: [Shard] = []

    /// Whether no shard has waiting rows.
    package var isEmpty: Bool { shards.isEmpty }

    /// Adds a shard. Call it once for each shard and turn.
    package func add(_ shard: Shard) { shards.append(shard) }

    /// Calls `endTurn` of each shard, and also of shards that are added during these calls.
    package func endTurn() {
        while !shards.isEmpty {
            for shard in exchange(&shards, with: []) { shard.endTurn() }
        }
    }
}
