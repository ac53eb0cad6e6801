internal import Timers

/// All limits and timeouts of the central. The central is the object that finds Bluetooth devices and keeps links to these
/// devices.
public struct CentralLimits: Sendable {
    /// How many devices are remembered. Devices without a link are forgotten first, and among them those that are not wanted.
    public var devices = 256
    /// How many links may be open at once.
    public var links = 32
    /// How many attributes a device may have.
    public var attributes = 1024
    /// How many packets to one device may wait until the controller has a free buffer. A device that causes more is
    /// disconnected.
    public var packetsWaiting = 256
    /// How many commands may wait until the controller accepts them. While so many wait, a command that a device has caused is
    /// dropped.
    public var commandsWaiting = 64
    /// How many notifications of a link are stored until the handles of its characteristics are known. Further notifications
    /// are dropped.
    public var earlyNotifications = 1024
    /// The maximum length of an advertisement that arrives in several parts, in bytes. The standard defines this value.
    public var advertisementBytes = 1650
    /// After this many framing errors in a row, the controller is started again. A framing error is a byte that begins no
    /// packet.
    public var framingErrors = 16

    /// How long a controller may take to answer a command.
    public var commandTimeout = Duration.seconds(5)
    /// How long a connection to a device that has just advertised may take.
    public var connectTimeout = Duration.seconds(4)
    /// A connection may take two advertising intervals of the device, if that is more than `connectTimeout`. A measured
    /// interval above this limit is ignored: the standard allows at most 10.24 s, so some advertisements were missed.
    public var longestAdvertisingInterval = Duration.seconds(11)
    /// How long a device may take to answer a request of the Attribute Protocol (ATT). The standard defines this value.
    public var attTimeout = Duration.seconds(30)
    /// A device can store values while it is disconnected. A value that arrives within this time after a subscription was made
    /// counts as stored.
    public var replayWindow = Duration.milliseconds(200)

    public init() {}
}
