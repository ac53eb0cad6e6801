import Bluetooth
import GameFlow
import Sessions
import Timers

/// An event on its way to a session.
struct DeviceEvent {
    let device: Device
    let event: String
    let session: SessionName
    let arguments: [Member]
    /// On the central's clock: when it came, and how old it was then.
    let at: Instant
    let age: Duration
    /// Whether nobody asked for it by name: a flow that does not know it is not bothered.
    let isCustomary: Bool
    let cause: Cause

    /// What a device did.
    enum Cause { case press, loss, `return` }
}
