package import EventLoop
import Parts
package import Sessions
package import Shards
import Statistics
import Timers

/// Looks for sessions that stay in a state longer than usual: a `StuckMonitor` for each shard.
package final class StuckMonitors: ShardFollower {
    /// How long visits to states lasted, in the sessions of all shards that this process owns or owned.
    private let visitTimes: VisitTimes
    private let observer: any StuckSessionObserver
    /// The reads of whole journals.
    package let journalReads = JournalReadQueue()
    /// The monitors, by the numbers of the shards.
    private var monitors: [Int: StuckMonitor] = [:]
    /// How often `check` was called.
    private var checks = 0
    /// Looks for stuck sessions once a second, but not in virtual time, which advances only by requests.
    private var timer = Ticker()
    private let isVirtual: Bool

    package init(
        _ catalog: FlowCatalog, _ observer: any StuckSessionObserver, on loop: LibeventLoop,
        isVirtual: Bool
    ) {
        (self.observer, self.isVirtual) = (observer, isVirtual)
        visitTimes = VisitTimes { catalog.finals(of: $0) }
        if isVirtual { return }
        timer.start(on: loop, .seconds(1)) { [unowned self] _ in
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

    package func shardWasRestored(_ shard: Shard, _ rows: RestoredRows) {
        let number = shard.number
        let monitor = StuckMonitor(
            shard.sessions, journal: number, visitTimes
        ) { [unowned shard] in shard.mayServe }
        monitors[number] = monitor
        monitor.becameStuck = { [observer] in observer.becameStuck($0, in: number) }
        // Does not retain `rows`, which are large: a read can wait for those of many shards.
        journalReads.add { [weak monitor, observer, store = rows.store] done in
            // Without a monitor, the shard has ended meanwhile.
            guard let monitor else { return done() }
            let recordedAlerts = RecordedAlerts()
            monitor.begin(store, read: recordedAlerts.add) {
                observer.restoreAlerts(recordedAlerts, in: number)
                done()
            }
        }
    }

    package func shardHasEnded(_ shard: Shard) { monitors.removeValue(forKey: shard.number)?.end() }
}

extension StuckMonitors: TurnPart {
    /// In virtual time, the check belongs to each turn.
    package func flush() {
        guard isVirtual else { return }
        var effort = StuckSearchEffort.unlimited
        check(&effort)
    }

    package func stop() { timer.stop() }
}
