internal import Access
internal import GameFlow
internal import JSON
internal import Sessions

/// The method that tells of Bluetooth devices, and moves simulated ones.
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
        let deed = try deed(text, params)
        // To look is one thing; who moves a device may have it send whatever it is mapped to.
        try check(.bluetooth, peer, as: .operate)
        guard let devices else { throw .invalidParams("there is no --bluetooth") }
        try devices.simulate(deed)
        return tell(peer, &writer)
    }

    /// What became of presses shows what sessions have become: it waits for the disk as they do.
    private func tell(_ peer: any Caller, _ writer: inout JSONWriter) -> Int {
        writer.object(devices?.status(for: peer.rights) ?? Self.noDevices)
        return sessions.newestRow
    }

    private static let noDevices = [Member("state", "off"), Member("devices", .array([]))]

    private func deed(_ text: String, _ params: borrowing Params) throws(CallError)
        -> SimulatedDeviceAction
    {
        guard let action = SimulatedDeviceAction.Action(rawValue: text) else {
            throw .invalidParams("action: expected \(SimulatedDeviceAction.Action.listed)")
        }
        guard let device = params.text(.device) else { throw .invalidParams("device: missing") }
        let button = try params.count(.button)
        guard button == nil || action == .press else {
            throw .invalidParams("button: goes with press")
        }
        return SimulatedDeviceAction(action, device, button: button ?? 1)
    }
}
