/// The shards whose `endTurn` must be called before the loop sleeps.
final class BusyShards {
    private var hosts: [ShardHost] = []

    func add(_ host: ShardHost) { hosts.append(host) }

    /// Calls `endTurn` of each shard, and also of shards that are added during these calls.
    func endTurn() {
        while !hosts.isEmpty {
            for host in exchange(&hosts, with: []) { host.endTurn() }
        }
    }
}
