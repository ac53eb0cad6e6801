internal import Timers

extension AnyFlow {
    /// Why a session could not be restored in this state with these data; nil if it could.
    ///
    /// It does what a restart does: `entering` must accept what `scene` showed, and lead to a state
    /// that shows the same.
    public func obstacle(toRestoring place: Place) -> Reason? {
        let machine = machine(
            on: VirtualClock().timerQueue, EventQueue(dropsPosts: true), observer: nil,
            isRehearsal: true)
        let snapshot = MachineSnapshot(place: place, timers: [], waiting: [])
        do throws(Reason) {
            _ = try machine.restore(snapshot, after: Downtime(lastSign: nil))
            return nil
        } catch { return error }
    }

    /// The events that a state takes or defers with some arguments, in the flow's order; none if it cannot be restored.
    public func accepts(in place: Place) -> [String] {
        let machine = machine(
            on: VirtualClock().timerQueue, EventQueue(dropsPosts: true), observer: nil,
            isRehearsal: true)
        let snapshot = MachineSnapshot(place: place, timers: [], waiting: [])
        do throws(Reason) {
            _ = try machine.restore(snapshot, after: Downtime(lastSign: nil))
            return machine.accepts
        } catch { return [] }
    }
}
