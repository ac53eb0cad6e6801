public import GameFlow
internal import Timers

extension AnyFlow {
    /// Restores a new machine of the flow from what a journal would record of `machine`, on a clock of its own. Throws if the flow
    /// does not accept its own state. For the fuzzer of flow files, which is a package of its own.
    public func restoredCopy(of machine: AnyMachine) throws(Reason) -> AnyMachine {
        let copy = self.machine(on: VirtualClock().timerQueue, EventQueue(), observer: nil)
        var timers: [RestoredTimer] = []
        try copy.restore(machine.snapshot, after: Downtime(lastAlive: .zero), adding: &timers)
        return copy
    }
}
