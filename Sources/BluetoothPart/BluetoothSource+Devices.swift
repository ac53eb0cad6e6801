import Bluetooth
package import GameFlow
package import RPC
import Sessions
import Support
import Timers

/// Describes the devices for the method `bluetooth`, and controls simulated devices.
extension BluetoothSource: BluetoothDevices {
    package func status(for rights: Rights) -> [Member] {
        var members = [Member("controller", location.text), Member("state", stateName)]
        if case .waiting(let why) = central.phase { members.append(Member("why", why)) }
        if simulator != nil { members.append(Member("simulated", .bool(true))) }
        members.append(Member("malformed", central.malformedCount))
        members.append(Member("dropped", counts.overflowed))
        // Mapped devices come first, because they are the most interesting. The mapped devices and the others are each sorted
        // by name; `~` puts devices without a name last.
        let devices = central.devices.sorted {
            let (rank, otherRank) = ($0.isWanted ? 0 : 1, $1.isWanted ? 0 : 1)
            return (rank, $0.name ?? "~", $0.address)
                < (otherRank, $1.name ?? "~", $1.address)
        }
        members.append(
            Member("devices", .array(devices.map { .object(self.members(of: $0, for: rights)) })))
        return members
    }

    /// The state of the controller, as the method `bluetooth` names it.
    private var stateName: String {
        switch central.phase {
        case .stopped: "stopped"
        case .opening: "opening"
        case .starting: "starting"
        case .ready: "ready"
        case .waiting: "down"
        }
    }

    /// The description of a device. If a `map` line applies to the device, the description has counts and the last events.
    private func members(of device: Device, for rights: Rights) -> [Member] {
        let now = central.clock.now
        var members = [Member("device", device.address.text)]
        if let name = device.name { members.append(Member("name", name)) }
        members.append(Member("state", "\(device.state)"))
        members.append(Member("mapped", .bool(device.isWanted)))
        if let rssi = device.rssi { members.append(Member("rssi", rssi)) }
        if let battery = device.battery { members.append(Member("battery", battery)) }
        members.append(Member("heardMs", Int((now - device.heardAt).milliseconds)))
        if let lostAt = device.lostAt {
            members.append(Member("lostMs", Int((now - lostAt).milliseconds)))
        }
        if let problem = device.problem { members.append(Member("problem", problem)) }
        guard device.isWanted else { return members }
        return members + statisticsMembers(of: statistics(device), for: rights)
    }

    /// The last press, and the last loss or return: each only if the client may observe its session. The counts and the last
    /// value: only if the client may observe all sessions.
    private func statisticsMembers(of statistics: DeviceStatistics, for rights: Rights) -> [Member]
    {
        var members: [Member] = []
        for kind in DeviceStatistics.DeliveryKind.allCases {
            let name = kind == .press ? "lastPress" : "lastLink"
            guard let delivery = statistics.lastDeliveries[kind],
                rights.has(.observe, in: delivery.session)
            else { continue }
            members.append(Member(name, value(delivery)))
        }
        guard rights.hasEverywhere(.observe) else { return members }
        for (name, count) in [
            ("links", statistics.connectionCount), ("taken", statistics.accepted),
            ("refused", statistics.refused),
            ("bounced", statistics.bounced), ("limited", statistics.limited),
        ] { members.append(Member(name, count)) }
        if let last = statistics.lastValue { members.append(Member("lastValue", value(last))) }
        return members
    }

    private func value(_ last: DeviceStatistics.LastValue) -> Value {
        .object([
            Member("service", last.subscription.service.text),
            Member("characteristic", last.subscription.characteristic.text),
            Member("value", Hexadecimal.write(last.value)), Member("atMs", last.atMs),
        ])
    }

    private func value(_ delivery: DeviceStatistics.Delivery) -> Value {
        .object([
            Member("event", delivery.event), Member("session", delivery.session.text),
            Member("atMs", Int(delivery.at.milliseconds)),
            Member("agoMs", Int((sessionsClock.now - delivery.at).milliseconds)),
            Member("ageMs", delivery.ageMs), Member("outcome", delivery.outcome),
        ])
    }

    // MARK: simulated actions

    /// Performs an action on a simulated device. The action has the name or the address of the device. Throws if the device or
    /// the button is not found, or if the devices are not simulated.
    package func simulate(_ action: SimulatedDeviceAction) throws(CallError) {
        guard let simulator else {
            throw .invalidParams("the devices at \(location.text) are not simulated")
        }
        let peripherals = simulator.peripherals
        guard
            let device = peripherals.first(where: {
                $0.model.name == action.device
                    || $0.model.address.text == action.device.uppercased()
            })
        else {
            let names = peripherals.map(\.model.name).joined(separator: ", ")
            throw .invalidParams("device: no \(action.device); the devices are \(names)")
        }
        switch action.action {
        case .press:
            // The request counts buttons from 1, the device from 0.
            guard device.press(button: action.button - 1) else {
                let count = device.model.buttons.count
                throw .invalidParams(
                    count == 0
                        ? "button: \(device.model.name) has no buttons"
                        : "button: expected \(count > 1 ? "1 to \(count)" : "1") for \(device.model.name)"
                )
            }
        case .drop: device.leaveRange()
        case .return: device.returnToRange()
        case .sleep: device.fallAsleep()
        }
        processSimulatedAction()
    }
}
