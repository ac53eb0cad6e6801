package import GameFlow
import JSONCoding
package import Parts
package import RPC
import Timers

/// The alerts that shards have no owner, that the database may lose changes, and that the clock of this machine is wrong.
extension ShardRouter: AlertedState {
    /// The difference of two clocks from which an alert begins.
    private static let greatestSkew = Duration.seconds(1)

    package func update(_ alerts: AlertBoard) {
        let missing = missingShardCount
        alerts.set(
            .shard, "owner",
            missing == 0
                ? nil
                : "\(missing) shard\(missing == 1 ? " has" : "s have") no owner. Requests to their sessions wait or are refused."
        )
        let weaknesses = storeWeaknesses
        alerts.set(
            .storage, "database",
            weaknesses.isEmpty
                ? nil
                : "The database may lose acknowledged changes: \(weaknesses.joined(separator: ", "))."
        )
        let skew = leases.skew
        let isLarge = skew >= Self.greatestSkew || Duration.zero - skew >= Self.greatestSkew
        alerts.set(
            .clock, "database",
            isLarge
                ? "This machine's clock differs from the database's by \(skew.milliseconds) ms. Dates and ages are wrong."
                : nil)
    }
}

/// The alerts of all nodes.
extension ShardRouter: AlertSharing {
    /// How long a request for the alerts waits for other nodes. One that does not answer is a fault that other alerts show.
    private static let alertPatience = Duration.seconds(2)

    package func collection(
        _ action: String?, id: String?, for caller: any Caller, own: @escaping () -> [Value]
    ) -> ((_ done: @escaping ([Value]) -> Void) -> Void)? {
        guard let client = caller as? any RoutableClient, !client.isRelayed else { return nil }
        return { [weak self] done in
            guard let self else { return done(own()) }
            routedClient(of: client).askOtherNodes(
                .alerts(action, id: id), patience: Self.alertPatience
            ) { [weak self] replies in
                done(self?.merged(own(), replies) ?? own())
            }
        }
    }

    /// The alerts of this node and those in the replies of others, the oldest first.
    private func merged(_ own: [Value], _ replies: [(node: String, reply: RoutedReply)])
        -> [Value]
    {
        var alerts = own.map { Self.add($0, node: name(ofNode: leases.identity)) }
        for (node, reply) in replies {
            guard case .result(let bytes) = reply,
                case .object(let result)? = Value(json: bytes),
                case .array(let others)? = result["alerts"]
            else { continue }
            alerts += others.map { Self.add($0, node: name(ofNode: node)) }
        }
        // Each node says that shards have no owner.
        var shardAlerts: Set<String> = []
        alerts.removeAll {
            guard case .object(let alert) = $0, alert["kind"]?.text == Alert.Kind.shard.rawValue
            else { return false }
            return !shardAlerts.insert(alert["id"]?.text ?? "").inserted
        }
        // Nodes answer in any order. The clocks of all nodes follow the database's.
        let sorted = alerts.enumerated().sorted {
            (Self.since($0.element), $0.offset) < (Self.since($1.element), $1.offset)
        }
        return sorted.suffix(AlertBoard.limit).map(\.element)
    }

    private static func add(_ alert: Value, node: String) -> Value {
        guard case .object(let members) = alert else { return alert }
        return .object(members + [Member("node", node)])
    }

    private static func since(_ alert: Value) -> Int {
        guard case .object(let members) = alert, case .int(let since)? = members["sinceMs"] else {
            return 0
        }
        return since
    }
}
