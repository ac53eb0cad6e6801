internal import Support
internal import Timers

/// The state of the journal, as far as the sessions know it.
struct JournalState {
    /// The rows that are not yet known to be durable, oldest first.
    var pending = Deque<PendingRow>()
    /// The position of the newest row.
    var newestRow = 0
    /// The position of the newest durable row.
    var durableRow = 0
    /// The `pos` of the newest durable change.
    var durablePos = 0
    /// The instant of the newest durable row. If the store fails, virtual time goes back to this instant.
    var durableAt = Instant.zero
    /// The daemon's start, until the row of the start is durable. No other row of this run may precede that row.
    var pendingStart: SessionRecord.Start?
    /// The position of the daemon's own newest row.
    var daemonRow = JournalPosition.start
    /// The position of the daemon's own newest durable row.
    var durableDaemonRow = JournalPosition.start
    /// The daemon's starts, including the start of this run.
    var starts = Starts()
    /// The versions of flows whose texts the journal contains.
    var recordedTexts: Set<FlowCatalog.VersionKey> = []
    /// The instant of the last failure of the store, by the clock of the sessions.
    var failedAt = Instant.zero
    /// The sessions that are suspended because the store failed. Their machines have ended, and the sessions show these states
    /// until they are restored.
    var suspended: [SessionName: SessionState] = [:]
    /// The reason for which nothing can be recorded at present; nil while the store works.
    var outage: String?
    /// The closed sessions whose closing is not yet durable.
    var closedNotDurable: Set<SessionName> = []
    /// The sessions with undone changes that the store may nevertheless contain.
    var possiblyStored: Set<SessionName> = []
    /// The instant of the newest return of the store; nil if it has not failed.
    var outageEnd: Instant?
    /// Selects the refused events that are recorded.
    var audit = RefusalAudit()
    /// The sessions that could not be restored, and the reason of each.
    var quarantine: [SessionName: Sessions.QuarantineError] = [:]
    #if FAULT_INJECTION
        var injectedFaults: InjectedFaults = []
    #endif
}

/// The position of a row in the journal, and the row's checksum. The next row of the same session is chained to this
/// checksum; the daemon's own rows form a chain too.
public struct JournalPosition: Equatable, Sendable {
    /// The row's number in the journal, counted from 1; 0 if nothing was written.
    public let position: Int
    public let checksum: UInt32

    public init(position: Int, checksum: UInt32) {
        (self.position, self.checksum) = (position, checksum)
    }

    /// The position before a session's first row.
    public static let start = JournalPosition(position: 0, checksum: 0)
}
