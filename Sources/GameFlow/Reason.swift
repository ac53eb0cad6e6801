/// The reason why an event was refused, or why a state was not entered. A refusal changes nothing.
///
/// Selectors and transitions throw reasons: `throw .noTransition`, `throw .invalid("level", "not in the episode")`. The
/// functions that create reasons are declared on `Error`. So these expressions also work in a closure, where the compiler does
/// not infer the thrown type.
public struct Reason: Error, Hashable, Sendable {
    /// The kind of a reason. The raw value is its name in the protocol.
    public enum Code: String, Sendable, CaseIterable {
        /// The state does not accept the event.
        case noTransition
        /// An argument or a value of the data is missing, unknown, of the wrong type, or refused by a
        /// validator.
        case invalid
        /// The session is in a final state.
        case finished
        /// The event is a signal, which only the state's own timer may send.
        case forbidden
        /// The flow has no event with this name.
        case unknownEvent
        /// The flow has no state with this name.
        case unknownState
        /// The queue of deferred events is full.
        case deferQueueFull
        /// An event and the events that followed from it posted more than `EventQueue.postBudget` events.
        case tooManyPosts = "limit"
        /// A hook refused the transition.
        case hookRefused
        /// The handler of a machine without a flow type threw an error of its own. Sessions of the daemon have no such handlers.
        case handlerRefused
        /// The event is the result of an effect handler, and the entry that requested the effect is over.
        case stale
    }

    public let code: Code
    /// For the code `invalid`, the name of the invalid argument or value; empty if the flow refuses the event as a whole. For
    /// `hookRefused`, the name of the hook that refused; for `handlerRefused`, `handler`. Empty for other codes.
    public let subject: String
    /// The explanation of the refusal, if the code is `invalid`, `hookRefused` or `handlerRefused`; empty for other codes.
    public let why: String
    /// Whether the code is `invalid` and `why` is a text that the flow's author wrote for this refusal. Players then see it
    /// alone, without the argument's name.
    public let isOfFlow: Bool

    @inlinable init(
        _ code: Code, _ subject: String = "", _ why: String = "", isOfFlow: Bool = false
    ) {
        (self.code, self.subject, self.why, self.isOfFlow) = (code, subject, why, isOfFlow)
    }

    /// The code's name in the protocol.
    public var name: String { code.rawValue }

    /// The names of the codes with which an event from a client may be refused. A scenario can expect only these.
    public static let names = [
        "noTransition", "invalid", "finished", "forbidden", "unknownEvent", "deferQueueFull",
        "hookRefused",
    ]

    /// The name, followed by the subject and the explanation if there are any.
    public var sentence: String { explanation.isEmpty ? name : "\(name): \(explanation)" }

    /// The subject and the explanation, as far as there are any.
    package var explanation: String {
        [subject, why].filter { !$0.isEmpty }.joined(separator: ": ")
    }
}

extension Error where Self == Reason {
    @inlinable public static var noTransition: Reason { Reason(.noTransition) }
    @inlinable public static var finished: Reason { Reason(.finished) }
    @inlinable public static var forbidden: Reason { Reason(.forbidden) }
    @inlinable public static var unknownEvent: Reason { Reason(.unknownEvent) }
    @inlinable public static var unknownState: Reason { Reason(.unknownState) }
    @inlinable public static var deferQueueFull: Reason { Reason(.deferQueueFull) }
    @inlinable public static var tooManyPosts: Reason { Reason(.tooManyPosts) }
    @inlinable public static var stale: Reason { Reason(.stale) }

    /// Creates the reason for refusing an argument or a value of the data; `why` explains it.
    @inlinable public static func invalid(_ argument: String, _ why: String) -> Reason {
        Reason(.invalid, argument, why)
    }

    /// Creates the reason for refusing an argument or a value of the data. `why` is a text for players, which says all without
    /// the argument's name.
    @inlinable public static func invalid(_ argument: String, ofFlow why: String) -> Reason {
        Reason(.invalid, argument, why, isOfFlow: true)
    }

    /// Creates the reason for refusing an event as a whole. `why` is a text for players.
    @inlinable public static func invalid(ofFlow why: String) -> Reason {
        Reason(.invalid, "", why, isOfFlow: true)
    }

    /// Creates the reason of a hook without a name.
    @inlinable public static func hookRefused(_ why: String) -> Reason {
        Reason(.hookRefused, "hook", why)
    }

    /// Creates the reason of a handler that threw another error than a `Reason`; `why` describes it.
    @inlinable public static func handlerRefused(_ why: String) -> Reason {
        Reason(.handlerRefused, "handler", why)
    }

    /// Creates the reason of the hook with the name `hook`.
    @inlinable public static func hookRefused(_ hook: String, _ why: String) -> Reason {
        Reason(.hookRefused, hook, why)
    }
}
