public import GameFlow
public import Timers

/// The context of a request for a change: its source, and the conditions under which it may be executed.
public struct RequestContext {
    public let source: Source
    /// Makes the request idempotent: a second request with the same id gets the first answer and changes
    /// nothing.
    public var id: String?
    /// The entry for which the request is meant. The request is refused if the session has entered a state
    /// since. Nil allows any entry.
    public var entry: Int?
    /// The earliest instant, by the sessions' clock, at which the request may have been sent. Nil if it is not known; then only
    /// ids that are still known decide whether the request is a repetition.
    public var sentSince: Instant?
    /// Whether a journal says that the request was executed. Then it is executed again whatever is known of its id: the journal
    /// does not record what the daemon knew of the id, and a restart may have made it forget.
    public var isRecorded = false
    /// The age of the event when the client sent the request, in milliseconds.
    public var ageMs: Int
    /// The maximum of `ageMs` for this source; nil allows any age.
    public var ageLimitMs: Int?
    /// The operator's reason for a `goto`, an action on a timer or an `undo`, for the history.
    public var reason: String?
    /// A function that takes an event's name. It returns the right that the sender lacks for this event, or nil if the sender
    /// may send the event. If `missingRight` is nil, no right is checked.
    public var missingRight: ((String) -> String?)?

    @inlinable public init(
        from source: Source, id: String? = nil, entry: Int? = nil, sentSince: Instant? = nil,
        ageMs: Int = 0, ageLimitMs: Int? = nil, reason: String? = nil,
        missingRight: ((String) -> String?)? = nil
    ) {
        (self.source, self.id, self.entry) = (source, id, entry)
        self.sentSince = sentSince
        (self.ageMs, self.ageLimitMs) = (ageMs, ageLimitMs)
        (self.reason, self.missingRight) = (reason, missingRight)
    }
}

/// The event that a request asks for.
package enum RequestedEvent {
    /// The event with this index in the session's flow. It is found without making a text of its name.
    case known(EventIndex)
    /// A name that the session's flow has no event for.
    case unknown(String)

    /// The event with a name in a flow.
    package init(_ name: String, in flow: AnyFlow) {
        do throws(Reason) { self = .known(try flow.event(name)) } catch { self = .unknown(name) }
    }

    /// The event's name. `flow` is the session's flow.
    package func name(in flow: AnyFlow) -> String {
        switch self {
        case .known(let event): flow.schema(of: event).name
        case .unknown(let name): name
        }
    }

    /// The names of the arguments that the flow declares for the event; nil for an unknown event.
    package func declaredArguments(in flow: AnyFlow) -> [String]? {
        guard case .known(let event) = self else { return nil }
        return flow.schema(of: event).parameters.map(\.name)
    }
}

/// The result of a call into the sessions.
public struct Answer<Value> {
    public let value: Value
    /// The position of the newest journal row that the value shows. The answer may be sent when that row is durable; 0 means
    /// immediately.
    public let row: Int

    public init(_ value: Value, row: Int) { (self.value, self.row) = (value, row) }
}
