import GameFlow
import JSONCoding
package import Parts
import RPC
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
