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
