import GameFlow
import Inputs
import Sessions
import Timers

/// A `map` line for a connection: turns an input into an event of a session. `RoomSource` applies it.
struct InputMap: Equatable {
    /// The condition on the input.
    enum Pattern: Equatable {
        /// An MQTT message that is not retained, whose topic matches the filter. Its payload must be equal to `payload`, or
        /// must be a JSON object with at least the members `json`. If `payload` and `json` are nil, every payload that is not
        /// empty matches.
        case message(filter: String, payload: String?, json: [Member]?)
        /// An OSC message. If `min` is given, the first argument must be a number of at least `min`.
        case osc(OSCPattern, min: Double?)
        /// A line from a serial device.
        case line(LinePattern)
        /// The press of the key with this code.
        case key(UInt16)
    }

    /// An argument of the event.
    struct MappedArgument: Equatable {
        let name: String
        /// The argument's value, unless there is a template.
        let value: Value
        /// A text with placeholders. For each input, the input's values replace the placeholders. Nil if the argument always
        /// has the same value.
        let template: InputTemplate?
    }

    /// The name of the connection.
    let connection: String
    let pattern: Pattern
    /// The name of the event.
    let event: String
    /// The name of the session that gets the event.
    let session: InputTemplate
    let arguments: [MappedArgument]
    /// For this duration after an event from a peer, further matching inputs of the peer are ignored; zero to ignore none. A
    /// peer is the sender within the connection: an MQTT topic, an OSC address, or the device.
    let debounce: Duration

    /// The topic filter to subscribe to; nil for a connection that is not MQTT.
    var filter: String? {
        if case .message(let filter, _, _) = pattern { filter } else { nil }
    }
}
