public import GameFlow

/// Describes the Bluetooth devices that the daemon knows, and controls the simulated devices.
public protocol DeviceRegistry: AnyObject {
    /// The controller and the devices as the result of `bluetooth` shows them to a caller with these
    /// rights.
    func status(for rights: Rights) -> [Member]
    /// Performs an action on a simulated device. Throws if there is no such device, or if it is not
    /// simulated.
    func simulate(_ action: SimulatedDeviceAction) throws(CallError)
}

/// An action that a user would perform on the physical device.
public struct SimulatedDeviceAction: Equatable, Sendable {
    public enum Action: String, CaseIterable, Sendable {
        case press
        /// Takes the device out of reach.
        case drop
        /// Takes the device back into reach.
        case `return`
        case sleep
    }

    public let action: Action
    /// The name or the address of the device.
    public let device: String
    /// The number of the button, counted from 1.
    public let button: Int

    public init(_ action: Action, _ device: String, button: Int = 1) {
        (self.action, self.device, self.button) = (action, device, button)
    }
}
