public import GameFlow

/// The context of a request for a change: its source, and the conditions under which it may be executed.
public struct RequestContext {
    public let source: Source
    /// Makes the request idempotent: a second request with the same id gets the first answer and changes
    /// nothing.
    public var id: String?
    /// The entry for which the request is meant. The request is refused if the session has entered a state
    /// since.
    public var entry: Int?
    /// How long before it was sent the event happened, in milliseconds.
    public var ageMs: Int
    /// The maximum of `ageMs` for this source; nil allows any age.
    public var ageLimitMs: Int?
    /// The operator's reason for a `goto`, an action on a timer or an `undo`, for the history.
    public var reason: String?
    /// Returns the right that the sender needs for the event of this name and does not have; nil if it has it. Without a
    /// function nothing is checked.
    public var lacks: ((String) -> String?)?

    public init(
        from source: Source, id: String? = nil, entry: Int? = nil, ageMs: Int = 0,
        ageLimitMs: Int? = nil, reason: String? = nil, lacks: ((String) -> String?)? = nil
    ) {
        (self.source, self.id, self.entry) = (source, id, entry)
        (self.ageMs, self.ageLimitMs, self.reason, self.lacks) = (ageMs, ageLimitMs, reason, lacks)
    }
}

/// The result of a call into the sessions.
public struct Answer<Value> {
    public let value: Value
    /// The newest journal row that the value shows. The answer may be sent after that row is durable; 0 if the answer
    /// need not wait.
    public let row: Int

    public init(_ value: Value, row: Int) { (self.value, self.row) = (value, row) }
}
