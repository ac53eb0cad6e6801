/// Where a session's rows are in the journal, and how many requests with an id the session has accepted. The rows are the
/// newest row, the newest row with the whole state, and the first row.
public struct Checkpoint: Sendable {
    /// The session's newest row.
    package internal(set) var newestRow = JournalPosition.start
    /// The position of the newest row that contains the session's state.
    var stateRow = 0
    /// The position of the session's first row; 0 if unknown.
    var firstRow = 0
    /// The number of accepted requests with an id.
    var requestIDCount = 0

    /// The checkpoint of a session without rows.
    init() {}

    /// The checkpoint of a session in a journal. `record` is the record of the newest row with the whole state.
    public init(_ record: SessionRecord, newestRow: JournalPosition, firstRow: Int = 0) {
        (self.newestRow, self.firstRow) = (newestRow, firstRow)
        stateRow = record.position ?? newestRow.position
        requestIDCount = record.status?.requestIDCount ?? 0
    }
}

/// The values that only a session with a store or with refusals has: its newest refusal, and its checkpoints.
final class SessionExtras {
    /// The number of the newest refusal; 0 before the first.
    @exclusivity(unchecked) var lastRefusal = 0
    /// See `Session.unrecordedRefusals`.
    @exclusivity(unchecked) var unrecordedRefusals = 0
    /// The checkpoint of the session's newest row.
    @exclusivity(unchecked) var newestCheckpoint = Checkpoint()
    /// The checkpoint of the session's newest durable row; nil if no row of the session is durable yet.
    @exclusivity(unchecked) var durableCheckpoint: Checkpoint?
    /// See `Session.instantFirings`. The small integer fits behind the optional, and takes no memory of its own.
    @exclusivity(unchecked) var instantFirings: Int16 = 0
    /// See `Session.undoFloor`.
    @exclusivity(unchecked) var undoFloor = 0
}
