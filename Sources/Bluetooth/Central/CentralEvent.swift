internal import Timers

/// An event that the central reports to its listener.
public enum CentralEvent {
    /// The controller is ready.
    case up
    /// The controller failed, for this reason; all links are lost.
    case down(_ why: String)
    /// A new device was received, or the name of a device has changed.
    case found(Device)
    /// A device is connected, and its subscriptions are made.
    case ready(Device, isReturn: Bool)
    case notified(Device, ValueNotification)
    /// The link of a ready device was lost.
    case lost(Device, reason: String)
}

/// A notification or indication of a characteristic.
public struct ValueNotification: Equatable, Sendable {
    public let of: Subscription
    public let value: [UInt8]
    /// The greatest possible age. Values that a device stored while it was disconnected are as old
    /// as the loss of its link.
    public let age: Duration
}
