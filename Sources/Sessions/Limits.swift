/// All limits of the sessions. `WireLimits` names those that clients see; `NamedLimit` says what happens when they
/// are reached.
public struct Limits: Sendable {
    /// The maximum number of open sessions.
    public var sessions = 1_048_576
    /// The maximum number of changes that are kept for watchers that missed them.
    public var ring = 65_536
    /// The maximum number of bytes of arguments, data and reasons in these changes; older changes are removed
    /// first.
    public var ringBytes = 64 << 20
    /// The maximum number of refused events that are kept, and the maximum number of bytes of their arguments;
    /// older ones are removed first.
    public var refusals = 4096
    public var refusalBytes = 4 << 20
    /// The maximum number of bytes of a refused event's arguments, and of its error's data, in the journal; and
    /// the maximum number of bytes of refused events per second, of one sender and in total.
    public var auditEventBytes = 1024
    public var auditBytes = 16 << 10
    public var auditBytesInAll = 256 << 10
    /// The maximum number of records in a page of `history`, and the default.
    public var historyPage = 1000
    public var historyDefault = 100
    /// The maximum size of a page of `history` in bytes; a single record may be larger.
    public var historyBytes = 1 << 20
    /// The maximum number of answers in the idempotency cache, per session and in total.
    public var idsPerSession = 1024
    public var ids = 65_536
    /// The maximum number of steps that can be undone, of one session and of all.
    public var undoStepsPerSession = 100
    public var undoSteps = 16_384
    /// The maximum number of sessions in a page of `list`, and the default.
    public var listPage = 10_000
    public var listDefault = 1000
    /// The maximum number of sessions in the answer to `watch`.
    public var watchPage = 1000
    /// The maximum number of timers that fire in one `advance`.
    public var firings = 10_000
    /// The maximum number of steps of a simulated participant in one `advance`. For a simulated radio this is
    /// an hour of four devices that advertise ten times a second, and takes about a second.
    public var simulatorSteps = 300_000
    public init() {}
}

/// A limit that clients see: its name in `hello` and in the error `limit`, what it limits, and what happens
/// when it is reached.
public struct NamedLimit<Limits>: Sendable {
    public let name: String
    /// The things that are limited, such as "sessions open at once".
    public let subject: String
    /// The consequence when the limit is reached.
    public let consequence: String
    /// Returns the limit's value, in milliseconds if the name ends in `Ms`.
    public let value: @Sendable (Limits) -> Int

    public init(
        _ name: String, _ subject: String, then consequence: String,
        value: @escaping @Sendable (Limits) -> Int
    ) {
        (self.name, self.subject, self.consequence) = (name, subject, consequence)
        self.value = value
    }
}
