public import GameFlow
public import Timers

/// Continuing after a time in which the process did not run. Its sessions have stayed in memory, or were given up and restored.
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
        return recordStandstill(since: lastAlive, notes)
    }

    /// Records a start after a standstill. Returns the start.
    @discardableResult public func recordStandstill(
        since lastAlive: Instant, _ notes: [Member]
    ) -> SessionRecord.Start {
        let start = SessionRecord.Start.afterStandstill(
            now: now, lastAlive: lastAlive, notes: notes)
        if isRecorded { recordStart(start) }
        return start
    }

    /// Takes over the newest changes, and with them the steps that can be undone, from `earlier`: the sessions of the same
    /// journal that this process had before it stood still. Call it after `restore`. Returns false and changes nothing if the
    /// journal has other rows than `earlier` knows, for example because another node owned the sessions meanwhile.
    public func continueHistory(of earlier: Sessions) -> Bool {
        let (known, present) = (earlier.recording, recording)
        guard present.quarantine.isEmpty, known.quarantine.isEmpty, known.suspended.isEmpty,
            known.newestRow == present.newestRow, known.daemonRow == present.daemonRow,
            earlier.pos == pos
        else { return false }
        (ring, statesBeforeSteps) = (earlier.ring, earlier.statesBeforeSteps)
        for session in all {
            if let before = earlier.index[session.name] { session.continueHistory(of: before) }
        }
        return true
    }
}
