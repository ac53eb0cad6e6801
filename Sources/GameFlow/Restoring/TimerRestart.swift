internal import Timers

/// How one timer goes on after a restart: what its record, its declaration and the time since say together.
struct TimerRestart {
    let policy: AfterRestart
    let isPendulum: Bool
    let pause: Downtime
    /// Is asked for the present only where that matters: a real clock takes time to read.
    let timerQueue: TimerQueue

    func setting(of record: TimerRecord) -> RestoredTimer.Setting {
        switch (policy, record.standing) {
        case (.drop, _) where pause.lastSign != nil || pause.restartedAt != nil: .dropped
        // Who stopped it has to let it go on, however long that takes.
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

    /// What was left at the last sign of life, counted from the instant at which it is set.
    private func remaining(_ record: TimerRecord, _ until: Instant) -> RestoredTimer.Setting {
        guard let lastSign = pause.lastSign else {
            // One that was overdue at the last restart was due from then on.
            return .firing(
                at: isPendulum ? onGrid(record, until) : max(until, pause.restartedAt ?? until))
        }
        return .firingAfter(left(record, until, at: lastSign))
    }

    /// A pendulum that has beaten since it was written down, for beats are not, keeps its grid; what it
    /// missed while nobody looked it has missed.
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
