/// The shards that have something to do before the loop sleeps.
final class BusyShards {
    private var hosts: [ShardHost] = []

    func add(_ host: ShardHost) { hosts.append(host) }

    /// Calls `endTurn` of each, also of those that are added meanwhile.
    func endTurn() {
        while !hosts.isEmpty {
            for host in exchange(&hosts, with: []) { host.endTurn() }
        }
    }
}
