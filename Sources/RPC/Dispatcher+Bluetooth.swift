internal import GameFlow
internal import JSONCoding
internal import Sessions

/// The method that shows Bluetooth devices and controls simulated ones.
extension Dispatcher {
    /// Returns the journal row that the result waits for.
    func bluetooth(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> Int
    {
        guard let text = params.text(.action) else {
            guard !params.has(.device), !params.has(.button) else {
                throw .invalidParams("action: missing")
            }
            try check(.bluetooth, caller)
            return writeStatus(caller, &writer)
        }
        let action = try simulatedAction(text, params)
        // An action needs the role `operate`: a simulated device can send every event to which it is mapped.
        try check(.bluetooth, caller, needing: .operate)
        guard let devices else {
            throw .invalidParams("Bluetooth is off: start gamed with --bluetooth")
        }
        try devices.simulate(action)
        return writeStatus(caller, &writer)
    }

    /// Writes the controller and the devices. The result contains the outcomes of button presses, which reveal the state of
    /// sessions. Therefore it waits for the newest row, which this function returns.
    private func writeStatus(_ caller: any Caller, _ writer: inout JSONWriter) -> Int {
        writer.object(devices?.status(for: caller.rights) ?? Self.noDevices)
        return sessions.newestRow
    }

    private static let noDevices = [Member("state", "off"), Member("devices", .array([]))]

    private func simulatedAction(_ text: String, _ params: borrowing Params) throws(CallError)
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
