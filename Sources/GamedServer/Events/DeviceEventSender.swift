import GameFlow
import Sessions
import Timers

/// Sends the events of this node's devices to their sessions, wherever these are. All calls are on the loop's thread.
protocol DeviceEventSender: AnyObject {
    /// Whether so many changes or events wait that no further event may be sent.
    var isFull: Bool { get }
    /// Sends an event, behind the earlier ones to the same session. Calls `done` once with what the session
    /// did, either before it returns or later.
    func send(_ event: SentEvent, _ done: @escaping (SentEvent.Outcome) -> Void)
    /// Notifies those who watch inputs.
    func announce(_ input: @autoclosure () -> UnmatchedInput)
}

/// An event of a device, on its way to a session.
struct SentEvent {
    /// Which event it is.
    enum Choice {
        case named(String)
        /// Depends on the session; no event is sent if the closure returns nil.
        case chosen(by: (SessionSituation) -> String?)
    }

    let session: SessionName
    let choice: Choice
    /// They are converted to the types that the session's flow declares.
    var arguments: [Member] = []
    let source: Source
    /// How old the event is.
    var age: Duration = .zero
    /// The age from which on it is refused; nil if it may have any.
    var ageLimit: Duration?

    /// The outcome of an event.
    enum Outcome {
        /// The session accepted it. `kind` is that of the change, `state` the one after it.
        case taken(String, kind: String, state: StateRecord?)
        /// Nil without a name: the session could not be asked which event it is.
        case refused(String?, EventRefusal)
        /// None was chosen.
        case notSent
    }
}

/// Why a session refused an event of a device.
struct EventRefusal {
    /// The error's name.
    let name: String
    /// The invalid argument and the reason; nil for other errors.
    var invalid: (argument: String, why: String)?

    init(_ name: String, invalid: (argument: String, why: String)? = nil) {
        (self.name, self.invalid) = (name, invalid)
    }

    init(_ error: RequestError) {
        name = error.name.description
        if case .invalid(_, let argument, let why) = error { invalid = (argument, why) }
    }

    /// Whether the configuration is the cause: there is no such session, event or argument.
    var isMistake: Bool { ["unknownSession", "unknownEvent", "invalid"].contains(name) }
    /// The reason in brackets, behind a space; empty without one.
    var reason: String { invalid.map { " (\($0.argument): \($0.why))" } ?? "" }
}

/// A session as it is when an event for it is chosen.
struct SessionSituation {
    let place: StateRecord
    /// The events that its flow declares for the loss and the return of a device.
    let deviceLost: String?
    let deviceFound: String?
    /// The event and the source of its last change.
    let lastEvent: String?
    let lastSource: Source?
}
