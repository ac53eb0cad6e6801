import Bluetooth
import GameFlow
import JSON
import Sessions
import Timers

/// What is remembered of a device besides what the central knows: whom its events name, and what it told last.
final class DeviceAccount {
    /// What each change that it causes names as its source.
    let source: Source
    /// When each line counted last, by the line's place.
    var counted: [Int: Instant] = [:]
    /// How many links it had, and how many events of its were taken and refused.
    var links = 0
    var (taken, refused) = (0, 0)
    /// How many bounced.
    var bounced = 0
    var lastValue: LastValue?
    var lastPress: LastPress?

    /// The last thing that it told, mapped or not.
    struct LastValue {
        let of: Subscription
        let value: [UInt8]
        let atMs: Int
    }

    /// The last event that came of it.
    struct LastPress {
        let event: String
        let session: String
        let atMs: Int
        let ageMs: Int
        /// `enter`, `keep`, `defer`, or the error's name.
        let outcome: String
    }

    init(_ device: Device) {
        source = Source(.bluetooth, peer: .device(device.address.text))
    }
}
