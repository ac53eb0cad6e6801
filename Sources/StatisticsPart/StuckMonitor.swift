package import Journal
import Parts
import RPC
package import Sessions
import Statistics
import Timers

/// Marks a session as stuck if its present visit to a state is longer than 90 % of the recent visits to that state.
///
/// The sessions themselves know how long their visits last; the monitor asks them once a second. After the start it learns from
/// the journal how long past visits lasted, in pages. It marks no session before it has read the journal.
///
/// A monitor belongs to the sessions of one shard; `StuckMonitors` has them all. All calls are on the loop's thread.
package final class StuckMonitor {
    private let sessions: Sessions
    /// How long past visits lasted; shared with the monitors of the other shards.
    private let times: VisitTimes
    /// The number of the journal, which is unique among the journals that share `times`.
    private let journal: Int
    /// Whether this process may act for the sessions at this moment.
    private let mayAct: () -> Bool
    private var phase = Phase.waiting
    /// What is left of a read that has ended. It is released in parts.
    private var endedRead: StayReader?
    /// The time at which this monitor was created, on the sessions' clock. If a session became stuck before this time, an
    /// earlier run of the daemon has reported it, or the node that owned the shard before.
    private let startTime: Instant
    /// Called with each session that has become stuck since this monitor was created.
    var becameStuck: (Session) -> Void = { _ in }

    private enum Phase {
        /// `begin` was not called yet, or `end` was.
        case waiting
        /// The journal is being read.
        case reading(JournalRead)
        /// The times of past visits are known.
        case following(SessionStays)
    }

    /// A read of the journal up to the newest row that was durable when the sessions began to follow their visits themselves.
    private final class JournalRead {
        let store: any Store
        let following: SessionStays
        var records = RecordReader()
        var stays: StayReader
        /// Called with each record, for other parts that need the whole journal.
        let read: (SessionRecord) -> Void
        /// The position of the newest row that was read.
        var position = 0
        /// Called once when the read has ended or was ended early.
        let done: () -> Void

        init(
            _ store: any Store, _ following: SessionStays, _ times: VisitTimes,
            _ read: @escaping (SessionRecord) -> Void, _ done: @escaping () -> Void
        ) {
            (self.store, self.following, self.read, self.done) = (store, following, read, done)
            stays = StayReader(following, times)
        }
    }

    /// The number of rows in a page. Between two pages the loop serves clients.
    private static let rowsPerPage = 500

    /// `journal` is the number of the shard. Monitors that get the same `times` share them. `mayAct` tells whether this process
    /// may act for the sessions at this moment.
    package init(
        _ sessions: Sessions, journal: Int, _ times: VisitTimes, mayAct: @escaping () -> Bool
    ) {
        (self.sessions, self.journal, self.times) = (sessions, journal, times)
        self.mayAct = mayAct
        startTime = sessions.now
    }

    /// Follows the sessions from now on, and reads the journal. Calls `read` with each record. Calls `done` once: when the
    /// journal is read, when the read has failed, or when `end` is called.
    package func begin(
        _ store: any Store, read: @escaping (SessionRecord) -> Void, _ done: @escaping () -> Void
    ) {
        let stays = sessions.followStays(times)
        let journalRead = JournalRead(store, stays, times, read, done)
        phase = .reading(journalRead)
        readNextPage(of: journalRead)
    }

    // MARK: the journal

    private func readNextPage(of journalRead: JournalRead) {
        journalRead.store.walk(after: journalRead.position, limit: Self.rowsPerPage) {
            [weak self] result in
            // The result of a read that has ended meanwhile is not wanted.
            guard let self, case .reading = phase else { return }
            rowsWereRead(result, journalRead)
        }
    }

    private func rowsWereRead(
        _ result: Result<[JournalRow], StoreError>, _ journalRead: JournalRead
    ) {
        switch result {
        case .failure(let error):
            Log.write(
                .error, .storage,
                "cannot read the journal: \(error.why); stuck sessions are found only after new visits have ended"
            )
            endOfJournal(journalRead, isComplete: false)
        case .success(let rows):
            let end = journalRead.following.firstRow
            for row in rows where row.position <= end { add(row, journalRead) }
            // The greatest position can be damaged; no row comes after it.
            guard let newest = rows.last?.position, newest < end else {
                return endOfJournal(journalRead)
            }
            times.markCounted(upTo: newest, inJournal: journal)
            // A row with a damaged position must not make the read go back.
            journalRead.position = max(journalRead.position + 1, newest)
            readNextPage(of: journalRead)
        }
    }

    private func add(_ row: JournalRow, _ journalRead: JournalRead) {
        guard let record = journalRead.records.record(ifUndamaged: row) else { return }
        // The row is not new if this node owned the shard before.
        journalRead.stays.add(record, isNew: times.isNew(row.position, inJournal: journal))
        journalRead.read(record)
    }

    private func endOfJournal(_ journalRead: JournalRead, isComplete: Bool = true) {
        journalRead.following.endOfRecords(isComplete: isComplete)
        phase = .following(journalRead.following)
        endedRead = journalRead.stays
        journalRead.done()
    }

    // MARK: stuck sessions

    /// Marks the sessions that have become stuck, and reports those that became stuck since this monitor was created.
    package func check(_ effort: inout StuckSearchEffort) {
        releasePartOfRead()
        guard case .following(let stays) = phase, mayAct() else { return }
        // A session that leaves its state now is not stuck. A virtual clock does not move by itself.
        if !sessions.isVirtual { sessions.clock.fireDueTimers() }
        for finding in stays.takeStuck(&effort) {
            sessions.markStuck(finding.session)
            if finding.stuckSince > startTime { becameStuck(finding.session) }
        }
    }

    /// How many parts of a read that has ended are released in a call of `check`.
    private static let releasedParts = 4

    private func releasePartOfRead() {
        for _ in 0..<Self.releasedParts where endedRead != nil {
            if endedRead?.releasePart() == false { endedRead = nil }
        }
    }

    /// Ends the read of the journal, because the daemon ends or another process owns the sessions. If that happens during the
    /// read, the visits that have ended since it began are counted again when this process reads the journal again.
    package func end() {
        switch exchange(&phase, with: .waiting) {
        case .waiting: break
        case .reading(let journalRead): journalRead.done()
        case .following: times.markCounted(upTo: sessions.durableRow, inJournal: journal)
        }
    }
}
