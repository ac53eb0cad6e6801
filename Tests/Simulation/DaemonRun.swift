import Durability
import GameFlow
import JSONCoding
import Journal
import RPC
import Sessions
import Timers

/// One life of the daemon, from its start to its end or its crash.
final class DaemonRun: GroupCommitDelegate, GroupCommitClients {
    let sessions: Sessions
    let keeper: GroupCommit
    let conversation: ProtocolHandler
    let clock: SimulatedClock?
    let timeline: any TimerClock
    private(set) var retries: [() -> Void] = []
    var lingering: LingeringTimers?
    /// What the disk's news means to those who are connected.
    var tellClients: (GroupCommit.Outcome) -> Void = { _ in }
    private let fault: InjectedFault

    init(
        _ shelf: SimulatedStore, _ flows: SimulatedFlows, _ weather: FaultSchedule, wall: Instant,
        lastAlive: Instant?, _ outputs: SimulatedOutputs?, _ fault: InjectedFault
    ) throws(InvariantViolation) {
        self.fault = fault
        var start = lastAlive ?? wall
        if !weather.isVirtual, fault != .clockGoesBack { start = max(wall, start) }
        if fault == .clockGoesBack, !weather.isVirtual { start = wall }
        clock = weather.isVirtual ? nil : SimulatedClock(startingAt: start)
        timeline = clock ?? VirtualClock(startingAt: start)
        sessions = Sessions(flows.catalog, on: timeline)
        sessions.auditsRefusals = weather.audits
        var reading = JournalReading(pruned: 0, answers: sessions.limits.ids)
        for row in shelf.rows { reading.take(row) }
        let sign = lastAlive ?? start
        let written = fault.spoilt(reading.written(), by: start - sign)
        let quarantined = sessions.restore(written, lastAlive: sign)
        try expect(quarantined.isEmpty, "quarantined: \(quarantined.first.map { "\($0)" } ?? "")")
        keeper = GroupCommit(sessions, in: shelf, newest: written.newest)
        let identity = Dispatcher.ServerIdentity(version: "0", instance: "simulated", limits: [])
        conversation = ProtocolHandler(Dispatcher(sessions, identity, archive: keeper))
        (keeper.delegate, keeper.clients) = (self, self)
        inject(fault)
        sessions.recordStart([], lastAlive: sign)
        outputs?.begin(sessions, shelf.rows, lastAlive: lastAlive)
        settle()
    }

    // MARK: KeeperDelegate, KeeperClients

    func holdTimers(_ isHeld: Bool) {
        guard fault != .timersNotHeld else { return }
        clock?.isHeld = isHeld
        settle()
    }

    func retry(_ work: @escaping () -> Void) { retries.append(work) }
    func report(storageWorks: Bool, _ sentence: String) {}
    func storageIsBack(undone: [Sessions.UndoneOpening]) {}

    func rowsBecameDurable(_ outcome: GroupCommit.Outcome) {
        lingering?.refresh(after: outcome)
        tellClients(fault == .falselyUndone ? outcome.saidUndone : outcome)
    }

    /// Time before anything else.
    func settle() { clock?.settle() }

    /// A turn of the loop is over.
    func endTurn() { keeper.flush() }

    /// Whoever waits to try the disk again does.
    func retry() { for retry in exchange(&retries, with: []) { retry() } }

    /// Ends every machine's timers: the next life shares nothing with this one.
    func end() {
        sessions.recorder = nil
        lingering?.end()
        for session in sessions.list(limit: .max - 1).sessions { session.machine.end() }
    }

    /// What clients see of every session.
    var everything: [[UInt8]] {
        sessions.list(limit: .max - 1).sessions.map { session in
            var writer = JSONWriter()
            Encoder().write(session.status, .full, to: &writer)
            return writer.bytes
        }
    }
}
