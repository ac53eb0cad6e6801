import GameFlow
import Inputs
import Sessions
import Timers

/// A `map` line for a connection: turns an input into an event of a session.
struct InputMap: Equatable {
    /// The condition on the input.
    enum Pattern: Equatable {
        /// A message whose topic the filter selects; with exactly this payload, or with at least these JSON members.
        case message(filter: String, payload: String?, json: [Member]?)
        /// An OSC message; its first argument is a number of at least `min`.
        case osc(OSCPattern, min: Double?)
        case line(LinePattern)
        case key(UInt16)
    }

    /// An argument of the event. Texts may have placeholders.
    struct Argument: Equatable {
        let name: String
        let value: Value
        /// Nil if the value is not a text with placeholders.
        let template: InputTemplate?
    }

    let connection: String
    let pattern: Pattern
    let event: String
    let session: InputTemplate
    let arguments: [Argument]
    /// For this duration after an event of the same peer, further ones are ignored.
    let debounce: Duration

    /// The topics to subscribe to.
    var filter: String? {
        if case .message(let filter, _, _) = pattern { filter } else { nil }
    }
}
