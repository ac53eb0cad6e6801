import Durability
import EventLoop
import GameFlow
import Journal
import RPC
import Sessions
import Statistics
import Timers

/// Marks the sessions that stay in a state longer than nine of ten recent visits of that state lasted.
///
/// It learns how long visits last from the journal, which it reads after the start in pages, and then from each change when
/// it is durable. Until the journal is read, no session is marked.
///
/// The sessions are those of one journal: of the daemon, or of a shard that this node owns.
final class StuckMonitor: Watcher {
    private let sessions: Sessions
    private let loop: LibeventLoop
    private let times: VisitTimes
    /// The number of the journal among those that share the times.
    private let journal: Int
    private let mayAct: () -> Bool
    private var detector: StuckDetector
    /// The changes that were announced and not taken yet.
    private var announced: [(row: Int, change: Change, step: VisitStep)] = []
    /// The journal, while it is being read.
    private var history: History?
    private var isWatching = false
    /// The time until which stuck sessions were found by an earlier start or owner, which has reported them.
    private let start: Instant
    private var wake: (timer: ScopedCountdown, at: Instant)?
    private var hasNews = false
    /// Called when `flush` has something to do, for owners that do not call it in each turn of the loop.
    var needsFlush: () -> Void = {}
    /// Called with each session that has become stuck since the start.
    var becameStuck: (Session) -> Void = { _ in }

    /// The part of the journal that is not read yet.
    private final class History {
        let store: any Store
        let groupCommit: GroupCommit
        var reader = RecordReader()
        /// The newest row that was read.
        var position = 0

        let done: () -> Void

        init(_ store: any Store, _ groupCommit: GroupCommit, _ done: @escaping () -> Void) {
            (self.store, self.groupCommit, self.done) = (store, groupCommit, done)
        }
    }

    private static let rowsPerPage = 500
    /// From how many rows before the end on the changes are announced, so that none is missed.
    private static let stretch = 2000

    /// `times` are shared with other journals; `mayAct` says whether this process may act for the sessions at this moment.
    init(
        _ sessions: Sessions, journal: Int = 0, _ times: VisitTimes? = nil, on loop: LibeventLoop,
        mayAct: @escaping () -> Bool = { true }
    ) {
        let catalog = sessions.catalog
        let times = times ?? VisitTimes { catalog.finals(of: $0) }
        (self.sessions, self.journal, self.times) = (sessions, journal, times)
        (self.loop, self.mayAct) = (loop, mayAct)
        detector = StuckDetector(times: times)
        start = sessions.now
    }

    /// Begins, with what the journal says; nil without a journal. `done` is called when the journal was read.
    func begin(
        _ groupCommit: GroupCommit?, _ store: (any Store)?, _ done: @escaping () -> Void = {}
    ) {
        guard let groupCommit, let store else {
            watch()
            return done()
        }
        history = History(store, groupCommit, done)
        readOn()
    }

    private func watch() {
        guard !isWatching else { return }
        isWatching = true
        _ = try? sessions.watch(.all, .changes, by: self)
    }

    // MARK: the journal

    private func readOn() {
        guard let history else { return }
        if sessions.newestRow - history.position <= Self.stretch {
            watch()
            // The page contains every row that was written before the watch began.
            history.groupCommit.flush()
        }
        let wasWatching = isWatching
        history.store.walk(after: history.position, limit: Self.rowsPerPage) {
            [weak self] result in
            self?.take(result, isLast: wasWatching)
        }
    }

    private func take(_ result: Result<[JournalRow], StoreError>, isLast: Bool) {
        guard let history else { return }
        switch result {
        case .failure(let error):
            Log.write(
                .error,
                "how long states usually last is not known: the journal cannot be read: \(error.why)"
            )
            endHistory()
        case .success(let rows):
            for row in rows {
                guard let record = history.reader.record(ifUndamaged: row) else { continue }
                detector.take(record, isNew: times.isNew(row.position, of: journal))
            }
            guard let newest = rows.last?.position else {
                return isLast ? endHistory() : readOn()
            }
            guard newest <= JournalRow.most else { return endHistory() }
            times.note(newest, of: journal)
            // A row whose position is damaged must not lead back.
            history.position = max(history.position + 1, newest)
            readOn()
        }
    }

    private func endHistory() {
        watch()
        let ended = exchange(&history, with: nil)
        announced.removeAll { $0.row > 0 && $0.row <= ended?.position ?? 0 }
        hasNews = true
        flush()
        ended?.done()
    }

    // MARK: changes

    func notify(_ notification: Notification) {
        guard case .change(let change) = notification.content else { return }
        let flow = (try? sessions.session(change.session))?.flow
        let version = FlowVersion(
            flow?.name ?? "", sourceVersion: flow?.source?.version, number: flow?.version)
        guard let step = VisitStep(change, version) else { return }
        announced.append((notification.row, change, step))
        needsFlush()
    }

    func ended(_ session: SessionName) {}

    /// Changes that are not durable were rolled back.
    func rolledBack() {
        let durable = sessions.durableRow
        announced.removeAll { $0.row > durable }
    }

    private func takeAnnounced() {
        guard history == nil, !announced.isEmpty else { return }
        let durable = sessions.durableRow
        let count = announced.prefix { $0.row <= durable }.count
        guard count > 0 else { return }
        for (row, change, step) in announced[..<count] {
            detector.take(step)
            times.note(row, of: journal)
            sessions.unmarkStuck(change.session)
        }
        announced.removeFirst(count)
        hasNews = true
    }

    // MARK: stuck sessions

    private func find() {
        for found in detector.takeStuck(at: sessions.now) {
            guard let session = try? sessions.session(found.session) else { continue }
            sessions.markStuck(session)
            if found.since > start { becameStuck(session) }
        }
    }

    /// Wakes the loop when the next session may be stuck. Virtual time moves only with requests, after which `flush` is
    /// called anyway.
    private func setWake() {
        guard !sessions.isVirtual, let next = detector.next() else {
            wake = nil
            return
        }
        // A stay must be longer than the usual time, not equal to it.
        let now = sessions.now
        let wait = min(max(.zero, next - now) + .milliseconds(1), .longest)
        // A timer that is early is kept: most sessions leave before it fires, and setting it for each change takes longer
        // than to wake up once in vain.
        if let wake, wake.at <= now + wait { return }
        let timer = ScopedCountdown(on: loop, wait) { [unowned self] in
            wake = nil
            sessions.timeline.settle()
            lookAgain()
        }
        wake = (timer, now + wait)
    }

    /// The visits of other journals' sessions may have changed what is usual, or a session has stayed for longer.
    func lookAgain() {
        hasNews = true
        needsFlush()
    }

    /// The number of sessions that are marked.
    private var count: Int { sessions.stuckEntries.count }
}

extension StuckMonitor: EventSource {
    func reload(_ options: Options) {}

    func flush() {
        takeAnnounced()
        guard history == nil, hasNews || sessions.isVirtual, mayAct() else { return }
        hasNews = false
        find()
        setWake()
    }

    func writeMetrics(to page: inout MetricsPage) {
        page.gauge(
            "gamed_sessions_stuck", "Sessions that stay in a state longer than usual.", count)
    }

    func stop() { end() }

    /// Looks no more: the sessions end, or another process has them.
    func end() {
        wake = nil
        exchange(&history, with: nil)?.done()
    }
}
