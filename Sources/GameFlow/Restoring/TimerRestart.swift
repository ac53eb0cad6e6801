internal import Timers

/// Determines how one timer continues after a restart, from its record, its declared policy and the time since.
struct TimerRestart {
    let policy: AfterRestart
    let isPendulum: Bool
    let pause: Downtime
    /// Read for the present instant only if necessary, because reading a real clock takes time.
    let timerQueue: TimerQueue

    func setting(of record: TimerRecord) -> RestoredTimer.Setting {
        switch (policy, record.standing) {
        case (.drop, _) where pause.lastSign != nil || pause.restartedAt != nil: .dropped
        // A paused timer stays paused until the operator who paused it resumes it.
        case (_, .paused(let remaining)): .paused(remaining: remaining)
        case (_, .running(let until)): running(record, until: until)
        }
    }

    private func running(_ record: TimerRecord, until: Instant) -> RestoredTimer.Setting {
        switch policy {
        case .deadline, .drop: .firing(at: isMeanwhile ? onGrid(record, until) : until)
        case .remaining: remaining(record, until + pause.stoodStill)
        case .restart where isMeanwhile:
            .firing(at: pause.restartedAt.map { $0 + record.total } ?? onGrid(record, until))
        case .restart: .firingAfter(record.total)
        }
    }

    private var isMeanwhile: Bool { pause.lastSign == nil }

    /// Continues with the time that was left when the daemon last ran, counted from the instant at which the
    /// timer is set.
    private func remaining(_ record: TimerRecord, _ until: Instant) -> RestoredTimer.Setting {
        guard let lastSign = pause.lastSign else {
            // A timer that was overdue at the last restart became due at that restart.
            return .firing(
                at: isPendulum ? onGrid(record, until) : max(until, pause.restartedAt ?? until))
        }
        return .firingAfter(left(record, until, at: lastSign))
    }

    /// Returns the next deadline of a timer. A pendulum may have fired since its record was made, because beats
    /// are not recorded; it keeps its phase, and the beats that it missed are lost.
    private func onGrid(_ record: TimerRecord, _ until: Instant) -> Instant {
        guard isPendulum else { return until }
        if let due = pause.pendulums[record.fires] { return due }
        let since = pause.since ?? timerQueue.now
        return since + left(record, until, at: since)
    }

    private func left(_ record: TimerRecord, _ until: Instant, at instant: Instant) -> Duration {
        let left = until - instant
        guard left <= .zero, isPendulum else { return max(left, .zero) }
        let period = record.total.nanoseconds
        return Duration.nanoseconds(period - (-left.nanoseconds) % period)
    }
}
