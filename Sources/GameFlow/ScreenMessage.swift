internal import Support
package import Timers

/// A message that the screens of a session show. An operator sends it, or the flow by an effect `say`.
package struct ScreenMessage: Equatable, Sendable {
    public let text: String
    /// The number of the session's change that sent the message.
    public let seq: Int
    /// The instant until which the message is shown; nil means until it ends in another way.
    public let until: Instant?
    public let scope: Scope

    /// What ends a message, besides the next message, its removal, `until`, and the entry of the flow's initial state.
    public enum Scope: Int, Sendable {
        /// Nothing else: an operator sent the message.
        case operators = 0
        /// The flow sent the message, which ends when the session leaves the state in which it was sent.
        case state = 1
        /// Nothing else: the flow sent the message for the whole game.
        case game = 2
    }

    public init(text: String, seq: Int, until: Instant?, scope: Scope = .operators) {
        (self.text, self.seq, self.until, self.scope) = (text, seq, until, scope)
    }

    public static func == (a: ScreenMessage, b: ScreenMessage) -> Bool {
        a.text.hasSameBytes(as: b.text) && a.seq == b.seq && a.until == b.until
            && a.scope == b.scope
    }

    /// The same message with another scope.
    public func with(_ scope: Scope) -> ScreenMessage {
        ScreenMessage(text: text, seq: seq, until: until, scope: scope)
    }

    /// Whether the screens show the message at an instant.
    public func isShown(at now: Instant) -> Bool { until.map { now < $0 } ?? true }

    // MARK: steps

    /// Whether one of the step's effects sends or removes a message.
    public static func isSent(by step: borrowing Step) -> Bool {
        for effect in step.effects where effect.name == sayEffect { return true }
        return false
    }

    /// The name of the effects that send messages.
    private static let sayEffect = "say"

    /// Returns the message after a step of the session; nil if the screens then have no message. `present` is the message before the step, and
    /// `initial` the flow's initial state. `seq` and `now` are the number and the instant of the step's change.
    ///
    /// First the old message ends, if the step ends it. Then the messages of the step's own effects appear.
    public static func after(
        _ step: borrowing Step, _ present: ScreenMessage?, initial: String, seq: Int,
        at now: Instant
    ) -> ScreenMessage? {
        var message = present
        if step.kind.isEntry, present?.scope == .state || step.to?.state == initial {
            message = nil
        }
        for effect in step.effects where effect.name == sayEffect {
            guard case .string(let text) = effect.arguments["text"] else { continue }
            message = ScreenMessage(text, effect.arguments, seq: seq, at: now)
        }
        return message
    }

    /// Returns the message after an undo that enters `state`: the message of before the undone step. What an operator has said or
    /// removed since the step stays. `firstSeq` is the number of the step's first change, `before` the message before it, and
    /// `present` the message before the undo. `isRemoved` says whether the newest words of an operator since the step removed the
    /// message.
    public static func afterUndo(
        of firstSeq: Int, _ before: ScreenMessage?, _ present: ScreenMessage?, isRemoved: Bool,
        entering state: String, initial: String
    ) -> ScreenMessage? {
        if state == initial || isRemoved { return nil }
        if let present, present.scope == .operators, present.seq >= firstSeq { return present }
        return before
    }

    /// The message of an effect. Nil if the text is empty, which removes the present message. A text that is too long is cut.
    private init?(_ text: String, _ arguments: [Member], seq: Int, at now: Instant) {
        guard !text.isEmpty else { return nil }
        let limit = NoteLimits.messageLength.upperBound
        self.init(
            text: String(text.unicodeScalars.prefix(limit)), seq: seq,
            until: Self.length(in: arguments).map { now + $0 },
            scope: arguments["until"] == .string("game") ? .game : .state)
    }

    /// How long an effect shows its message; nil if it does not say so. The argument `for` is a text such as `30s`. An effect of
    /// a flow file that computes the duration has it in milliseconds, under the name `forMs`.
    private static func length(in arguments: [Member]) -> Duration? {
        if case .string(let text) = arguments["for"] { return DurationText.read(text) }
        guard case .int(let milliseconds) = arguments["forMs"],
            0...Duration.longest.milliseconds ~= Int64(milliseconds)
        else { return nil }
        return .milliseconds(milliseconds)
    }
}
