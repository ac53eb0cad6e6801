internal import Timers

/// How bad the air is. Single packets of a link are never lost on the way: a radio sends them again until they
/// arrive, or the link is lost.
public struct AirConditions: Equatable, Sendable {
    /// From what all chance is drawn.
    public var seed: UInt64 = 1
    /// How many of a hundred advertisements nobody hears.
    public var advertisementsLost = 0
    /// By how much an advertisement comes late, at random: as much as the standard has it by default.
    public var advertisingJitter = Duration.milliseconds(10)
    /// How long a packet is on its way, at random between two lengths; the order stays.
    public var latency = Duration.zero...Duration.zero
    /// How long it takes until a link is there, once its device was heard.
    public var connecting = Duration.zero...Duration.zero
    /// How long links last on average; nil where none is lost by itself.
    public var linkLife: Duration?
    /// How long a device whose link was lost stays away.
    public var away = Duration.seconds(1)...Duration.seconds(5)
    /// Whether the controller tells of advertisements as those do that know Extended Advertising.
    public var isExtended = false

    public init() {}
}
