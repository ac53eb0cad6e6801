import GameFlow
import RPC
import Shell

/// Prints the result of `bluetooth`: the Bluetooth controller and the devices.
extension Printer {
    /// The lines for one device, if the request names one; otherwise the controller and all devices. `nameOrAddress` is the
    /// device as the request names it.
    func bluetooth(_ result: Value, ofDevice nameOrAddress: Value? = nil) throws(CommandError)
        -> [String]
    {
        var devices = try result.list("devices")
        var lines: [String] = []
        if case .string(let text)? = nameOrAddress {
            devices = devices.filter { $0.find("name") == .string(text) || hasAddress($0, text) }
        } else {
            lines.append(try controller(result))
            if !devices.isEmpty { lines.append("") }
        }
        guard !devices.isEmpty else { return lines }
        var table = Table(header: ["DEVICE", "NAME", "STATE", "SIGNAL", "BATTERY", "LAST PRESS"])
        for device in devices { table.add(try row(device)) }
        lines += table.lines(terminal, indent: "  ")
        for device in devices {
            guard let problem = device.find("problem"), case .string(let why) = problem else {
                continue
            }
            let name = try device.escapedText(device.find("name") == nil ? "device" : "name")
            lines.append("  " + terminal.paint("\(name): \(TerminalSafe.escaped(why))", .red))
        }
        return lines
    }

    /// Whether the device has this address, in capitals or small letters.
    private func hasAddress(_ device: Value, _ address: String) -> Bool {
        device.find("device") == .string(address.uppercased())
    }

    /// A line with the controller's state, and why the controller is not ready. If there is no controller: `bluetooth is off`.
    private func controller(_ result: Value) throws(CommandError) -> String {
        let state = try result.escapedText("state")
        guard result.find("controller") != nil else { return "bluetooth is \(state)" }
        let why = result.find("why") == nil ? "" : ": \(try result.escapedText("why"))"
        let painted = terminal.paint(state, state == "ready" ? .green : .red)
        return "\(try result.escapedText("controller")) is \(painted)\(why)"
    }

    /// The cells of a device; empty for what is not known.
    private func row(_ device: Value) throws(CommandError) -> [String] {
        [
            try device.escapedText("device"),
            device.find("name") == nil ? "" : try device.escapedText("name"),
            try state(of: device),
            device.find("rssi") == nil ? "" : "\(try device.number("rssi")) dBm",
            device.find("battery") == nil ? "" : "\(try device.number("battery")) %",
            try lastPress(device),
        ]
    }

    /// The state of the connection to a device. If no `map` line names the device, the note `not mapped` follows the state. If
    /// a `map` line names the device and the device is away, the time since the loss of the connection follows the state.
    private func state(of device: Value) throws(CommandError) -> String {
        let state = try device.escapedText("state")
        if try device.boolean("mapped") == false { return "\(state), not mapped" }
        guard state == "away", device.find("lostMs") != nil else { return state }
        return "\(state) for \(ClockText.length(try device.number("lostMs")))"
    }

    /// The event of the device's newest press, and its outcome. If the device has sent no press, its newest value.
    private func lastPress(_ device: Value) throws(CommandError) -> String {
        guard let press = device.find("lastPress") else {
            guard let value = device.find("lastValue") else { return "" }
            return "\(try value.escapedText("characteristic")) \(try value.escapedText("value"))"
        }
        // The age of the event when it was sent to the session, and the time since then.
        let (ageMs, agoMs) = (try press.number("ageMs"), try press.number("agoMs"))
        return "\(try press.escapedText("event")) @\(try press.escapedText("session")): "
            + (try press.escapedText("outcome"))
            + (ageMs > 0 ? ", \(ageMs) ms old" : "")
            + (agoMs > 0 ? ", \(ClockText.length(agoMs)) ago" : "")
    }
}
