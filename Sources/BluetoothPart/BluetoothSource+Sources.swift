import Bluetooth
package import GameFlow
import Parts
import RPC
import Sessions
import Timers

/// Describes the mapped Bluetooth devices for the method `sources`, which lists all devices and connections.
extension BluetoothSource: SourceList {
    /// Describes the mapped devices: all of them if `name` is nil, else those whose name or address is `name`.
    package func sources(named name: String?) -> [Value] {
        // `~` puts devices without a name last.
        let mappedDevices = central.devices.filter(\.isWanted).sorted {
            ($0.name ?? "~", $0.address) < ($1.name ?? "~", $1.address)
        }
        return mappedDevices.filter { device in
            name == nil || device.name == name || device.address.text == name
        }.map(value)
    }

    /// The description of a device. For a device without a link, `forMs` is the time since its last link was lost.
    private func value(of device: Device) -> Value {
        let (now, statistics) = (central.clock.now, statistics(device))
        let isUp = device.state == .ready
        var members = [
            Member("source", device.name ?? device.address.text), Member("kind", "bluetooth"),
            Member("device", device.address.text), Member("state", isUp ? "up" : "down"),
        ]
        if !isUp, let lost = device.lostAt {
            members.append(Member("forMs", Int((now - lost).milliseconds)))
        }
        members.append(Member("heardMs", Int((now - device.heardAt).milliseconds)))
        if let problem = device.problem { members.append(Member("problem", problem)) }
        let dropped = statistics.bounced + statistics.limited
        // Each source has all these counts. The counts that are always 0 do not apply to Bluetooth devices.
        for (name, count) in [
            ("received", statistics.accepted + statistics.refused + dropped), ("sent", 0),
            ("taken", statistics.accepted), ("refused", statistics.refused), ("dropped", dropped),
            ("malformed", 0), ("unmatched", 0),
        ] { members.append(Member(name, count)) }
        if let last = statistics.lastEvent {
            members.append(Member("lastEvent", last.value(at: sessionsClock.now)))
        }
        return .object(members + [Member("lastUnmatched", .array([]))])
    }
}

extension DeviceStatistics {
    /// The last press, or the last loss or return if that was later.
    var lastEvent: SourceEvent? {
        let deliveries = DeliveryKind.allCases.compactMap { lastDeliveries[$0] }
        guard let last = deliveries.max(by: { $0.at < $1.at }) else { return nil }
        return SourceEvent(
            event: last.event, session: last.session.text, at: last.at, outcome: last.outcome)
    }
}
