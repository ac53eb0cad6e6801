/// All limits of the sessions. `WireLimits` lists, as `NamedLimit` values, the limits that clients see.
public struct Limits: Sendable {
    /// The maximum number of open sessions.
    public var sessions = 1_048_576
    /// The maximum number of changes that are kept for watchers that missed them.
    public var ring = 65_536
    /// The maximum number of bytes of arguments, data and reasons in the changes that are kept for watchers. Older changes are
    /// removed first. The same maximum applies to the answers in the idempotency cache.
    public var ringBytes = 64 << 20
    /// The maximum number of refused events that are kept; older events are removed first.
    public var refusals = 4096
    /// The maximum number of bytes of the arguments of the refused events that are kept; older events are removed first.
    public var refusalBytes = 4 << 20
    /// The maximum number of bytes of a refused event's arguments in the journal. The same maximum applies to the data of
    /// its error.
    public var auditEventBytes = 1024
    /// The maximum number of bytes per second of one sender's refused events in the journal.
    public var auditBytes = 16 << 10
    /// The maximum number of bytes per second of all refused events in the journal.
    public var auditBytesInAll = 256 << 10
    /// The maximum number of records in a page of `history`.
    public var historyPage = 1000
    /// The number of records in a page of `history` if the request gives no limit.
    public var historyDefault = 100
    /// The maximum size of a page of `history` in bytes; a single record may be larger.
    public var historyBytes = 1 << 20
    /// The maximum number of one session's answers in the idempotency cache.
    public var idsPerSession = 1024
    /// The maximum number of answers in the idempotency cache in total.
    public var ids = 65_536
    /// For how long an id stays known after its request was answered, in milliseconds.
    public var idMs = 600_000
    /// The maximum number of ids that stay known although their answers are forgotten.
    public var oldIDs = 1_048_576
    /// The maximum number of steps of one session that can be undone.
    public var undoStepsPerSession = 100
    /// The maximum number of closed sessions that are kept because a watcher still needs their flows and labels.
    public var closedSessions = 16_384
    /// The number of the newest changes of all sessions whose steps can be undone. The changes must also be in the ring.
    public var undoChanges = 65_536
    /// The maximum number of bytes of deferred events and messages that are kept for the undo of these changes; the oldest are
    /// removed first.
    public var undoBytes = 64 << 20
    /// The maximum number of sessions in a page of `list`.
    public var listPage = 10_000
    /// The number of sessions in a page of `list` if the request gives no limit.
    public var listDefault = 1000
    /// The maximum number of sessions in the answer to `watch`.
    public var watchPage = 1000
    /// The maximum number of timers that fire in one `advance`.
    public var firings = 10_000
    /// The maximum number of firings of one session without time between them.
    public var instantFirings: Int16 = 1000
    /// The maximum number of steps of a simulated participant in one `advance`. A simulated radio with four devices that
    /// advertise ten times a second makes about this number of steps in an hour of virtual time. These steps take about a
    /// second of real time.
    public var simulatorSteps = 300_000
    public init() {}
}

/// A limit that clients see: its name in `hello` and in the error `limit`, the things that are limited, and the consequence
/// when the limit is reached. `LimitSet` is the type that contains the limit's value, such as `Limits`.
public struct NamedLimit<LimitSet>: Sendable {
    public let name: String
    /// The things that are limited, such as "sessions open at once".
    public let subject: String
    /// The consequence when the limit is reached.
    public let consequence: String
    /// Returns the limit's value, in milliseconds if the name ends in `Ms`.
    public let value: @Sendable (LimitSet) -> Int

    public init(
        _ name: String, _ subject: String, then consequence: String,
        value: @escaping @Sendable (LimitSet) -> Int
    ) {
        (self.name, self.subject, self.consequence) = (name, subject, consequence)
        self.value = value
    }
}
