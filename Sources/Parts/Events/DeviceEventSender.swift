package import GameFlow
package import Sessions
import Timers

/// Sends the events of this node's devices to sessions on this node and on other nodes. All calls are on the loop's thread.
package protocol DeviceEventSender: AnyObject {
    /// Whether the callers must drop events instead of sending them. True if too many events wait for their outcomes, or if too
    /// many changes wait to be written to the store.
    var isFull: Bool { get }
    /// Sends an event. Events to the same session arrive in the order of the calls. `done` is called once with the outcome,
    /// before this function returns or later.
    func send(_ event: SentEvent, _ done: @escaping (SentEvent.Outcome) -> Void)
    /// Notifies the clients that watch inputs: an input arrived that no `map` line matches.
    func announce(_ input: @autoclosure () -> UnmatchedInput)
}

/// An event of a device, on its way to a session.
package struct SentEvent {
    /// How the event's name is determined.
    package enum Choice {
        /// The name is known.
        case named(String)
        /// The closure chooses the name by the situation of the session. If the closure returns nil, no event is sent.
        case chosen(by: (SessionSituation) -> String?)
    }

    package let session: SessionName
    package let choice: Choice
    /// The values need not have the types that the session's flow declares: they are converted when the flow is known.
    package var arguments: [Member] = []
    package let source: Source
    /// The time from the device's report of the event to the call of `send`.
    package var age: Duration = .zero
    /// The maximum age: an older event is refused. Nil if there is no maximum.
    package var ageLimit: Duration?
    /// The id by which the session recognizes a repetition of the event, which then is no event; nil if the device gives none.
    package var id: String?

    package init(
        session: SessionName, choice: Choice, arguments: [Member] = [], source: Source,
        age: Duration = .zero, ageLimit: Duration? = nil, id: String? = nil
    ) {
        self.id = id
        (self.session, self.choice, self.arguments, self.source, self.age, self.ageLimit) = (
            session, choice, arguments, source, age, ageLimit
        )
    }

    /// The outcome of an event.
    package enum Outcome {
        /// The session accepted the event of this name. `kind` is the kind of the change: `enter`, `keep` or `defer`. `state`
        /// is the state after the change.
        case accepted(String, kind: String, state: StateRecord?)
        /// The session refused the event of this name. The name is nil if it could not be chosen, because the session's state
        /// is not known.
        case refused(String?, EventRefusal)
        /// The session has taken an event with this `id` before. If another node owns the session, such an event is reported as
        /// accepted again.
        case repeated
        /// The closure of `chosen` returned nil.
        case notSent
    }
}

/// Why a session refused an event of a device.
package enum EventRefusal {
    /// The argument is invalid. It is empty if the event is refused as a whole.
    case invalid(argument: String, why: String)
    /// Another error, by its name, such as `unknownSession`.
    case error(String)

    package init(_ error: RequestError) {
        self =
            if case .invalid(_, let argument, let why, _) = error {
                .invalid(argument: argument, why: why)
            } else { .error(error.name.description) }
    }

    /// The name of the error.
    package var name: String {
        switch self {
        case .invalid: "invalid"
        case .error(let name): name
        }
    }

    /// Whether the cause is a mistake in the configuration: the session or the event does not exist, or an argument is invalid.
    package var isMistake: Bool { ["unknownSession", "unknownEvent", "invalid"].contains(name) }
    /// The invalid argument and the reason in brackets, after a space; empty for other errors. Logs append it to the name.
    package var reason: String {
        guard case .invalid(let argument, let why) = self else { return "" }
        return argument.isEmpty ? " (\(why))" : " (\(argument): \(why))"
    }
}

/// The data of a session by which the closure of `SentEvent.Choice.chosen` chooses an event for the session.
package struct SessionSituation {
    package let state: StateRecord
    /// The flow that the session plays; nil if this node does not know it.
    package let flow: AnyFlow?
    /// The event of the session's last change, and who sent it; nil if no event caused the change.
    package let lastEvent: (name: String, source: Source)?

    package init(state: StateRecord, flow: AnyFlow?, lastEvent: (name: String, source: Source)?) {
        (self.state, self.flow, self.lastEvent) = (state, flow, lastEvent)
    }
}

extension SentEvent {
    /// The age in whole milliseconds, rounded down, so that an event that has just arrived has the age 0.
    package var ageMs: Int { Int(age.nanoseconds / 1_000_000) }
}
