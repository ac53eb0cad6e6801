public import Access
public import GameFlow

/// Who knows the Bluetooth devices, and moves those that are simulated.
public protocol DeviceRegistry: AnyObject {
    /// The controller and the devices, as `bluetooth` tells somebody who may observe those sessions.
    func status(for rights: Rights) -> [Member]
    /// Does with a simulated device what a person would do. Throws if there is none such, or it is not simulated.
    func simulate(_ deed: SimulatedDeviceAction) throws(CallError)
}

/// What is done with a simulated device, by hand.
public struct SimulatedDeviceAction: Equatable, Sendable {
    public enum Action: String, CaseIterable, Sendable {
        case press, drop, `return`, sleep
    }

    public let action: Action
    /// Its name or its address.
    public let device: String
    /// Which button, counted from 1.
    public let button: Int

    public init(_ action: Action, _ device: String, button: Int = 1) {
        (self.action, self.device, self.button) = (action, device, button)
    }
}
