internal import Timers

/// What the central tells: the same, whatever controller it listens to.
public enum CentralEvent {
    /// The controller answers.
    case up
    /// It does not any more; all links are lost. Why, in words.
    case down(_ why: String)
    /// A device was heard of for the first time, or by another name.
    case found(Device)
    /// A link is there, and its device notifies.
    case ready(Device, isReturn: Bool)
    case notified(Device, ValueNotification)
    /// A link that was there is lost.
    case lost(Device, reason: String)
}

/// That a characteristic had something to tell.
public struct ValueNotification: Equatable, Sendable {
    public let of: Subscription
    public let value: [UInt8]
    /// How old it is at most: of a device that was away, what it kept meanwhile is as old as the loss.
    public let age: Duration
}
