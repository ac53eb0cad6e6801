internal import Support
public import Timers

/// A device from which the Bluetooth controller has received a packet.
public final class Device {
    public let address: DeviceAddress
    /// The advertised name, without control characters.
    public internal(set) var name: String?
    /// Whether the name is complete. Some devices advertise a shortened name.
    var isNameComplete = false
    /// Whether the device accepts connections, according to its last advertisement.
    var isConnectable = false
    /// When the last advertisement was received.
    private var advertisedAt: Instant?
    /// The time between the last two advertisements; zero after the first.
    private(set) var advertisingInterval = Duration.zero
    /// The last received signal strength, in dBm.
    public internal(set) var rssi: Int?
    /// The battery level in percent.
    public internal(set) var battery: Int?
    /// When a packet of the device was last received.
    public internal(set) var heardAt: Instant
    public internal(set) var state = State.seen
    /// A sentence for operators: why the wanted link or a wanted subscription does not work.
    public internal(set) var problem: String?
    /// The wanted subscriptions; nil if not even a link is wanted.
    var wantedSubscriptions: [Subscription]?
    /// When the last ready link was lost. Nil while a link is ready, if no link was ever ready, or if the last ready link ended
    /// without a loss (`Link.endsSilently`).
    public internal(set) var lostAt: Instant?
    /// The subscribed characteristics, by the handle of their value, from the last discovery.
    var subscriptionsByHandle: [UInt16: Subscription] = [:]
    /// The delay between connection attempts, which increases with each failure.
    var backoff = Backoff()
    /// Before this instant no connection is attempted.
    var nextAttemptAt = Instant.zero
    /// The received parts of an advertisement that is not complete.
    var partialAdvertisement: [UInt8] = []

    /// The state of the device's link.
    public enum State: Equatable, Sendable {
        /// The device advertises, and has no link: it is not wanted, or the next connection attempt has not begun.
        case seen
        case connecting
        /// The device's attributes are being read.
        case discovering
        /// The subscriptions are made.
        case ready
        /// The link was lost, and the device has not advertised since.
        case away
    }

    init(_ address: DeviceAddress, at now: Instant) { (self.address, heardAt) = (address, now) }

    /// Records that the device has advertised.
    func recordAdvertisement(at now: Instant, isConnectable: Bool) {
        advertisingInterval = advertisedAt.map { now - $0 } ?? .zero
        (advertisedAt, self.isConnectable) = (now, isConnectable)
    }

    /// Whether there is a link or a connection attempt.
    var hasLinkOrAttempt: Bool { state != .seen && state != .away }
    public var isWanted: Bool { wantedSubscriptions != nil }
}

/// The known devices, in the order of their first packets. The number is limited,
/// because anyone can transmit names and addresses.
struct DeviceList {
    private(set) var all: [Device] = []
    private var byAddress: [DeviceAddress: Device] = [:]
    /// The maximum number of devices. The list is longer only if all devices have a link or a connection attempt.
    var limit = Int.max

    subscript(_ address: DeviceAddress) -> Device? { byAddress[address] }

    /// Adds a device. If the list is full, first removes a device that has neither a link nor a connection attempt.
    mutating func append(_ device: Device) {
        if all.count >= limit, let index = indexToRemove {
            byAddress[all.remove(at: index).address] = nil
        }
        all.append(device)
        byAddress[device.address] = device
    }

    /// The index of the device to remove. A device with a link or a connection attempt cannot be removed. Nil if no device can
    /// be removed. Among several devices, a device that is not wanted comes first. Next comes a device that has not lost a
    /// ready link: it is not expected back. Last comes any device. Among equals, the first is removed.
    private var indexToRemove: Int? {
        all.firstIndex { !$0.isWanted && !$0.hasLinkOrAttempt }
            ?? all.firstIndex { $0.lostAt == nil && !$0.hasLinkOrAttempt }
            ?? all.firstIndex { !$0.hasLinkOrAttempt }
    }
}
