/// Every limit of the sessions, in one place. Reaching one is an error with the name it has here.
public struct Limits: Sendable {
    /// How many sessions are open at once.
    public var sessions = 1_048_576
    /// How many changes can be had again by a watcher who was away.
    public var ring = 65_536
    /// How many bytes of arguments, data and reasons these may hold; older ones go before.
    public var ringBytes = 64 << 20
    /// How many refused events are remembered, and how many bytes their arguments may hold; older ones
    /// go before.
    public var refusals = 4096
    public var refusalBytes = 4 << 20
    /// How many bytes of a refused event's arguments are written to the journal, and of its error's data; and how
    /// many bytes of refused events a second: those of one sender, and all.
    public var auditEventBytes = 1024
    public var auditBytes = 16 << 10
    public var auditBytesInAll = 256 << 10
    /// How many records a page of `history` may be asked for, and how many it has unless asked.
    public var historyPage = 1000
    public var historyDefault = 100
    /// How long a page of `history` may be, in bytes; a single record may be longer.
    public var historyBytes = 1 << 20
    /// How many answers are remembered by id, of one session and in all.
    public var idsPerSession = 1024
    public var ids = 65_536
    /// How many sessions a page of `list` may hold, and how many it does unless asked.
    public var listPage = 10_000
    public var listDefault = 1000
    /// How many sessions the answer to `watch` shows.
    public var watchPage = 1000
    /// How many timers fire in one `advance`.
    public var firings = 10_000
    /// How much something else on the virtual clock does in one `advance`: of a simulated radio, an hour of four
    /// devices that advertise ten times a second, and about a second of work.
    public var companionSteps = 300_000
    public init() {}
}
