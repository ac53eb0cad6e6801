package import GameFlow
package import JSONCoding
package import RPC
import Sessions

/// The Bluetooth devices, for the method `bluetooth`.
package protocol BluetoothDevices {
    /// The members of the result for a client with these rights: the state of the controller, and the devices.
    func status(for rights: Rights) -> [Member]
    /// Carries out an action of a simulated device. Throws if there is no such device.
    func simulate(_ action: SimulatedDeviceAction) throws(CallError)
}

/// The empty list of devices of a daemon that does not use Bluetooth.
package struct NoBluetooth: BluetoothDevices {
    package init() {}

    package func status(for rights: Rights) -> [Member] {
        [Member("state", "off"), Member("devices", .array([]))]
    }

    package func simulate(_ action: SimulatedDeviceAction) throws(CallError) {
        throw .invalidParams("Bluetooth is off: start gamed with --bluetooth")
    }
}

/// The method `bluetooth`, which shows Bluetooth devices and controls simulated ones.
package struct BluetoothMethod: PartMethod {
    package let method = Method.bluetooth
    private let bluetooth: any BluetoothDevices

    package init(_ bluetooth: any BluetoothDevices) { self.bluetooth = bluetooth }

    /// Performs the action of the request, if it has one, and writes the devices. The result contains the outcomes of button
    /// presses, which reveal the state of sessions. Therefore it waits for the newest row.
    package func call(
        _ params: borrowing Params, _ caller: any Caller, _ dispatcher: Dispatcher,
        _ writer: inout JSONWriter
    ) throws(CallError) -> CallOutcome {
        guard let actionName = params.text(.action) else {
            guard !params.has(.device), !params.has(.button) else {
                throw .invalidParams("action: missing")
            }
            try dispatcher.check(.bluetooth, caller)
            writeStatus(caller, &writer)
            return .succeeded(row: dispatcher.sessions.newestRow)
        }
        let action = try simulatedAction(actionName, params)
        // An action needs the role `operate`: a simulated device can send every event to which it is mapped.
        try dispatcher.check(.bluetooth, caller, needing: .operate)
        try bluetooth.simulate(action)
        writeStatus(caller, &writer)
        return .succeeded(row: dispatcher.sessions.newestRow)
    }

    /// Writes the state of the Bluetooth controller, and the devices.
    private func writeStatus(_ caller: any Caller, _ writer: inout JSONWriter) {
        writer.object(bluetooth.status(for: caller.rights))
    }

    /// The button that is pressed if the request names none. Buttons are counted from 1.
    private static let firstButton = 1

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
