import Access
import Bluetooth
import GameFlow
import RPC
import Sessions
import Support
import Timers

/// Describes the devices, and controls simulated ones.
extension BluetoothSource: DeviceRegistry {
    func status(for rights: Rights) -> [Member] {
        var members = [Member("controller", place.text), Member("state", stateName)]
        if case .waiting(let why) = central.phase { members.append(Member("why", why)) }
        if simulator != nil { members.append(Member("simulated", .bool(true))) }
        members.append(Member("malformed", central.malformed))
        members.append(Member("dropped", counts.overflowed))
        // Mapped devices first, because they are the most interesting; then by name.
        let devices = central.devices.sorted {
            let (a, b) = ($0.isWanted ? 0 : 1, $1.isWanted ? 0 : 1)
            return (a, $0.name ?? "~", $0.address) < (b, $1.name ?? "~", $1.address)
        }
        members.append(
            Member("devices", .array(devices.map { .object(self.members(of: $0, for: rights)) })))
        return members
    }

    private var stateName: String {
        switch central.phase {
        case .stopped: "stopped"
        case .opening: "opening"
        case .starting: "starting"
        case .ready: "ready"
        case .waiting: "down"
        }
    }

    private func members(of device: Device, for rights: Rights) -> [Member] {
        let now = central.timeline.now
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
        return members + doings(of: account(device), for: rights)
    }

    /// The outcomes of the device's presses in sessions that the peer may observe.
    private func doings(of account: DeviceStatistics, for rights: Rights) -> [Member] {
        var members: [Member] = []
        for (name, deed) in [("lastPress", account.lastPress), ("lastLink", account.lastLink)] {
            guard let deed, rights.has(.observe, in: deed.session) else { continue }
            members.append(Member(name, value(deed)))
        }
        guard rights.hasEverywhere(.observe) else { return members }
        for (name, count) in [
            ("links", account.links), ("taken", account.taken), ("refused", account.refused),
            ("bounced", account.bounced), ("limited", account.limited),
        ] { members.append(Member(name, count)) }
        if let last = account.lastValue { members.append(Member("lastValue", value(last))) }
        return members
    }

    private func value(_ last: DeviceStatistics.LastValue) -> Value {
        .object([
            Member("service", last.of.service.text),
            Member("characteristic", last.of.characteristic.text),
            Member("value", Hexadecimal.write(last.value)), Member("atMs", last.atMs),
        ])
    }

    private func value(_ deed: DeviceStatistics.Deed) -> Value {
        .object([
            Member("event", deed.event), Member("session", deed.session.text),
            Member("atMs", Int(deed.at.milliseconds)),
            Member("agoMs", Int((sessions.now - deed.at).milliseconds)),
            Member("ageMs", deed.ageMs), Member("outcome", deed.outcome),
        ])
    }

    // MARK: simulated actions

    func simulate(_ deed: SimulatedDeviceAction) throws(CallError) {
        guard let simulator else {
            throw .invalidParams("the devices at \(place.text) are not simulated here")
        }
        let all = simulator.peripherals
        guard
            let device = all.first(where: {
                $0.model.name == deed.device
                    || $0.model.address.text == deed.device.uppercased()
            })
        else {
            let names = all.map(\.model.name).joined(separator: ", ")
            throw .invalidParams("device: there is no \(deed.device); there is \(names)")
        }
        switch deed.action {
        case .press:
            guard device.press(button: deed.button - 1) else {
                throw .invalidParams(
                    "button: \(device.model.name) has \(device.model.buttons.count)")
            }
        case .drop: device.drop()
        case .return: device.comeBack()
        case .sleep: device.fallAsleep()
        }
        settle()
    }
}
