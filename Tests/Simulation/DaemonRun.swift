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
    /// The clock that the daemon uses as its real clock; nil if it runs on a virtual clock.
    let realClock: SimulatedClock?
    /// The clock of the sessions: `realClock`, or a virtual clock.
    let clock: any TimerClock
    /// Operations of the store that failed, and that the group commit has asked to try again later.
    private(set) var retries: [() -> Void] = []
    /// The timers that the fault `timersNotEnded` keeps; nil without this fault.
    var lingering: LingeringTimers?
    /// Called when rows became durable or were rolled back, to release or fail the replies of the clients.
    var notifyClients: (GroupCommit.Outcome) -> Void = { _ in }
    private let fault: InjectedFault

    /// Restores the sessions from the rows of the store, and starts. `schedule` says which clock the daemon has, `outputs` are
    /// the outputs of all runs, and `fault` is injected into this run. `lastAlive` is the most recent instant at which the
    /// daemon is known to have run before; nil at its first start.
    init(
        _ store: SimulatedStore, _ flows: SimulatedFlows, _ schedule: FaultSchedule,
        wallClock: Instant,
        lastAlive: Instant?, _ outputs: SimulatedOutputs?, _ fault: InjectedFault
    ) throws(InvariantViolation) {
        self.fault = fault
        var start = lastAlive ?? wallClock
        if !schedule.isVirtual {
            // The clock continues where it was if the wall clock has been set back.
            start = fault == .clockGoesBack ? wallClock : max(wallClock, start)
        }
        realClock = schedule.isVirtual ? nil : SimulatedClock(startingAt: start)
        clock = realClock ?? VirtualClock(startingAt: start)
        sessions = Sessions(flows.catalog, on: clock)
        sessions.auditsRefusals = schedule.auditsRefusals
        var reading = JournalReading(prunedUpTo: 0, answerLimit: sessions.limits.ids)
        for row in store.rows { reading.add(row) }
        let lastAliveOrStart = lastAlive ?? start
        let content = fault.applied(to: reading.content(), downtime: start - lastAliveOrStart)
        // On a real clock, every other restart leaves all sessions that can be decoded later.
        let leavesSessions = realClock != nil && store.rows.count % 2 == 0
        let quarantined = sessions.restore(
            content, lastAlive: lastAliveOrStart, decoding: leavesSessions ? 0 : .max)
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

    /// Fires the timers that are due on the real clock. Call this before each request.
    func fireDueTimers() { realClock?.fireDueTimers() }

    /// Ends a turn of the event loop: passes the rows of this turn to the store.
    func endTurn() { groupCommit.flush() }

    /// Makes the retries that the group commit has asked for.
    func retryStoreOperations() { for retry in exchange(&retries, with: []) { retry() } }

    /// Ends all timers, so that no timer of this run fires in the next run.
    func end() {
        sessions.recorder = nil
        lingering?.end()
        sessions.endMachines()
    }
}
