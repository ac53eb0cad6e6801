public import GameFlow
public import Timers

/// Continuing after a time in which the process did not run.
extension Sessions {
    /// Makes the timers follow their declarations, as after a restart. All timers that were due by `lastAlive` have fired, and
    /// no later timer. Other than after a restart, the steps that can be undone are kept.
    ///
    /// Call it when the clock shows the present instant. No timer fires before `fireDueTimers` is called on the clock.
    package func continueTimers(stoppedSince lastAlive: Instant) {
        let downtime = Downtime(lastAlive: lastAlive)
        var timers: [RestoredTimer] = []
        // The timers of a suspended session are set when the store is back. They follow the recorded starts.
        for session in all where recording.suspended[session.name] == nil {
            session.restartTimers(downtime, adding: &timers)
        }
        RestoredTimer.set(timers, on: timerQueue, queueIsEmpty: false)
    }

    /// Treats the time since `lastAlive` as one in which the daemon was down, and records a start with `notes`. Returns the
    /// start. See `continueTimers`.
    @discardableResult public func continueAfterStandstill(
        since lastAlive: Instant, _ notes: [Member]
    ) -> SessionRecord.Start {
        continueTimers(stoppedSince: lastAlive)
        stays?.addPause(from: lastAlive, to: now)
        let start = SessionRecord.Start.afterStandstill(
            now: now, lastAlive: lastAlive, notes: notes)
        if isRecorded { recordStart(start) }
        return start
    }
}
