import GameFlow
import Support
import Timers

/// A `map` line for a connection: turns an input into an event of a session. `RoomSource` applies it.
struct InputMap: Equatable {
    /// The name of the connection.
    let connection: String
    /// The condition on the input.
    let pattern: any InputPattern
    /// The name of the event.
    let event: String
    /// The name of the session that gets the event.
    let session: InputTemplate
    let arguments: [TemplateArgument<InputPlaceholder>]
    /// For this duration after an event from a peer, further matching inputs of the peer are ignored; zero to ignore none. A
    /// peer is the sender within the connection: an MQTT topic, an OSC address, or the device.
    let debounce: Duration

    static func == (one: InputMap, other: InputMap) -> Bool {
        one.connection == other.connection && one.pattern.isEqual(to: other.pattern)
            && one.event == other.event && one.session == other.session
            && one.arguments == other.arguments && one.debounce == other.debounce
    }
}
