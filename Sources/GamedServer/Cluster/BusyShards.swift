/// The shards whose `ShardHost.endTurn` must be called before the loop sleeps. It passes on the rows and replies of this turn
/// of the loop. A shard adds itself when its first row or reply of the turn waits.
final class BusyShards {
    private var hosts: [ShardHost] = []

    /// Adds a shard. Call it once for each shard and turn.
    func add(_ host: ShardHost) { hosts.append(host) }

    /// Calls `endTurn` of each shard, and also of shards that are added during these calls.
    func endTurn() {
        while !hosts.isEmpty {
            for host in exchange(&hosts, with: []) { host.endTurn() }
        }
    }
}
