internal import Timers

/// A timer that was made again, and waits to be set to where it stood.
public struct RestoredTimer {
    let id: TimerID
    let record: TimerRecord
    let policy: AfterRestart
    let pause: Downtime
    let isPendulum: Bool
    let timerQueue: TimerQueue

    /// Sets the timers of several machines, in the order in which they had been set. What is set later counts as later
    /// than any of them. With `isAll` the timer queue has no others.
    public static func set(_ timers: [RestoredTimer], isAll: Bool) {
        if isAll, let first = timers.first { first.timerQueue.restartOrder() }
        // Numbers are sorted and not the timers, which are large.
        let orders = timers.indices.map { (order: timers[$0].record.order, place: $0) }
        for next in orders.sorted(by: { $0.order < $1.order }) { timers[next.place].set() }
    }

    private func set() {
        switch (policy, record.standing) {
        case (.drop, _) where pause.lastSign != nil || pause.restartedAt != nil: timerQueue.drop(id)
        // Who stopped it has to let it go on, however long that takes.
        case (_, .paused(let remaining)):
            timerQueue.restore(id, total: record.total, pausedWith: remaining)
        case (_, .running(let until)):
            timerQueue.restore(
                id, total: record.total, firingAt: deadline(until), order: record.order)
        }
    }

    private func deadline(_ until: Instant) -> Instant {
        switch policy {
        case .deadline, .drop: isMeanwhile ? onGrid(until) : until
        case .remaining: remaining(until + pause.stoodStill)
        case .restart:
            isMeanwhile
                ? pause.restartedAt.map { $0 + record.total } ?? onGrid(until)
                : timerQueue.now + record.total
        }
    }

    private var isMeanwhile: Bool { pause.lastSign == nil }

    /// Where what was left at the last sign of life ends, counted from now.
    private func remaining(_ until: Instant) -> Instant {
        guard let lastSign = pause.lastSign else {
            // One that was overdue at the last restart was due from then on.
            return isPendulum ? onGrid(until) : max(until, pause.restartedAt ?? until)
        }
        return timerQueue.now + left(until, at: lastSign)
    }

    /// A pendulum that has beaten since it was written down, for beats are not, keeps its grid; what it
    /// missed while nobody looked it has missed.
    private func onGrid(_ until: Instant) -> Instant {
        guard isPendulum else { return until }
        if let due = pause.pendulums[record.fires] { return due }
        let since = pause.since ?? timerQueue.now
        return since + left(until, at: since)
    }

    private func left(_ until: Instant, at instant: Instant) -> Duration {
        let left = until - instant
        guard left <= .zero, isPendulum else { return max(left, .zero) }
        let period = record.total.nanoseconds
        return Duration.nanoseconds(period - (-left.nanoseconds) % period)
    }
}
