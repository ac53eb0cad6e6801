import Cluster
import EventLoop
import Parts
import RPC
import Sessions
import Shards
import Timers

/// Begins and ends the alerts about the state of the daemon itself: its journal, its shards and its clock.
final class StateAlerts: Part {
    private let alerts: AlertBoard
    private let shards: OwnShards
    /// Knows the shards of all nodes; nil without a database.
    private let router: ShardRouter?
    /// Checks the state once a second.
    private var timer = Ticker()

    /// The difference of two clocks from which an alert begins.
    private static let greatestSkew = Duration.seconds(1)

    init(
        _ alerts: AlertBoard, _ shards: OwnShards, _ router: ShardRouter?, on loop: LibeventLoop
    ) {
        (self.alerts, self.shards, self.router) = (alerts, shards, router)
        timer.start(on: loop, .seconds(1)) { [unowned self] _ in check() }
    }

    var methods: [any PartMethod] { [AlertsMethod(alerts)] }

    private func check() {
        let outage = shards.outage
        set(
            .storage, "journal",
            outage.map { "The journal cannot be written: \($0). Changes are refused." })
        guard let router else { return }
        let missing = router.missingShardCount
        set(
            .shard, "owner",
            missing == 0
                ? nil
                : "\(missing) shard\(missing == 1 ? " has" : "s have") no owner. Requests to their sessions wait or are refused."
        )
        let skew = router.leases.skew
        let isLarge = skew >= Self.greatestSkew || Duration.zero - skew >= Self.greatestSkew
        set(
            .clock, "database",
            isLarge
                ? "This machine's clock differs from the database's by \(skew.milliseconds) ms. Dates and ages are wrong."
                : nil)
    }

    /// Begins an alert with this text, or ends it if there is none.
    private func set(_ kind: Alert.Kind, _ name: String, _ text: String?) {
        if let text { alerts.begin(kind, name, text) } else { alerts.end(kind, name) }
    }

    func writeMetrics(to page: inout MetricsPage) {
        page.gauge("gamed_alerts", "Alerts that operators see.", alerts.alerts.count)
    }

    func stop() { timer.stop() }
}
