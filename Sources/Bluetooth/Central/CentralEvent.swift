internal import Timers

/// An event that the central reports to its listener.
public enum CentralEvent {
    /// The controller is ready.
    case up
    /// The controller failed, for this reason; all links are lost.
    case down(_ why: String)
    /// A new device was discovered, or the name of a device has changed.
    case found(Device)
    /// A device is connected, and its subscriptions are made. `wasReadyBefore` is true if it was ready before and its link had
    /// been lost.
    case ready(Device, wasReadyBefore: Bool)
    case notified(Device, ValueNotification)
    /// The link of a ready device was lost.
    case lost(Device, reason: String)
}

/// A notification or indication of a characteristic.
public struct ValueNotification: Equatable, Sendable {
    public let subscription: Subscription
    public let value: [UInt8]
    /// The value is at most this old. A value that a device stored while it was disconnected may be as old as the loss of its
    /// link.
    public let age: Duration
}
