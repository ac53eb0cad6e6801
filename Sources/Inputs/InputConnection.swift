public import Timers

/// A connection to an MQTT broker, a program that sends OSC, or a device of a room. After a failure it is opened again, after a
/// pause that grows with each failure in a row. Each kind of connection has a property `onInput`, which is called with each
/// input, in the order of arrival. All calls are on the loop's thread.
public protocol InputConnection: AnyObject {
    var status: ConnectionStatus { get }
    /// Called with nil when the connection is up, and with a sentence when it fails.
    var onChange: ((_ failure: String?) -> Void)? { get set }
    /// Opens the connection, now or as soon as it is possible.
    func start()
    /// Closes the connection. `start` opens it again. Calls `done`, now or later, when the other end has got what was sent.
    func stop(_ done: @escaping () -> Void)
    /// Calls `onInput` with everything that has arrived and was not read yet. If only the beginning of a
    /// message has arrived, the message is dropped if the kind of connection allows it.
    func readUnread()
}

/// The state of a connection, for an operator. Instants are on the loop's clock.
public struct ConnectionStatus: Equatable, Sendable {
    public private(set) var isUp = false
    /// The instant at which the connection went up or down; at first, the instant at which it was created.
    public private(set) var since: Instant
    /// The instant at which the last message was received.
    public private(set) var lastSeen: Instant?
    /// A sentence about the last failure; it stays when the connection is up again.
    public private(set) var lastError: String?
    /// The numbers of messages received and sent since the connection was created. Each line and each pressed key counts as
    /// one.
    public private(set) var received = 0
    public private(set) var sent = 0
    /// The number of messages that could not be decoded, or were too long.
    public var malformed = 0

    public init(at now: Instant) { since = now }

    /// Records that the connection is up.
    mutating func markUp(at now: Instant) { (isUp, since) = (true, now) }

    /// Records that the connection is down. `why` is a sentence about the failure; nil if the connection was stopped.
    mutating func markDown(_ why: String?, at now: Instant) {
        if isUp { since = now }
        isUp = false
        if let why { lastError = why }
    }

    /// Counts a message that was received.
    mutating func countReceived(at now: Instant) {
        received += 1
        lastSeen = now
    }

    /// Counts a message that was sent.
    mutating func countSent() { sent += 1 }
}
