public import Timers

/// An input from a device or a program.
public enum Input: Equatable, Sendable {
    /// A message of an MQTT broker.
    case message(MQTTMessage)
    /// An OSC message, and the address of its sender.
    case osc(OSCMessage, from: String)
    /// A line of a serial device, without its line end.
    case line([UInt8])
    /// The code of a key that was pressed.
    case key(UInt16)
}

/// A connection to a broker, a program or a device of a room. After each failure the connection is opened again,
/// after a pause that grows. All calls are on the loop's thread.
public protocol InputConnection: AnyObject {
    var status: ConnectionStatus { get }
    /// Called with each input, in the order of arrival.
    var onInput: ((Input) -> Void)? { get set }
    /// Called with nil when the connection is up, and with the reason when it fails.
    var onChange: ((_ failure: String?) -> Void)? { get set }
    func start()
    /// Closes the connection. `start` opens it again.
    func stop()
}

/// The state of a connection, for an operator. Instants are on the loop's clock.
public struct ConnectionStatus: Equatable, Sendable {
    public private(set) var isUp = false
    /// The instant since which the connection is up or down.
    public private(set) var since: Instant
    /// The instant at which the last message was received.
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
