import EventLoop
import Sessions
import Statistics
import Timers

/// Looks for sessions that stay in a state longer than usual: a `StuckMonitor` for each shard.
final class StuckMonitors: ShardFollower {
    /// How long visits to states lasted, in the sessions of all shards that this process owns or owned.
    private let visitTimes: VisitTimes
    private let outputs: RoomOutputs
    /// The reads of whole journals.
    let journalReads = JournalReadQueue()
    /// The monitors, by the numbers of the shards.
    private var monitors: [Int: StuckMonitor] = [:]
    /// How often `check` was called.
    private var checks = 0
    /// Looks for stuck sessions once a second; nil in virtual time, which advances only by requests.
    private var timer: ScopedPendulum?
    private let isVirtual: Bool

    /// `outputs` sends what `on` lines ask for when a session becomes stuck.
    init(_ catalog: FlowCatalog, _ outputs: RoomOutputs, on loop: LibeventLoop, isVirtual: Bool) {
        (self.outputs, self.isVirtual) = (outputs, isVirtual)
        visitTimes = VisitTimes { catalog.finals(of: $0) }
        if isVirtual { return }
        timer = ScopedPendulum(on: loop, .seconds(1)) { [unowned self] _ in
            var effort = StuckSearchEffort()
            check(&effort)
        }
    }

    /// Marks the sessions of all shards that stay in a state longer than usual. Each call begins with another shard, so that none
    /// uses up the effort of the others each time.
    private func check(_ effort: inout StuckSearchEffort) {
        guard !monitors.isEmpty else { return }
        checks += 1
        let numbers = monitors.keys.sorted()
        for offset in 0..<numbers.count {
            monitors[numbers[(checks + offset) % numbers.count]]?.check(&effort)
        }
    }

    // MARK: ShardFollower

    func shardWasRestored(_ shard: Shard, _ rows: RestoredRows) {
        let number = shard.number
        let monitor = StuckMonitor(
            shard.sessions, journal: number, visitTimes
        ) { [unowned shard] in shard.mayServe }
        monitors[number] = monitor
        monitor.becameStuck = { [outputs] in outputs.becameStuck($0, in: number) }
        // Does not retain `rows`, which are large: a read can wait for those of many shards.
        journalReads.add { [weak monitor, outputs, store = rows.store] done in
            // Without a monitor, the shard has ended meanwhile.
            guard let monitor else { return done() }
            let recordedAlerts = RecordedAlerts()
            monitor.begin(store, read: recordedAlerts.add) {
                outputs.restoreAlerts(recordedAlerts, in: number)
                done()
            }
        }
    }

    func shardHasEnded(_ shard: Shard) { monitors.removeValue(forKey: shard.number)?.end() }
}

extension StuckMonitors: TurnPart {
    /// In virtual time, the check belongs to each turn.
    func flush() {
        guard isVirtual else { return }
        var effort = StuckSearchEffort.unlimited
        check(&effort)
    }

    func writeMetrics(to page: inout MetricsPage) {
        page.gauge(
            "gamed_sessions_stuck", "Sessions that stay in a state longer than usual.",
            monitors.values.reduce(0) { $0 + $1.markedCount })
    }

    func stop() { timer = nil }
}
