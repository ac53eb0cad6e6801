import Bluetooth
import GameFlow
import Sessions
import Timers

/// An event to be delivered to a session.
struct DeviceEvent {
    let device: Device
    let event: String
    let session: SessionName
    let arguments: [Member]
    /// On the central's clock: the time of arrival, and the age of the event at that time.
    let at: Instant
    let age: Duration
    /// Whether it is a default event, which is ignored by a flow that does not know it.
    let isCustomary: Bool
    let cause: Cause

    /// The device's action.
    enum Cause { case press, loss, `return` }
}
