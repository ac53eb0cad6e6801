internal import Timers

/// Every limit of the central, in one place, and how long it waits for what.
public struct CentralLimits: Sendable {
    /// How many devices are remembered; those that are missed least make room for new ones.
    public var devices = 256
    /// How many links are kept at once.
    public var links = 32
    /// How many attributes one device may have.
    public var attributes = 1024
    /// How many packets of one link wait for the controller to have room; a device that makes for more is cut off.
    public var packetsWaiting = 256
    /// How many commands wait for their turn, before what a device makes for is left out.
    public var commandsWaiting = 64
    /// How many notifications are kept that came before it was known what they are of.
    public var earlyNotifications = 1024
    /// How many bytes of an advertisement that comes in pieces are kept.
    public var advertisementBytes = 1650
    /// How often in a row a stream may make no sense before it is begun anew.
    public var framingLosses = 16

    /// How long a controller may take to answer a command.
    public var command = Duration.seconds(5)
    /// How long a device that was just heard may take to be connected to.
    public var connecting = Duration.seconds(4)
    /// One that advertises more seldom may take twice as long as between its last two times, if these were no further
    /// apart: the standard has 10.24 s for the longest interval.
    public var seldom = Duration.seconds(11)
    /// How long a device may take to answer about its attributes: as long as the attribute protocol allows.
    public var answer = Duration.seconds(30)
    /// So long after it was asked to notify, a device that was away still tells of what it kept meanwhile.
    public var replay = Duration.milliseconds(200)

    public init() {}
}
