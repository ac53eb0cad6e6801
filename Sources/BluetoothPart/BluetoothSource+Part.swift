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
        page.add(.connectionUp, [Self.metricName, "bluetooth"], central.phase == .ready ? 1 : 0)
        page.add(
            .inputs, [Self.metricName],
            counts.accepted + counts.refused + counts.dropped + counts.unmatched)
        page.add(.inputsUnmatched, [Self.metricName], counts.unmatched)
    }

    /// The name of the controller in the metrics; a daemon has at most one.
    private static let metricName = "bluetooth"
}

/// A simulated radio runs on the virtual clock of the sessions.
extension BluetoothSource: ShardFollower {
    package func shardWasRestored(_ shard: Shard, _ rows: RestoredRows) {
        shard.sessions.simulator = radioDriver
    }

    package func shardHasEnded(_ shard: Shard) { shard.sessions.simulator = nil }
}
