internal import Timers

/// An event that the central reports to its listener. The central is the object that finds Bluetooth devices and keeps links to
/// these devices.
public enum CentralEvent {
    /// The controller is ready.
    case up
    /// The controller failed, for this reason; all links are lost.
    case down(_ why: String)
    /// A packet of a new device was received, or the name of a device has changed.
    case found(Device)
    /// A device is connected, and its subscriptions are made. `wasReadyBefore` is true if the device was ready before and then
    /// its link was lost.
    case ready(Device, wasReadyBefore: Bool)
    /// A device has sent the value of a wanted characteristic.
    case notified(Device, ValueNotification)
    /// The link of a ready device was lost.
    case lost(Device, reason: String)
}

/// A notification or indication of a characteristic.
public struct ValueNotification: Equatable, Sendable {
    /// The characteristic and its service.
    public let subscription: Subscription
    public let value: [UInt8]
    /// The maximum age of the value. If the device may have stored the value while it was disconnected, the age counts from the
    /// loss of the device's previous link. Otherwise it counts from the arrival of the value.
    public let age: Duration
}
