internal import Support
public import Timers

/// A device that was heard of.
public final class Device {
    public let address: DeviceAddress
    /// What it says it is called, cleaned of what a terminal would obey.
    public internal(set) var name: String?
    /// Whether it was heard whole: some tell a shortened one in each advertisement.
    var isNameWhole = false
    /// Whether it could be connected to when it advertised last; when that was, and how long after the time before.
    var isConnectable = false
    private var advertisedAt: Instant?
    private(set) var gap = Duration.zero
    /// How strong it was last heard, in dBm.
    public internal(set) var rssi: Int?
    /// How full its battery is, in percent.
    public internal(set) var battery: Int?
    /// When it was last heard, in whatever way.
    public internal(set) var heardAt: Instant
    public internal(set) var state = State.seen
    /// Why it cannot do all that is wanted of it.
    public internal(set) var problem: String?
    /// What is wanted of it; nil where nothing is, not even a link.
    var wish: [Subscription]?
    /// When its last link that was ready was lost; nil while one is, and before the first.
    public internal(set) var lostAt: Instant?
    /// What notifies, by the handle of its value, as it was found last.
    var notifying: [UInt16: Subscription] = [:]
    var backoff = Backoff()
    var notBefore = Instant.zero
    /// What has come of an advertisement that is not whole yet.
    var advertisement: [UInt8] = []

    /// How far it got.
    public enum State: Equatable, Sendable {
        /// It advertises, and is not wanted, or is left alone for a while.
        case seen
        case connecting
        /// It is asked what it has.
        case discovering
        /// It notifies.
        case ready
        /// It was lost, and has not been heard of since.
        case away
    }

    init(_ address: DeviceAddress, at now: Instant) { (self.address, heardAt) = (address, now) }

    /// It advertises.
    func advertised(at now: Instant, isConnectable: Bool) {
        gap = advertisedAt.map { now - $0 } ?? .zero
        (advertisedAt, self.isConnectable) = (now, isConnectable)
    }

    /// Whether there is a link to it, or is about to be.
    var isEngaged: Bool { state != .seen && state != .away }
    public var isWanted: Bool { wish != nil }
}
