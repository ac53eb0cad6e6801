import GameFlow
import Sessions
import Timers

/// Sends the events of this node's devices to sessions on this node and on other nodes. All calls are on the loop's thread.
protocol DeviceEventSender: AnyObject {
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
struct SentEvent {
    /// How the event's name is determined.
    enum Choice {
        /// The name is known.
        case named(String)
        /// The closure chooses the name by the situation of the session. If the closure returns nil, no event is sent.
        case chosen(by: (SessionSituation) -> String?)
    }

    let session: SessionName
    let choice: Choice
    /// The values need not have the types that the session's flow declares: they are converted when the flow is known.
    var arguments: [Member] = []
    let source: Source
    /// The time from the device's report of the event to the call of `send`.
    var age: Duration = .zero
    /// The maximum age: an older event is refused. Nil if there is no maximum.
    var ageLimit: Duration?

    /// The outcome of an event.
    enum Outcome {
        /// The session accepted the event of this name. `kind` is the kind of the change: `enter`, `keep` or `defer`. `state`
        /// is the state after the change.
        case accepted(String, kind: String, state: StateRecord?)
        /// The session refused the event of this name. The name is nil if it could not be chosen, because the session's state
        /// is not known.
        case refused(String?, EventRefusal)
        /// The closure of `chosen` returned nil.
        case notSent
    }
}

/// Why a session refused an event of a device.
struct EventRefusal {
    /// The name of the error, such as `unknownSession`.
    let name: String
    /// The invalid argument and the reason; nil for other errors.
    var invalid: (argument: String, why: String)?

    init(_ name: String, invalid: (argument: String, why: String)? = nil) {
        (self.name, self.invalid) = (name, invalid)
    }

    init(_ error: RequestError) {
        name = error.name.description
        if case .invalid(_, let argument, let why, _) = error { invalid = (argument, why) }
    }

    /// Whether the cause is a mistake in the configuration: the session or the event does not exist, or an argument is invalid.
    var isMistake: Bool { ["unknownSession", "unknownEvent", "invalid"].contains(name) }
    /// The invalid argument and the reason in brackets, after a space; empty for other errors. Logs append it to the name.
    var reason: String { invalid.map { " (\($0.argument): \($0.why))" } ?? "" }
}

/// The data of a session by which the closure of `SentEvent.Choice.chosen` chooses an event for the session.
struct SessionSituation {
    let state: StateRecord
    /// The events that the session's flow declares for the loss and the return of a device.
    let deviceLost: String?
    let deviceFound: String?
    /// The event and the source of the session's last change.
    let lastEvent: String?
    let lastSource: Source?
}
