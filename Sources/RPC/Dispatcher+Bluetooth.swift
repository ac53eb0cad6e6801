internal import GameFlow
internal import JSONCoding
internal import Sessions

/// The method `bluetooth`, which shows Bluetooth devices and controls simulated ones.
extension Dispatcher {
    /// Performs the action of the request, if it has one, and writes the devices. Returns the number of the journal row that
    /// must be durable before the result is sent.
    func bluetooth(_ params: borrowing Params, _ caller: any Caller, _ writer: inout JSONWriter)
        throws(CallError) -> Int
    {
        guard let actionName = params.text(.action) else {
            guard !params.has(.device), !params.has(.button) else {
                throw .invalidParams("action: missing")
            }
            try check(.bluetooth, caller)
            return writeStatus(caller, &writer)
        }
        let action = try simulatedAction(actionName, params)
        // An action needs the role `operate`: a simulated device can send every event to which it is mapped.
        try check(.bluetooth, caller, needing: .operate)
        guard let devices else {
            throw .invalidParams("Bluetooth is off: start gamed with --bluetooth")
        }
        try devices.simulate(action)
        return writeStatus(caller, &writer)
    }

    /// Writes the state of the Bluetooth controller, and the devices. This result contains the outcomes of button presses,
    /// which reveal the state of sessions. Therefore the result waits for the newest row, whose number this function
    /// returns.
    private func writeStatus(_ caller: any Caller, _ writer: inout JSONWriter) -> Int {
        writer.object(devices?.status(for: caller.rights) ?? Self.noDevices)
        return sessions.newestRow
    }

    /// The button that is pressed if the request names none. Buttons are counted from 1.
    private static let firstButton = 1
    /// The members of the result if the daemon does not use Bluetooth.
    private static let noDevices = [Member("state", "off"), Member("devices", .array([]))]

    /// The action that the parameters describe.
    private func simulatedAction(_ actionName: String, _ params: borrowing Params)
        throws(CallError) -> SimulatedDeviceAction
    {
        guard let action = SimulatedDeviceAction.Action(rawValue: actionName) else {
            throw .invalidParams("action: expected \(SimulatedDeviceAction.Action.listed)")
        }
        guard let device = params.text(.device) else { throw .invalidParams("device: missing") }
        let button = try params.count(.button)
        guard button == nil || action == .press else {
            throw .invalidParams("button: allowed only with action press")
        }
        return SimulatedDeviceAction(action, device, button: button ?? Self.firstButton)
    }
}
