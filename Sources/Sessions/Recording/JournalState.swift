internal import Support
internal import Timers

/// What the sessions know of the journal that is written of them.
struct JournalState {
    var uncommitted = Deque<UncommittedRow>()
    /// The position of the newest row, and of the newest that is on the disk.
    var newest = 0
    var kept = 0
    /// The position of the newest change that is on the disk.
    var keptPos = 0
    /// When the newest row was written that is on the disk: virtual time has got so far for sure.
    var keptAt = Instant.zero
    /// What there is to know of the daemon's beginning, until that is on the disk: no row may come before it.
    var start: SessionRecord.Start?
    /// The daemon's own rows: the newest, and the newest that is on the disk.
    var daemon = JournalPosition.start
    var keptDaemon = JournalPosition.start
    /// The daemon's starts, this one last.
    var starts = Starts()
    /// When the store failed the last time.
    var failedAt = Instant.zero
    /// The sessions that have to be restored before the store is back, as they were when they were durable.
    var frozen: [SessionName: PriorState] = [:]
    /// Why nothing can be kept at present.
    var outage: String?
    /// The sessions that are over, and of which that is not on the disk yet.
    var closing: Set<SessionName> = []
    /// The sessions of which something may be on the disk that was taken back.
    var doubtful: Set<SessionName> = []
    /// Whether a deed of the daemon's own may be there that was taken back.
    var isDeedDoubtful = false
    var audit = RefusalAudit()
    /// Sessions that could not be taken up again, and why.
    var quarantine: [SessionName: String] = [:]
    #if FAULT_INJECTION
        var injectedFaults: InjectedFaults = []
    #endif
}
