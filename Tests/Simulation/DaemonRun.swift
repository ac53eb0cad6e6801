import Durability
import GameFlow
import JSONCoding
import Journal
import RPC
import Sessions
import Timers

/// One run of the daemon, from its start to its end or crash.
final class DaemonRun: GroupCommitDelegate, GroupCommitClients {
    let sessions: Sessions
    let groupCommit: GroupCommit
    let handler: ProtocolHandler
    let realClock: SimulatedClock?
    let clock: any TimerClock
    private(set) var retries: [() -> Void] = []
    /// The timers that the fault `timersNotEnded` keeps; nil without this fault.
    var lingering: LingeringTimers?
    /// Called when rows became durable or were rolled back, to release or fail the replies of the clients.
    var notifyClients: (GroupCommit.Outcome) -> Void = { _ in }
    private let fault: InjectedFault

    /// Restores the sessions from the rows of the store, and starts. `lastAlive` is the most recent instant at which the
    /// daemon is known to have run before; nil at its first start.
    init(
        _ store: SimulatedStore, _ flows: SimulatedFlows, _ schedule: FaultSchedule,
        wallClock: Instant,
        lastAlive: Instant?, _ outputs: SimulatedOutputs?, _ fault: InjectedFault
    ) throws(InvariantViolation) {
        self.fault = fault
        var start = lastAlive ?? wallClock
        if !schedule.isVirtual, fault != .clockGoesBack { start = max(wallClock, start) }
        if fault == .clockGoesBack, !schedule.isVirtual { start = wallClock }
        realClock = schedule.isVirtual ? nil : SimulatedClock(startingAt: start)
        clock = realClock ?? VirtualClock(startingAt: start)
        sessions = Sessions(flows.catalog, on: clock)
        sessions.auditsRefusals = schedule.auditsRefusals
        var reading = JournalReading(pruned: 0, answerLimit: sessions.limits.ids)
        for row in store.rows { reading.add(row) }
        let lastAliveOrStart = lastAlive ?? start
        let content = fault.applied(to: reading.content(), downtime: start - lastAliveOrStart)
        let quarantined = sessions.restore(content, lastAlive: lastAliveOrStart)
        try expect(quarantined.isEmpty, "quarantined: \(quarantined.first.map { "\($0)" } ?? "")")
        groupCommit = GroupCommit(sessions, in: store, newest: content.newest)
        let identity = Dispatcher.ServerIdentity(version: "0", instance: "simulated", limits: [])
        handler = ProtocolHandler(Dispatcher(sessions, identity, archive: groupCommit))
        (groupCommit.delegate, groupCommit.clients) = (self, self)
        inject(fault)
        sessions.recordStart([], lastAlive: lastAliveOrStart)
        outputs?.start(sessions, store.rows, lastAlive: lastAlive)
        fireDueTimers()
    }

    // MARK: GroupCommitDelegate, GroupCommitClients

    func holdTimers(_ isHeld: Bool) {
        guard fault != .timersNotHeld else { return }
        realClock?.isHeld = isHeld
        fireDueTimers()
    }

    func retry(_ work: @escaping () -> Void) { retries.append(work) }
    func report(storageWorks: Bool, _ sentence: String) {}
    func storageIsBack(undone: [Sessions.UndoneOpening]) {}

    func storeOutcomeArrived(_ outcome: GroupCommit.Outcome) {
        lingering?.refresh(after: outcome)
        notifyClients(fault == .falselyUndone ? outcome.reportedAsUndone : outcome)
    }

    /// Fires the timers that are due. Call this before each request.
    func fireDueTimers() { realClock?.fireDueTimers() }

    /// Ends a turn of the event loop.
    func endTurn() { groupCommit.flush() }

    /// Makes the retries that the group commit has asked for.
    func retryStoreOperations() { for retry in exchange(&retries, with: []) { retry() } }

    /// Ends all timers, so that nothing of this run happens in the next one.
    func end() {
        sessions.recorder = nil
        lingering?.end()
        sessions.endAll()
    }
}
