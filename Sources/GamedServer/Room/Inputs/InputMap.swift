import GameFlow
import Inputs
import Sessions
import Timers

/// A `map` line for a connection: turns an input into an event of a session.
struct InputMap: Equatable {
    /// The condition on the input.
    enum Pattern: Equatable {
        /// An MQTT message whose topic matches the filter, with exactly this payload, or with at least these JSON members. If
        /// both are nil, any payload matches that is not empty.
        case message(filter: String, payload: String?, json: [Member]?)
        /// An OSC message. If `min` is given, the first argument must be a number of at least `min`.
        case osc(OSCPattern, min: Double?)
        /// A line from a serial device.
        case line(LinePattern)
        /// The press of the key with this code.
        case key(UInt16)
    }

    /// An argument of the event. Texts may have placeholders.
    struct MappedArgument: Equatable {
        let name: String
        let value: Value
        /// Nil if the value is not a text with placeholders.
        let template: InputTemplate?
    }

    /// The name of the connection.
    let connection: String
    let pattern: Pattern
    let event: String
    let session: InputTemplate
    let arguments: [MappedArgument]
    /// For this duration after an event from a peer, further matching inputs of the peer are ignored.
    let debounce: Duration

    /// The topic filter to subscribe to; nil without MQTT.
    var filter: String? {
        if case .message(let filter, _, _) = pattern { filter } else { nil }
    }
}
