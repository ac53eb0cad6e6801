package import Bluetooth
package import GameFlow
import RPC
package import Sessions
package import Timers

/// The daemon's data about a device: the source of the device's events, counts, and the device's last value. `Central` has
/// further data about the device.
package final class DeviceStatistics {
    /// The source that is recorded with each change that the device causes.
    package let source: Source
    /// The time of the last press that each `map` line did not ignore, by the line's index. Presses that the device stored
    /// while it was disconnected do not count.
    var lastPressTimes: [Int: Instant] = [:]
    /// The number of times that the device was connected.
    var connectionCount = 0
    /// The numbers of events that sessions accepted and refused.
    package var (accepted, refused) = (0, 0)
    /// The number of presses that were dropped within the debounce time.
    package var bounced = 0
    /// The number of presses that were dropped because of the limit per second.
    package var limited = 0
    /// The beginning of the second in which the limit counts events.
    private var secondStart = Instant.zero
    /// The number of events since `secondStart`.
    private var eventsInSecond = 0
    package var lastValue: LastValue?
    /// The last event of each kind that was delivered to a session.
    var lastDeliveries: [DeliveryKind: Delivery] = [:]
    /// For each session, the state to which the last loss of the device has led. A session has no entry if it has accepted a
    /// later event of the device.
    var statesAfterLoss: [SessionName: StateRecord] = [:]

    /// The last value that the device sent, even if no `map` line matches the value.
    package struct LastValue {
        package let subscription: Subscription
        package let value: [UInt8]
        /// The time of arrival, in milliseconds on the central's clock.
        package let atMs: Int
    }

    /// The kinds of events. The last delivery of each kind is kept.
    enum DeliveryKind: CaseIterable {
        case press
        /// The loss or the return of the link.
        case link
    }

    /// An event of the device that a session has accepted or refused.
    package struct Delivery {
        package let event: String
        package let session: SessionName
        /// The time of the outcome, on the sessions' clock.
        package let at: Instant
        /// The age of the event when it was sent, in milliseconds.
        package let ageMs: Int
        /// The kind of the change, `enter`, `keep` or `defer`; or the name of the error.
        package let outcome: String
    }

    /// Counts an event, and returns whether the limit per second allows it. A limit of 0 allows every event.
    func allowsEvent(at now: Instant, limit: Int) -> Bool {
        if now - secondStart >= .seconds(1) { (secondStart, eventsInSecond) = (now, 0) }
        eventsInSecond += 1
        return limit == 0 || eventsInSecond <= limit
    }

    package init(_ device: Device) {
        source = Source(.bluetooth, peer: .device(device.address.text))
    }
}
