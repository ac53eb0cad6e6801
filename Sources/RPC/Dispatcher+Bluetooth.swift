internal import GameFlow
internal import JSONCoding
internal import Sessions

/// The method that shows Bluetooth devices and controls simulated ones.
extension Dispatcher {
    func bluetooth(_ params: borrowing Params, _ peer: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> Int
    {
        guard let text = params.text(.action) else {
            guard !params.has(.device), !params.has(.button) else {
                throw .invalidParams("action: missing")
            }
            try check(.bluetooth, peer)
            return tell(peer, &writer)
        }
        let action = try action(text, params)
        // Simulating a device needs more rights than viewing it: it can send any event that the
        // device is mapped to.
        try check(.bluetooth, peer, as: .operate)
        guard let devices else {
            throw .invalidParams("Bluetooth is off: start gamed with --bluetooth")
        }
        try devices.simulate(action)
        return tell(peer, &writer)
    }

    /// The outcomes of button presses reveal the state of sessions, so the result waits for the
    /// same rows as those.
    private func tell(_ peer: any Caller, _ writer: inout JSONWriter) -> Int {
        writer.object(devices?.status(for: peer.rights) ?? Self.noDevices)
        return sessions.newestRow
    }

    private static let noDevices = [Member("state", "off"), Member("devices", .array([]))]

    private func action(_ text: String, _ params: borrowing Params) throws(CallError)
        -> SimulatedDeviceAction
    {
        guard let action = SimulatedDeviceAction.Action(rawValue: text) else {
            throw .invalidParams("action: expected \(SimulatedDeviceAction.Action.listed)")
        }
        guard let device = params.text(.device) else { throw .invalidParams("device: missing") }
        let button = try params.count(.button)
        guard button == nil || action == .press else {
            throw .invalidParams("button: allowed only with action press")
        }
        return SimulatedDeviceAction(action, device, button: button ?? 1)
    }
}
