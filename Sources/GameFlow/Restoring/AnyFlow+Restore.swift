public import Timers

extension AnyFlow {
    /// Returns the reason for which a session could not be restored in this state with these data; nil if it
    /// could.
    ///
    /// Performs the same check as a restart: `entering` must accept the data that `scene` showed, and lead to a
    /// state that shows the same data.
    public func obstacle(toRestoring place: StateRecord) -> Reason? {
        let machine = rehearsal(on: VirtualClock())
        let snapshot = MachineSnapshot(place: place, timers: [], waiting: [])
        do throws(Reason) {
            var timers: [RestoredTimer] = []
            try machine.restore(snapshot, after: Downtime(lastSign: nil), adding: &timers)
            return nil
        } catch { return error }
    }

    /// Returns the timers of a recorded machine at an instant, and the events that its state takes or defers
    /// for some arguments, in the flow's order. Nil if the flow does not accept the record.
    public func describe(_ snapshot: MachineSnapshot, at instant: Instant)
        -> (timers: [LiveTimer], accepts: [String])?
    {
        let clock = VirtualClock(startingAt: instant)
        let machine = rehearsal(on: clock)
        let pause = Downtime(since: instant, pendulums: [:], stoodStill: .zero, restartedAt: nil)
        var timers: [RestoredTimer] = []
        do throws(Reason) { try machine.restore(snapshot, after: pause, adding: &timers) } catch {
            return nil
        }
        RestoredTimer.set(timers, on: clock.timerQueue, isAll: true)
        return (machine.liveTimers, machine.accepts)
    }

    /// Creates a machine that only finds out what an event would do.
    private func rehearsal(on clock: VirtualClock) -> AnyMachine {
        machine(
            on: clock.timerQueue, EventQueue(dropsPosts: true), observer: nil, isRehearsal: true)
    }
}
