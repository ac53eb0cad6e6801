import Bluetooth
package import Parts
import Sessions
package import Shards

/// The Bluetooth input as a part of the daemon.
extension BluetoothSource: TurnPart {
    package func reload(_ options: Options) { replace(options.bluetooth.maps, options.limits) }

    /// Resets the controller and connects all devices again, because what the controller and the devices have sent cannot be told
    /// from what they send now.
    package func dropInput() {
        inbox = []
        central.stop()
        central.start()
    }

    package func writeMetrics(to page: inout MetricsPage) {
        page.gauge(
            "gamed_bluetooth_up", "1 while the Bluetooth controller responds.",
            central.phase == .ready ? 1 : 0)
        page.gauge(
            "gamed_bluetooth_links", "Connected Bluetooth devices.", connectedDeviceCount)
        page.counter(
            "gamed_bluetooth_losses", "Lost links to Bluetooth devices.", counts.losses)
        page.counter(
            "gamed_bluetooth_events", "Events of Bluetooth devices that sessions accepted.",
            counts.accepted)
        page.counter(
            "gamed_bluetooth_refusals", "Events of Bluetooth devices that sessions refused.",
            counts.refused)
        page.counter(
            "gamed_bluetooth_dropped",
            "Presses that were not sent: bounces, and presses over a rate limit or the limit of waiting events.",
            counts.dropped)
    }
}

/// A simulated radio runs on the virtual clock of the sessions.
extension BluetoothSource: ShardFollower {
    package func shardWasRestored(_ shard: Shard, _ rows: RestoredRows) {
        shard.sessions.simulator = radioDriver
    }

    package func shardHasEnded(_ shard: Shard) { shard.sessions.simulator = nil }
}
