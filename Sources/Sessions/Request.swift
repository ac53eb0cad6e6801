public import GameFlow

/// Who asks for a change, and what they say of it.
public struct RequestContext {
    public let source: Source
    /// Makes the request idempotent: the same id again gets the first answer again, and changes nothing.
    public var id: String?
    /// The entry that the request is meant for: it is refused if the session has entered a state since.
    public var entry: Int?
    /// How old the event was when it was sent, in milliseconds, and how old one of this source may be; nil is any age.
    public var ageMs: Int
    public var ageLimitMs: Int?
    /// Why an operator overrides, in words for the history.
    public var reason: String?
    /// What the sender lacks to send an event of that name; nil if it may.
    public var lacks: ((String) -> String?)?

    public init(
        from source: Source, id: String? = nil, entry: Int? = nil, ageMs: Int = 0,
        ageLimitMs: Int? = nil, reason: String? = nil, lacks: ((String) -> String?)? = nil
    ) {
        (self.source, self.id, self.entry) = (source, id, entry)
        (self.ageMs, self.ageLimitMs, self.reason, self.lacks) = (ageMs, ageLimitMs, reason, lacks)
    }
}

/// What a call into the sessions returns.
public struct Answer<Value> {
    public let value: Value
    /// The newest journal row that the value shows: it may be told once that row is durable. 0 if it waits for none.
    public let row: Int

    public init(_ value: Value, row: Int) { (self.value, self.row) = (value, row) }
}
