public import GameFlow

/// Describes the Bluetooth devices that the daemon knows, and controls the simulated devices. The server's Bluetooth code
/// implements it, and the method `bluetooth` calls it.
public protocol DeviceRegistry: AnyObject {
    /// The members of the result of the method `bluetooth` for a caller with these rights: the state of the Bluetooth
    /// controller, and the devices.
    func status(for rights: Rights) -> [Member]
    /// Performs an action on a simulated device. Throws if the device does not exist, or if the device is not simulated.
    func simulate(_ action: SimulatedDeviceAction) throws(CallError)
}

/// An action on a simulated device. With a physical device, a person would perform this action.
public struct SimulatedDeviceAction: Equatable, Sendable {
    public enum Action: String, CaseIterable, Sendable {
        /// Presses a button of the device.
        case press
        /// Takes the device out of reach.
        case drop
        /// Takes the device back into reach.
        case `return`
        /// Makes the device end its connection and sleep until a button is pressed.
        case sleep
    }

    public let action: Action
    /// The name or the address of the device.
    public let device: String
    /// The number of the button to press, counted from 1. Other actions ignore it.
    public let button: Int

    public init(_ action: Action, _ device: String, button: Int = 1) {
        (self.action, self.device, self.button) = (action, device, button)
    }
}
