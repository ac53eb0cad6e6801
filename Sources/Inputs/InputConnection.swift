public import Timers

/// An input from a device or a program.
public enum Input: Equatable, Sendable {
    case message(MQTTMessage)
    /// An OSC message, and the address of its sender.
    case osc(OSCMessage, from: String)
    /// A line without its end.
    case line([UInt8])
    /// The code of a key that was pressed.
    case key(UInt16)
}

/// A connection to the devices of a room. It tries again without end when it fails. All calls are on the loop's thread.
public protocol InputConnection: AnyObject {
    var status: ConnectionStatus { get }
    /// Called with everything that arrives, in order.
    var onInput: ((Input) -> Void)? { get set }
    /// Called when the connection is up, and when it fails, with the reason.
    var onChange: ((_ failure: String?) -> Void)? { get set }
    func start()
    /// Ends it. It can be started again.
    func stop()
}

/// The state of a connection, for an operator. Instants are on the loop's clock.
public struct ConnectionStatus: Equatable, Sendable {
    public private(set) var isUp = false
    /// Since when it is up or down.
    public private(set) var since: Instant
    /// When something was last received.
    public private(set) var lastSeen: Instant?
    public private(set) var lastError: String?
    /// The numbers of messages received and sent.
    public private(set) var received = 0
    public private(set) var sent = 0
    /// The number of messages that could not be decoded, or were too long.
    public var malformed = 0

    public init(at now: Instant) { since = now }

    mutating func up(at now: Instant) { (isUp, since) = (true, now) }

    mutating func down(_ why: String?, at now: Instant) {
        if isUp { since = now }
        isUp = false
        if let why { lastError = why }
    }

    mutating func receive(at now: Instant) {
        received += 1
        lastSeen = now
    }

    mutating func send() { sent += 1 }
}
