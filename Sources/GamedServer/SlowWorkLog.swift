import EventLoop
import GameFlow
import Parts
import Sessions
import Support
import Timers

/// Logs slow turns of the event loop, slow commits and late timers. All calls are on the loop's thread.
final class SlowWorkLog {
    /// Counts slow turns, slow commits and late timers.
    private var throttle = LogThrottle(limit: 3)

    /// Reports what is slower than `LogThresholds` from now on. The loop and the counts retain the log.
    init(_ loop: LibeventLoop, _ counts: SessionCounts) {
        loop.reportTurns(slowerThan: LogThresholds.turn) { [self] in turnWasSlow($0) }
        counts.slowWork = SessionCounts.SlowWork(
            lateness: LogThresholds.timer, { [self] in timerWasLate($0, $1, $2) },
            commitTime: LogThresholds.commit, { [self] in commitWasSlow($0, $1) })
    }

    private func turnWasSlow(_ time: Duration) {
        throttle.write(
            .warning, .slowTurn, of: "",
            "a turn of the event loop took \(time.milliseconds) ms; events and timers waited meanwhile"
        )
    }

    private func commitWasSlow(_ rows: Int, _ time: Duration) {
        throttle.write(
            .warning, .slowCommit, of: "",
            "\(CountText.write(rows, "row")) took \(time.milliseconds) ms to become durable; replies waited meanwhile"
        )
    }

    private func timerWasLate(_ session: Session, _ signal: String, _ late: Duration) {
        // The log shows no names that a flow hides from players.
        let isHidden = session.flow.hidden?.hidesEvent(signal) == true
        let event = isHidden ? [] : [LogField.event(signal)]
        throttle.write(
            .warning, .lateTimer, of: "",
            "session \(session.name.text): a timer\(isHidden ? "" : " (\(signal))") fired \(late.milliseconds) ms late",
            [.session(session.name.text), .flow(session.flow.name)] + event)
    }
}
