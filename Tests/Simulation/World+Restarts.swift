import Durability
import GameFlow
import Journal
import JournalTestSupport
import RPC
import Sessions
import TestSupport
import Timers

/// Starts and crashes of the daemon.
extension World {
    func start() throws(InvariantViolation) {
        if random.below(3) == 0 { flows = SimulatedFlows(random.below(2) == 0 ? .second : .first) }
        daemon = try DaemonRun(
            store, flows, schedule, wallClock: wallClock, lastAlive: lastAlive, outputs,
            injectedFault)
        daemon.notifyClients = { [unowned self] outcome in
            if case .failed = outcome { outputs?.rollBack() }
            for client in clients {
                guard let connection = client.connection else { continue }
                switch outcome {
                case .durable, .recovered: connection.subscriber.release()
                case .failed(let error): connection.subscriber.fail(error, connection)
                }
            }
        }
        for client in clients { client.connect(daemon.sessions) }
        try endTurn()
    }

    /// Kills the daemon, and starts it again after a downtime.
    func crash() throws(InvariantViolation) {
        counts["crashes"] += 1
        let now = daemon.clock.now
        if random.below(4) == 0 { try readReplies() }
        for client in clients { client.disconnect() }
        daemon.end()
        store.crash(&random)
        // The daemon was running when it recorded the newest row.
        let last = store.rows.last.map { Instant(nanoseconds: $0.atNs) }
        lastAlive = [last, lastAlive].compactMap { $0 }.max()
        guard !schedule.isVirtual else {
            // A virtual clock stands still while the daemon is down, and shows the time of the newest row after the restart.
            lastAlive = last
            return try start()
        }
        wallClock =
            max(wallClock, now)
            + .milliseconds(Int64(random.below(Int(schedule.maxDowntimeMs) + 1)))
        if schedule.maxSetbackMs > 0, random.below(3) == 0 {
            counts["clocks set back"] += 1
            wallClock = wallClock + .milliseconds(-Int64(random.below(Int(schedule.maxSetbackMs))))
        }
        try start()
        wallClock = max(wallClock, daemon.clock.now)
    }
}
