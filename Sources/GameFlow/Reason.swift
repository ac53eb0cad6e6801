/// Why an event was not taken, or a state not entered. A refusal changes nothing.
///
/// Selectors and transitions throw one: `throw .noTransition`, `throw .invalid("level", "not in the episode")`. The
/// names are declared on `Error`, so that this reads the same in a closure, whose thrown type the compiler does
/// not infer.
public struct Reason: Error, Hashable, Sendable {
    public enum Code: String, Sendable, CaseIterable {
        /// The state does not take this event.
        case noTransition
        /// An argument or a datum is missing, unknown, of the wrong type, or refused by a validator.
        case invalid
        /// The session is in a final state.
        case finished
        /// Only the state's own timer may send this.
        case forbidden
        /// The flow has no event of that name.
        case unknownEvent
        /// The flow has no state of that name.
        case unknownState
        /// The queue of deferred events is full.
        case deferQueueFull
        /// A step posted more events than may be posted in one run.
        case tooManyPosts = "limit"
        /// A hook does not let the transition be made.
        case hookRefused
    }

    public let code: Code
    /// The argument or datum that is invalid, or the hook that refused; empty for other codes.
    public let subject: String
    /// What is wrong with it, in words; empty for other codes.
    public let why: String

    @inlinable init(_ code: Code, _ subject: String = "", _ why: String = "") {
        (self.code, self.subject, self.why) = (code, subject, why)
    }

    /// The name of the code on the wire.
    public var name: String { code.rawValue }

    /// The names of the codes with which an event from outside may be refused.
    public static let names = [
        "noTransition", "invalid", "finished", "forbidden", "unknownEvent", "deferQueueFull",
        "hookRefused",
    ]

    /// The name, and where there is more to say, the subject and what is wrong with it.
    public var sentence: String { subject.isEmpty ? name : "\(name): \(subject): \(why)" }
}

extension Error where Self == Reason {
    @inlinable public static var noTransition: Reason { Reason(.noTransition) }
    @inlinable public static var finished: Reason { Reason(.finished) }
    @inlinable public static var forbidden: Reason { Reason(.forbidden) }
    @inlinable public static var unknownEvent: Reason { Reason(.unknownEvent) }
    @inlinable public static var unknownState: Reason { Reason(.unknownState) }
    @inlinable public static var deferQueueFull: Reason { Reason(.deferQueueFull) }
    @inlinable public static var tooManyPosts: Reason { Reason(.tooManyPosts) }

    /// An argument or a datum of that name is wrong; `why` says what is, in words.
    @inlinable public static func invalid(_ argument: String, _ why: String) -> Reason {
        Reason(.invalid, argument, why)
    }

    /// A hook refused the transition.
    @inlinable public static func hookRefused(_ hook: String, _ why: String) -> Reason {
        Reason(.hookRefused, hook, why)
    }
}
