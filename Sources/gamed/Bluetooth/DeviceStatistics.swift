import Access
import Bluetooth
import GameFlow
import Sessions
import Timers

/// What is remembered of a device besides what the central knows: whom its events name, and what it told last.
final class DeviceStatistics {
    /// What each change that it causes names as its source.
    let source: Source
    /// When each line counted last, by the line's place.
    var counted: [Int: Instant] = [:]
    /// How many links it had, and how many events of its were taken and refused.
    var links = 0
    var (taken, refused) = (0, 0)
    /// How many bounced, and how many were too many for a second.
    var (bounced, limited) = (0, 0)
    /// The second in hand, and how many events came of it.
    private var (second, inSecond) = (Instant.zero, 0)
    var lastValue: LastValue?
    var lastPress: Deed?
    /// The last loss or return that a session was told of.
    var lastLink: Deed?
    /// What the loss of its link has made of sessions.
    var left: [SessionName: StateRecord] = [:]

    /// The last thing that it told, mapped or not.
    struct LastValue {
        let of: Subscription
        let value: [UInt8]
        let atMs: Int
    }

    /// An event that came of it.
    struct Deed {
        let event: String
        let session: SessionName
        /// On the sessions' clock.
        let at: Instant
        let ageMs: Int
        /// `enter`, `keep`, `defer`, or the error's name.
        let outcome: String
    }

    /// Whether one more event fits into the second.
    func mayTell(at now: Instant, limit: Int) -> Bool {
        if now - second >= .seconds(1) { (second, inSecond) = (now, 0) }
        inSecond += 1
        return limit == 0 || inSecond <= limit
    }

    init(_ device: Device) {
        source = Source(.bluetooth, peer: .device(device.address.text))
    }
}
