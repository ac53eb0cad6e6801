import Durability
import EventLoop
import GameFlow
import Journal
import RPC
import Sessions
import Statistics
import Timers

/// Marks a session as stuck if its present visit to a state is longer than 90 % of the recent visits to that state.
///
/// The monitor learns how long visits last. After the start it learns from the journal, which it reads in pages. Then it learns
/// from each change that has become durable. It marks no session before it has read the journal.
///
/// A monitor watches the sessions of one journal. These are the sessions of the daemon, or the sessions of a shard that this
/// node owns. `DaemonSources` or `ShardHost` creates it. All calls are on the loop's thread.
final class StuckMonitor: Watcher {
    private let sessions: Sessions
    private let loop: LibeventLoop
    /// How long past visits lasted; may be shared with the monitors of other journals.
    private let times: VisitTimes
    /// The number of the journal, which is unique among the journals that share `times`.
    private let journal: Int
    /// Whether this process may act for the sessions at this moment.
    private let mayAct: () -> Bool
    /// Computes from the visits which sessions are stuck.
    private var detector: StuckDetector
    /// The changes that this monitor was notified of and has not passed to `detector` yet. They wait because they are not
    /// durable yet, or because the journal is still being read. `step` is the effect of the change on the session's visits.
    private var pendingChanges: [(row: Int, content: Pending)] = []
    /// The read of the journal; nil before and after it.
    private var journalRead: JournalRead?
    private var isWatching = false
    /// The time at which this monitor was created, on the sessions' clock. If a session became stuck before this time, an
    /// earlier run of the daemon has reported it, or the node that owned the shard before.
    private let startTime: Instant
    /// The timer of the next check, and the time at which it fires, on the sessions' clock. Nil if no session can become stuck.
    private var wakeUp: (timer: ScopedCountdown, at: Instant)?
    /// Whether sessions may have become stuck since the last check.
    private var needsCheck = false
    /// Called when `flush` has something to do. Code that does not call `flush` in each turn of the loop sets this.
    var needsFlush: () -> Void = {}
    /// Called with each session that has become stuck since this monitor was created.
    var becameStuck: (Session) -> Void = { _ in }

    /// What the detector does not know yet.
    private enum Pending {
        case change(Change, VisitStep)
        /// The process stood still before this start.
        case pause(SessionRecord.Start)
    }

    /// A read of the whole journal, page by page.
    private final class JournalRead {
        let store: any Store
        let groupCommit: GroupCommit
        var reader = RecordReader()
        /// Called with each record, for other parts that need the whole journal.
        let read: (SessionRecord) -> Void
        /// The position of the newest row that was read.
        var position = 0
        /// Called once when the read has ended or was ended early.
        let done: () -> Void

        init(
            _ store: any Store, _ groupCommit: GroupCommit,
            _ read: @escaping (SessionRecord) -> Void, _ done: @escaping () -> Void
        ) {
            (self.store, self.groupCommit, self.read, self.done) = (store, groupCommit, read, done)
        }
    }

    /// The number of rows in a page. Between two pages the loop serves clients.
    private static let rowsPerPage = 500
    /// The watch begins when at most this many rows of the journal remain to be read. So the last rows are read while the
    /// monitor already watches, and no change is missed.
    private static let overlapRows = 2000

    /// `journal` is the number of the shard; 0 without shards. Monitors that get the same `times` share them; nil gives the
    /// monitor times of its own. `mayAct` tells whether this process may act for the sessions at this moment.
    init(
        _ sessions: Sessions, journal: Int = 0, _ times: VisitTimes? = nil, on loop: LibeventLoop,
        mayAct: @escaping () -> Bool = { true }
    ) {
        let catalog = sessions.catalog
        let times = times ?? VisitTimes { catalog.finals(of: $0) }
        (self.sessions, self.journal, self.times) = (sessions, journal, times)
        (self.loop, self.mayAct) = (loop, mayAct)
        detector = StuckDetector(times: times)
        startTime = sessions.now
    }

    /// Reads the journal, and watches the sessions from the end of the read on; without a journal, only watches them. Calls
    /// `read` with each record. Calls `done` once: when the journal is read, when the read has failed, or when `end` is called.
    func begin(
        _ groupCommit: GroupCommit?, _ store: (any Store)?,
        read: @escaping (SessionRecord) -> Void, _ done: @escaping () -> Void
    ) {
        guard let groupCommit, let store else {
            watch()
            return done()
        }
        journalRead = JournalRead(store, groupCommit, read, done)
        readNextPage()
    }

    /// Watches the changes of all sessions from now on.
    private func watch() {
        guard !isWatching else { return }
        isWatching = true
        _ = try? sessions.watch(.all, .changes, by: self)
    }

    // MARK: the journal

    private func readNextPage() {
        guard let journalRead else { return }
        if sessions.newestRow - journalRead.position <= Self.overlapRows {
            watch()
            // Passes the rows of earlier changes to the store, so that the next page contains them.
            journalRead.groupCommit.flush()
        }
        let wasWatching = isWatching
        journalRead.store.walk(after: journalRead.position, limit: Self.rowsPerPage) {
            [weak self] result in
            self?.rowsWereRead(result, wasWatching: wasWatching)
        }
    }

    /// `wasWatching` says whether the watch had begun before these rows were requested. Only then is an empty page the end of
    /// the read; else a change could be missed.
    private func rowsWereRead(_ result: Result<[JournalRow], StoreError>, wasWatching: Bool) {
        guard let journalRead else { return }
        switch result {
        case .failure(let error):
            Log.write(
                .error,
                "cannot read the journal: \(error.why); stuck sessions are found only after new visits have ended"
            )
            endJournalRead()
        case .success(let rows):
            for row in rows {
                guard let record = journalRead.reader.record(ifUndamaged: row) else { continue }
                // `isNew` is false if `times` has the row's visits already, because this node owned the shard before.
                detector.add(record, isNew: times.isNew(row.position, inJournal: journal))
                journalRead.read(record)
            }
            guard let newest = rows.last?.position else {
                return wasWatching ? endJournalRead() : readNextPage()
            }
            // Only a damaged position can be greater; no row comes after it.
            guard newest <= JournalRow.greatestNumber else { return endJournalRead() }
            times.markCounted(upTo: newest, inJournal: journal)
            // A row with a damaged position must not make the read go back.
            journalRead.position = max(journalRead.position + 1, newest)
            readNextPage()
        }
    }

    /// Begins to mark sessions after the read has ended or failed.
    private func endJournalRead() {
        watch()
        let endedRead = exchange(&journalRead, with: nil)
        // The detector has these changes from the journal. A change that is not recorded has the row 0.
        pendingChanges.removeAll { $0.row > 0 && $0.row <= endedRead?.position ?? 0 }
        needsCheck = true
        flush()
        endedRead?.done()
    }

    // MARK: changes

    func notify(_ notification: Notification) {
        guard case .change(let change) = notification.content else { return }
        let flow = (try? sessions.session(change.session))?.flow
        let version = FlowVersion(
            flow?.name ?? "", sourceVersion: flow?.source?.version, number: flow?.version)
        guard let step = VisitStep(change, version) else { return }
        pendingChanges.append((notification.row, .change(change, step)))
        needsFlush()
    }

    /// Called after the process stood still. `start` is the start that the sessions have made then.
    func stoodStill(_ start: SessionRecord.Start) {
        pendingChanges.append((sessions.newestRow, .pause(start)))
        needsFlush()
    }

    /// Never called: only a watch of a single session ends with the session.
    func ended(_ session: SessionName) {}

    /// Drops the changes that were rolled back because they could not be stored.
    func dropRolledBackChanges() {
        let durable = sessions.durableRow
        pendingChanges.removeAll { $0.row > durable }
    }

    /// Passes the pending changes that have become durable to the detector.
    private func passDurableChanges() {
        guard journalRead == nil, !pendingChanges.isEmpty else { return }
        let durable = sessions.durableRow
        let count = pendingChanges.prefix { $0.row <= durable }.count
        guard count > 0 else { return }
        for (row, content) in pendingChanges[..<count] {
            switch content {
            case .change(let change, let step):
                detector.add(step)
                sessions.unmarkStuck(change.session)
            case .pause(let start): detector.addPause(before: start)
            }
            times.markCounted(upTo: row, inJournal: journal)
        }
        pendingChanges.removeFirst(count)
        needsCheck = true
    }

    // MARK: stuck sessions

    /// Marks the sessions that have become stuck, and reports those that became stuck since this monitor was created.
    private func markStuckSessions() {
        for stuckVisit in detector.takeStuck(at: sessions.now) {
            guard let session = try? sessions.session(stuckVisit.session) else { continue }
            sessions.markStuck(session)
            if stuckVisit.stuckSince > startTime { becameStuck(session) }
        }
    }

    /// Sets a timer for the time at which the next session may be stuck. Virtual time needs no timer: it advances only by
    /// requests, after which `flush` is called.
    private func setWakeUp() {
        guard !sessions.isVirtual, let next = detector.nextStuckInstant() else {
            wakeUp = nil
            return
        }
        // At exactly the usual time the session is not stuck yet, so the timer waits 1 ms longer.
        let now = sessions.now
        let wait = min(max(.zero, next - now) + .milliseconds(1), .longest)
        // A timer that fires too early is kept: setting a timer for each change would take longer than one unnecessary check.
        if let wakeUp, wakeUp.at <= now + wait { return }
        let timer = ScopedCountdown(on: loop, wait) { [unowned self] in
            wakeUp = nil
            sessions.clock.fireDueTimers()
            checkAgain()
        }
        wakeUp = (timer, now + wait)
    }

    /// Requests a check: other journals may have changed the usual times, or a session may have stayed too long.
    func checkAgain() {
        needsCheck = true
        needsFlush()
    }

    /// The number of sessions that are marked as stuck.
    private var markedCount: Int { sessions.stuckEntries.count }
}

extension StuckMonitor: EventSource {
    func reload(_ options: Options) {}

    /// Learns from the changes that have become durable, and checks for stuck sessions if necessary.
    func flush() {
        passDurableChanges()
        guard journalRead == nil, needsCheck || sessions.isVirtual, mayAct() else { return }
        needsCheck = false
        markStuckSessions()
        setWakeUp()
    }

    func writeMetrics(to page: inout MetricsPage) {
        page.gauge(
            "gamed_sessions_stuck", "Sessions that stay in a state longer than usual.", markedCount)
    }

    func stop() { end() }

    /// Ends the checks and the read of the journal, because the daemon ends or another process owns the sessions.
    func end() {
        wakeUp = nil
        exchange(&journalRead, with: nil)?.done()
    }
}
