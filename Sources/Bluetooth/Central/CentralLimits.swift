internal import Timers

/// All limits and timeouts of the central.
public struct CentralLimits: Sendable {
    /// How many devices are remembered; `DeviceList` says which are removed first.
    public var devices = 256
    /// How many links may be open at once.
    public var links = 32
    /// How many attributes a device may have.
    public var attributes = 1024
    /// How many packets of a link may wait for the controller; a device that causes more is
    /// disconnected.
    public var packetsWaiting = 256
    /// How many commands may wait. While so many wait, further commands that a device has caused are not sent.
    public var commandsWaiting = 64
    /// How many notifications are stored that arrive before the handles of the characteristics are
    /// known.
    public var earlyNotifications = 1024
    /// How many bytes of an advertisement in several parts are stored; the value is the maximum of the standard.
    public var advertisementBytes = 1650
    /// How many framing errors in a row cause a new start of the controller.
    public var framingErrors = 16

    /// How long a controller may take to answer a command.
    public var commandTimeout = Duration.seconds(5)
    /// How long a connection to a device that has just advertised may take.
    public var connectTimeout = Duration.seconds(4)
    /// The longest advertising interval that is believed: the standard allows 10.24 s, so a longer one means that packets were
    /// missed. A connection may take two intervals of its device, if that is more than `connectTimeout`.
    public var longestAdvertisingInterval = Duration.seconds(11)
    /// How long a device may take to answer an ATT request; the value is that of the standard.
    public var attTimeout = Duration.seconds(30)
    /// A device can store values while it is disconnected. A value that arrives within this time after gamed has subscribed
    /// counts as stored.
    public var replayWindow = Duration.milliseconds(200)

    public init() {}
}
