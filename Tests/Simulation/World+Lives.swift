import Durability
import GameFlow
import Journal
import JournalTestSupport
import RPC
import Sessions
import TestSupport
import Timers

/// The daemon begins, is killed, and begins again.
extension World {
    func begin() throws(InvariantViolation) {
        if random.below(3) == 0 { flows = SimulatedFlows(isNewer: random.below(2) == 0) }
        life = try DaemonRun(
            shelf, flows, weather, wall: wall, lastAlive: lastAlive, outputs, fault)
        life.tellClients = { [unowned self] outcome in
            if case .failed = outcome { outputs?.rollBack() }
            for client in clients {
                guard let connection = client.connection else { continue }
                switch outcome {
                case .kept, .back: connection.mailbox.release()
                case .failed(let error): connection.mailbox.fail(error, connection)
                }
            }
        }
        for client in clients { client.connect(life.sessions) }
        try endTurn()
    }

    /// The process is killed, or the power fails; a while later the daemon is started again.
    func crash() throws(InvariantViolation) {
        counts["crashes"] += 1
        let now = life.timeline.now
        if random.below(4) == 0 { try listen() }
        for client in clients { client.disconnect() }
        life.end()
        shelf.crash(&random)
        let last = shelf.rows.last.map { Instant(nanoseconds: $0.atNs) }
        lastAlive = [last, lastAlive].compactMap { $0 }.max()
        guard !weather.isVirtual else {
            lastAlive = last
            return try begin()
        }
        wall = max(wall, now) + .milliseconds(Int64(random.below(Int(weather.longestDown) + 1)))
        if weather.setback > 0, random.below(3) == 0 {
            counts["clocks set back"] += 1
            wall = wall + .milliseconds(-Int64(random.below(Int(weather.setback))))
        }
        try begin()
        wall = max(wall, life.timeline.now)
    }
}
