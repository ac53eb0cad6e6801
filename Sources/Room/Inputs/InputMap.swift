import GameFlow
import Support
import Timers

/// A `map` line for a connection: turns an input into an event of a session. `RoomSource` applies it.
package struct InputMap: Equatable {
    /// The name of the connection.
    package let connection: String
    /// The condition on the input.
    package let pattern: any InputPattern
    /// The name of the event.
    package let event: String
    /// The name of the session that gets the event.
    package let session: InputTemplate
    package let arguments: [InputArgument]
    /// What the id of an event ends with, by which a repeated input is recognized; nil if the inputs have no ids.
    package var id: InputTemplate?
    /// An alert begins when no input has matched for this time; nil without `quiet=`.
    package var quiet: Duration?
    /// For this duration after an event from a peer, further matching inputs of the peer are ignored; zero to ignore none. A
    /// peer is the sender within the connection: an MQTT topic, an OSC address, or the device.
    package let debounce: Duration

    package static func == (one: InputMap, other: InputMap) -> Bool {
        one.connection == other.connection && one.pattern.isEqual(to: other.pattern)
            && one.event == other.event && one.session == other.session
            && one.arguments == other.arguments && one.id == other.id && one.quiet == other.quiet
            && one.debounce == other.debounce
    }
}
