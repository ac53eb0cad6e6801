import Durability
import Fuzzing
import GameFlow
import Journal
import RPC
import Sessions
import ShippedFlows
import Timers

/// Fuzzes the restoring of sessions from journal rows, and uses the restored sessions.
@main struct RowFuzz {
    /// Shared by all inputs, because flows do not change.
    nonisolated(unsafe) static let flows = [any Flow].shipped.map { $0.anyFlow }

    static func main() { fuzz { RowFuzz.test($0, $1) } }

    static func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
        let rows = FuzzedRow.all(Array(UnsafeBufferPointer(start: data, count: size)))
        var reading = JournalReading(prunedUpTo: 0, answerLimit: 16)
        for row in rows { reading.add(row) }
        check(
            Instant.zero...Instant.last ~= reading.latestTime,
            "the latest time of the rows is \(reading.latestTime)")
        var limits = Limits()
        limits.firings = 64
        let sessions = Sessions(
            flows, on: VirtualClock(startingAt: reading.latestTime), limits: limits)
        let content = reading.content()
        let quarantined = sessions.restore(content, lastAlive: reading.latestTime)
        check(
            sessions.quarantinedCount <= quarantined.count, "a quarantined session is not reported")
        let groupCommit = GroupCommit(sessions, in: MemoryStore(), newest: content.newest)
        sessions.recordStart([], lastAlive: reading.latestTime)
        use(sessions)
        groupCommit.flush()
        for session in sessions.all {
            try? sessions.close(session, RequestContext(from: Source(.unix)))
        }
        check(
            sessions.clock.timerQueue.count == 0, "a timer is left after all sessions were closed")
        return 0
    }

    /// Reads the history of each session, operates its timers, and advances the clock.
    private static func use(_ sessions: Sessions) {
        for session in sessions.list(limit: 100).sessions {
            _ = sessions.history(of: session, limit: 10)
            for timer in session.machine.liveTimers {
                for action in [TimerOperation.Action.pause, .resume, .restart] {
                    try? sessions.operate(
                        TimerOperation(timer.fires, action), on: session,
                        RequestContext(from: Source(.unix)))
                }
            }
        }
        _ = try? sessions.advance(.by(.seconds(2)))
    }
}
