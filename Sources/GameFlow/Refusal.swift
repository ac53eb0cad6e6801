/// Why an event was not taken, or a state not entered. Refusing changes nothing.
public enum Refusal: Error, Equatable, Sendable {
    /// The state does not take this event.
    case noTransition
    /// An argument or a datum is missing, unknown, of the wrong type, or refused by a validator.
    case invalid(_ argument: String, _ why: String)
    /// The session is in a final state.
    case finished
    /// Only the state's own timer may send this.
    case forbidden
    /// The flow has no event of that name.
    case unknownEvent
    /// The flow has no state of that name.
    case unknownState
    /// As many events wait as may.
    case deferQueueFull
    /// A step posted more events than may be posted in one run.
    case tooManyPosts
    /// A hook does not let the transition be made.
    case hookRefused(_ hook: String, _ why: String)

    /// What it is called on the wire.
    public var name: String {
        switch self {
        case .noTransition: "noTransition"
        case .invalid: "invalid"
        case .finished: "finished"
        case .forbidden: "forbidden"
        case .unknownEvent: "unknownEvent"
        case .unknownState: "unknownState"
        case .deferQueueFull: "deferQueueFull"
        case .tooManyPosts: "limit"
        case .hookRefused: "hookRefused"
        }
    }

    /// The names of what an event that somebody sends may be refused with.
    public static let names = [
        "noTransition", "invalid", "finished", "forbidden", "unknownEvent", "deferQueueFull",
        "hookRefused",
    ]

    /// Its name, and why.
    public var sentence: String {
        switch self {
        case .invalid(let argument, let why): "invalid: \(argument): \(why)"
        case .hookRefused(let hook, let why): "hookRefused: \(hook): \(why)"
        default: name
        }
    }
}
