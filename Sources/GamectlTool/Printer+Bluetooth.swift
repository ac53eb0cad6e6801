import GameFlow
import RPC
import Shell

/// Prints the Bluetooth controller and devices.
extension Printer {
    /// One device, if the request named one; otherwise the controller and all devices.
    func bluetooth(_ result: Value, ofDevice requested: Value? = nil) throws(CommandError)
        -> [String]
    {
        var devices = try result.list("devices")
        var lines: [String] = []
        if case .string(let name)? = requested {
            devices = devices.filter { $0.find("name") == .string(name) || hasAddress(name, $0) }
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

    private func hasAddress(_ address: String, _ device: Value) -> Bool {
        device.find("device") == .string(address.uppercased())
    }

    private func controller(_ result: Value) throws(CommandError) -> String {
        let state = try result.escapedText("state")
        guard result.find("controller") != nil else { return "bluetooth is \(state)" }
        let why = result.find("why") == nil ? "" : ": \(try result.escapedText("why"))"
        let painted = terminal.paint(state, state == "ready" ? .green : .red)
        return "\(try result.escapedText("controller")) is \(painted)\(why)"
    }

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

    /// The state of the connection, with a note if no `map` line names the device, and with the time for which the device
    /// has been away.
    private func state(of device: Value) throws(CommandError) -> String {
        let state = try device.escapedText("state")
        if try device.boolean("mapped") == false { return "\(state), not mapped" }
        guard state == "away", device.find("lostMs") != nil else { return state }
        return "\(state) for \(ClockText.length(try device.number("lostMs")))"
    }

    private func lastPress(_ device: Value) throws(CommandError) -> String {
        guard let press = device.find("lastPress") else {
            guard let value = device.find("lastValue") else { return "" }
            return "\(try value.escapedText("characteristic")) \(try value.escapedText("value"))"
        }
        let (ageWhenSent, timeSince) = (try press.number("ageMs"), try press.number("agoMs"))
        return "\(try press.escapedText("event")) @\(try press.escapedText("session")): "
            + (try press.escapedText("outcome"))
            + (ageWhenSent > 0 ? ", \(ageWhenSent) ms old" : "")
            + (timeSince > 0 ? ", \(ClockText.length(timeSince)) ago" : "")
    }
}
