import Bluetooth
import GameFlow
import RPC
import Sessions
import Timers

/// The data about a device in addition to the central's: the source of its events,
/// counters, and its last value.
final class DeviceStatistics {
    /// The source that is recorded with each change that it causes.
    let source: Source
    /// The time of the last accepted press for each line, by the line's index.
    var acceptedAt: [Int: Instant] = [:]
    /// The numbers of links, and of accepted and refused events.
    var links = 0
    var (taken, refused) = (0, 0)
    /// The numbers of presses dropped as bounces, and dropped by the limit per second.
    var (bounced, limited) = (0, 0)
    /// The present second, and the number of events in it.
    private var (second, inSecond) = (Instant.zero, 0)
    var lastValue: LastValue?
    var lastPress: Delivery?
    /// The last loss or return that was delivered to a session.
    var lastLink: Delivery?
    /// The states of sessions after the loss of its link.
    var statesAfterLoss: [SessionName: StateRecord] = [:]

    /// The last value that it sent, mapped or not.
    struct LastValue {
        let of: Subscription
        let value: [UInt8]
        let atMs: Int
    }

    /// An event that was sent because of the device.
    struct Delivery {
        let event: String
        let session: SessionName
        /// On the sessions' clock.
        let at: Instant
        let ageMs: Int
        /// `enter`, `keep`, `defer`, or the error's name.
        let outcome: String
    }

    /// Whether the limit per second allows another event.
    func allowsEvent(at now: Instant, limit: Int) -> Bool {
        if now - second >= .seconds(1) { (second, inSecond) = (now, 0) }
        inSecond += 1
        return limit == 0 || inSecond <= limit
    }

    init(_ device: Device) {
        source = Source(.bluetooth, peer: .device(device.address.text))
    }
}
