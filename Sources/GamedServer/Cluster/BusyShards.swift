import Net

/// The shards that have waiting rows or replies. Before the loop sleeps, `ShardHost.endTurn` must be called for each of these
/// shards. This call passes on the rows and replies of the shard. A shard adds itself when its first row or reply of a turn of
/// the loop waits.
final class BusyShards {
    private var hosts: [ShardHost] = []

    /// Adds a shard. Call it once for each shard and turn.
    func add(_ host: ShardHost) { hosts.append(host) }

    /// Calls `endTurn` of each shard, and also of shards that are added during these calls. Returns whether output is left for
    /// the next turn, because the time `limit` is over.
    func endTurn(within limit: Duration) -> Bool {
        var time = DeliveryTime(limit: limit)
        var unfinished: [ShardHost] = []
        while !hosts.isEmpty {
            for host in exchange(&hosts, with: []) where host.endTurn(&time) {
                unfinished.append(host)
            }
        }
        for host in unfinished { host.requestEndTurn() }
        return !unfinished.isEmpty
    }
}
