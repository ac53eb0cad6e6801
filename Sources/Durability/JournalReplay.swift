public import GameFlow
public import Journal
public import Sessions
internal import Support
internal import Timers

/// Replays a journal: events are sent again, timers fire in the order of the rows, and every resulting record is compared with
/// the recorded one. Where rows were removed, a session continues from its first row after them, which is not compared. Its user
/// passes each row to `execute` until a difference is found, and calls `finish` after the last row.
public final class JournalReplay {
    /// The first difference between the replay and the recording.
    public struct Difference: Equatable, Sendable {
        /// The position of the recorded row that differs. If the replay has made a record after the last recorded one, the
        /// position of the newest row.
        public let position: Int
        /// The name of the session; empty for a row of the daemon itself.
        public let session: String
        /// A sentence about the difference.
        public let why: String
        /// The recorded record; nil if it is missing.
        public let recorded: SessionRecord?
        /// The replayed record; nil if it is missing.
        public let replayed: SessionRecord?
    }

    /// Counts of what was replayed.
    public struct Counts: Equatable, Sendable {
        /// The number of replayed rows.
        public var rows = 0
        /// The number of recorded starts of the daemon.
        public var starts = 0
        /// The number of recorded firings of timers.
        public var firings = 0
        /// The number of rows that were erased, and therefore not replayed.
        public var forgotten = 0
    }

    /// Executes the rows in sessions of its own.
    private let driver: ReplayDriver
    /// The positions of the erased rows that the replay has not reached.
    private var erased: ArraySlice<Int>
    /// The number of erased rows that the replay has passed and whose change numbers it has not skipped yet.
    private var unskippedRows = 0
    /// The position up to which rows were removed.
    private let pruned: Int
    /// Whether removed rows may have come directly before the next row of a session.
    private var mayFollowRemovedRow: Bool
    /// The replayed records that were not compared yet.
    private var pending = Deque<SessionRecord>()
    /// The number of changes that were the same in the replay.
    public private(set) var changes = 0
    public private(set) var counts = Counts()
    /// The scan that verifies the rows.
    public var scan: JournalScan { driver.reading.scan }

    /// Prepares the replay of a journal from which rows up to the position `pruned` may have been removed. The rows at the
    /// positions `erased`, in increasing order, were erased by `gamectl journal forget`; their change numbers are skipped.
    ///
    /// `catalog` has the flows of the program; the texts of flow files are in the journal.
    public init(_ catalog: FlowCatalog, prunedUpTo pruned: Int = 0, erased: [Int] = []) {
        self.erased = erased[...]
        (self.pruned, mayFollowRemovedRow) = (pruned, pruned > 0)
        // The rows are replayed as they are, so at a recorded restart the sessions are restored from the pruned journal, too.
        driver = ReplayDriver(catalog, prunedUpTo: pruned, restartPruned: pruned)
        driver.recorder = { [unowned self] record, previous in
            pending.append(record)
            // A replayed record is not stored. Its invented position only shows that the session has a row.
            return JournalPosition(position: previous.position + 1, checksum: 0)
        }
    }

    /// Prepares the replay of a journal whose sessions play only flows of the program.
    public convenience init(_ flows: [AnyFlow], prunedUpTo pruned: Int = 0, erased: [Int] = []) {
        self.init(FlowCatalog(flows.map { .init($0) }), prunedUpTo: pruned, erased: erased)
    }

    // MARK: rows

    /// Replays the next row. Returns nil if all records that it produces are the same as recorded.
    public func execute(_ row: JournalRow) -> Difference? {
        while let next = erased.first, next < row.position {
            unskippedRows += 1
            erased.removeFirst()
        }
        // `driver.reading` gets each row after the row's execution. A row from which a session is restored is added before the
        // restoration, which reads the row.
        var isAdded = false
        defer { if !isAdded { driver.reading.add(row) } }
        counts.rows += 1
        // The replay restores nothing from its own records: treating them as durable keeps them from
        // accumulating in memory.
        defer { driver.sessions.rowsBecameDurable(upTo: .max) }
        // A damaged row is not executed: a wrong time far in the future would make timers beat for
        // years.
        if let flaw = row.flaw { return unreadable(row, flaw) }
        // A row is not readable if its session name is invalid. `scan` reports such a row, and there is nothing to replay.
        guard row.isReadable else { return nil }
        let (record, cause): (SessionRecord, SessionRecord.Cause)
        do throws(UnreadableRowError) {
            record = try row.record()
            cause = try record.cause()
        } catch { return unreadable(row, error.why) }
        if mustRestore(record.session, cause, row) || isUnknownUndo(record, cause) {
            driver.reading.add(row)
            isAdded = true
            if row.position > pruned { mayFollowRemovedRow = false }
            driver.continueFromRows(record)
            return nil
        }
        switch cause {
        case .consequence: return compare(record)
        case .firing: counts.firings += 1
        case .request, .other: break
        }
        if case .forgotten(let forgotten) = record.body {
            counts.forgotten += forgotten.positions.count
        }
        if let extra = pending.removeFirst() {
            return difference(record, "the replay produced a change that was not recorded", extra)
        }
        skipNumbers(before: record, at: row.position)
        return driver.run(cause, record, self)
    }

    /// Skips the change numbers of the erased and removed rows before a record, whose row is at a position.
    private func skipNumbers(before record: SessionRecord, at position: Int) {
        guard record.session != nil else { return }
        let last = record.kind == .change ? record.pos - 1 : record.pos
        let skipped = last - driver.sessions.pos
        // Each change has a row, and no number can be greater than the position of its row.
        let isRemoved = mayFollowRemovedRow && last < position
        if position > pruned { mayFollowRemovedRow = false }
        guard skipped > 0, isRemoved || skipped <= unskippedRows else { return }
        driver.sessions.skipNumbers(upTo: last)
        unskippedRows -= min(skipped, unskippedRows)
    }

    /// Call after the last row. Returns nil unless the replay produced a record that was not recorded.
    public func finish() -> Difference? {
        pending.removeFirst().map {
            Difference(
                position: scan.newestPosition, session: $0.session?.text ?? "",
                why: "the replay produced a change that was not recorded", recorded: nil,
                replayed: $0)
        }
    }

    /// Whether the session must be restored from this row, because rows before it are missing: its first rows, or those since the
    /// newest row that the replay has executed.
    private func mustRestore(
        _ name: SessionName?, _ cause: SessionRecord.Cause, _ row: JournalRow
    ) -> Bool {
        if cause.requestedKind == .open { return false }
        guard let name else { return false }
        let isOpen = (try? driver.sessions.session(name)) != nil
        if isOpen, row.previous == driver.reading.scan.newest(row.session),
            !driver.lacksState(row.session)
        {
            return false
        }
        return driver.beginsInMiddle(with: row)
    }

    /// Whether the record is of an undo of steps whose rows were removed. The daemon had these steps in memory. Their states are not
    /// known, so the result is taken from the row.
    private func isUnknownUndo(_ record: SessionRecord, _ cause: SessionRecord.Cause) -> Bool {
        guard cause.requestedKind == .undo, let change = record.change else { return false }
        return driver.isUndoOfLostHistory(change)
    }

    /// Returns the difference for a row that cannot be replayed, for the reason `why`.
    private func unreadable(_ row: JournalRow, _ why: String) -> Difference {
        Difference(
            position: row.position, session: row.session, why: why, recorded: nil, replayed: nil)
    }

    private func difference(
        _ record: SessionRecord, _ why: String, _ replayed: SessionRecord? = nil
    )
        -> Difference
    {
        Difference(
            position: record.position ?? 0, session: record.session?.text ?? "", why: why,
            recorded: record, replayed: replayed)
    }
}

/// Each replayed record must be the same as the recorded one.
extension JournalReplay: ReplayPolicy {
    func start(_ start: SessionRecord.Start, _ record: SessionRecord) -> Difference? {
        if start.isAfterOutage { return nil }
        counts.starts += 1
        if start.isAfterStandstill { return driver.continueAfterStandstill(start, record, self) }
        _ = driver.restart(
            at: start.now, lastAlive: start.lastAlive, wasRunning: start.isHandOver)
        return nil
    }

    /// The driver fires the recorded timers. Of the others, only beats have no rows; any other firing would have been recorded.
    func timerFired(before record: SessionRecord) -> Difference? {
        pending.removeFirst().map {
            difference(
                record, "a timer fired before this record, but its firing is not recorded", $0)
        }
    }

    // Any firing that is not a beat has a row.
    func mayWaitForRow(_ timer: ReplayClock.NextTimer) -> Bool { true }

    // The same flow sets the same deadlines; `timerIsNotDue` reports a timer whose deadline differs.
    func hasSameDeadline(_ signal: String, _ record: SessionRecord) -> Bool { true }

    func timerIsNotDue(_ signal: String, _ record: SessionRecord) -> Difference? {
        difference(record, "the timer \(signal) is not due at that instant")
    }

    func willPerform(_ record: SessionRecord) -> Difference? { nil }

    func refused(_ error: RequestError, _ record: SessionRecord) -> Difference? {
        difference(record, "the replay refuses the request: \(error.name)")
    }

    func compare(_ record: SessionRecord) -> Difference? {
        guard let replayed = pending.removeFirst() else {
            return difference(record, "the replay does not produce this record")
        }
        guard record.isRepeated(by: replayed) else {
            return difference(record, "the replay produces a different record", replayed)
        }
        if record.kind == .change { changes += 1 }
        driver.sessions.takeDeadlines(from: record)
        return nil
    }

    func producedNothing(_ record: SessionRecord) -> Difference? { nil }
}
