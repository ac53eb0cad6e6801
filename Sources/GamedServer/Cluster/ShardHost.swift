import Durability
import EventLoop
import GameFlow
import Journal
import PostgresStore
import RPC
import Sessions
import Shell
import Timers

/// The sessions of one shard, while this node owns it.
final class ShardHost: GroupCommitDelegate, GroupCommitClients {
    let shard: Int
    let sessions: Sessions
    let handler: ProtocolHandler
    /// The newest change that the shard's rows had when they were read.
    let restoredPos: Int
    private let clock: LoopClock
    private let groupCommit: GroupCommit
    private let store: PostgresShard
    private let upkeep: JournalRetention
    private let environment: ShardEnvironment
    private var lanes: [ObjectIdentifier: ShardLane] = [:]
    private var toRelease: [ShardLane] = []
    private var toFlush: [ShardLane] = []
    private var pause: ScopedCountdown?
    /// Requests that came while the lease could not be trusted.
    private var waiting: [() -> Void] = []
    private var phase = Phase.serving
    private var drained: (() -> Void)?
    /// Looks whether the last attempts have ended, while the shard waits for them.
    private var lastAttempts: ScopedPendulum?
    /// Until when it waits for them.
    private var endOfPatience = Instant.zero

    private enum Phase {
        case serving
        /// No request is taken any more; what was taken becomes durable.
        case draining
        case ended
    }

    /// Restores the sessions of a shard from its rows.
    init(_ shard: Int, _ rows: ShardRows, _ environment: ShardEnvironment) {
        (self.shard, self.environment) = (shard, environment)
        store = rows.store
        let written = rows.reading.written()
        let (options, loop) = (environment.options, environment.loop)
        let lastAlive = rows.lastAlive
        clock = LoopClock(
            on: loop, notBefore: lastAlive ?? .zero, offset: environment.clockOffset())
        sessions = Sessions(environment.library.catalog, on: clock)
        let quarantined = sessions.restore(written, lastAlive: lastAlive ?? clock.timerQueue.now)
        restoredPos = sessions.pos
        sessions.auditsRefusals = options.auditsRefusals
        groupCommit = GroupCommit(sessions, in: store, newest: written.newest)
        upkeep = JournalRetention(
            store, groupCommit, on: loop, keeping: options.keep,
            isHeld: rows.notes.facts[StateDirectory.heldNote] != nil)
        let dispatcher = Dispatcher(
            sessions, environment.identity, archive: groupCommit, flowFiles: environment.library,
            drawer: environment.drawer)
        handler = ProtocolHandler(dispatcher)
        (groupCommit.delegate, groupCommit.clients) = (self, self)
        let isTrusted = environment.isTrusted
        clock.mayFire = { isTrusted(shard) }
        groupCommit.mayServe = { isTrusted(shard) }
        for one in quarantined { one.log() }
        // Only sessions that are restored need to know how long they stood still.
        if sessions.count + sessions.quarantined > 0 {
            sessions.recordStart(
                [Member("version", gamedVersion), Member("clock", "real")],
                lastAlive: lastAlive ?? sessions.now)
        }
        beginOutputs(rows, upTo: written.newest.position)
        // After the outputs, which see every change of this owner.
        environment.startSessions.open(in: sessions) { environment.shard(of: $0) == shard }
        clock.settle()
    }

    /// Sends the outputs of the sessions from now on, and what an earlier owner has left.
    private func beginOutputs(_ rows: ShardRows, upTo last: Int) {
        environment.links.attach(sessions)
        let outputs = environment.outputs
        outputs.add(
            OutputJournal(sessions, number: shard) { [weak self] in self?.mayServe ?? false })
        outputs.recover(
            OutputRecovery(
                store, sessions, rows.reading.times, upTo: last, lastAlive: rows.lastAlive ?? .zero,
                isRealTime: true, on: environment.loop),
            in: shard)
    }

    /// Whether requests can be executed at this moment.
    private var mayServe: Bool { phase == .serving && environment.isTrusted(shard) }

    var mark: HighWaterMark? { store.lastMark }
    var isServing: Bool { phase == .serving }
    func releasePruning() -> Bool { upkeep.release() }
    var transactions: Int { groupCommit.transactions }

    // MARK: requests

    /// Executes a line of a lane, now or when the lease can be trusted again.
    func answer(_ line: [UInt8], from lane: ShardLane) {
        lanes[ObjectIdentifier(lane)] = lane
        // While the storage is out even a read is refused, because the sessions in memory may differ from the stored ones.
        if let outage = sessions.outage {
            return lane.refuse(line, .storage(why: outage, outcome: .undone))
        }
        guard mayServe else {
            lane.waiting += 1
            return waiting.append { [weak self] in
                lane.waiting -= 1
                self?.answer(line, from: lane)
            }
        }
        clock.settle()
        handler.answer(.line(line[...]), from: lane)
        lane.flush()
    }

    /// The lease can be trusted again.
    func trustReturned() {
        guard mayServe else { return }
        clock.settle()
        for work in exchange(&waiting, with: []) { work() }
    }

    func forget(_ lane: ShardLane) { lanes[ObjectIdentifier(lane)] = nil }

    // MARK: output

    func releaseLater(_ lane: ShardLane) {
        guard !lane.isToRelease else { return }
        lane.isToRelease = true
        toRelease.append(lane)
    }

    func flushLater(_ lane: ShardLane) {
        guard !lane.isToFlush else { return }
        lane.isToFlush = true
        toFlush.append(lane)
    }

    /// Writes what the lanes have, and passes the rows of this turn to the store.
    func endTurn() {
        for lane in exchange(&toFlush, with: []) {
            lane.isToFlush = false
            lane.flush()
        }
        groupCommit.flush()
    }

    func rowsBecameDurable(_ outcome: GroupCommit.Outcome) {
        if case .failed = outcome { environment.outputs.rolledBack(shard) }
        for lane in exchange(&toRelease, with: []) {
            lane.isToRelease = false
            lane.release(outcome)
        }
        // Waiting requests are tried again: they are refused while the storage is out, and executed if it works.
        if case .failed = outcome { for work in exchange(&waiting, with: []) { work() } }
        finishDraining()
    }

    // MARK: GroupCommitDelegate

    func holdTimers(_ isHeld: Bool) {
        guard phase == .serving else { return }
        clock.isHeld = isHeld
        if !isHeld { clock.settle() }
    }

    func retry(_ work: @escaping () -> Void) {
        pause = ScopedCountdown(on: environment.loop, .seconds(1), work)
    }

    func report(storageWorks: Bool, _ sentence: String) {
        environment.reportStorage(storageWorks, sentence)
    }

    func storageIsBack(undone: [Sessions.UndoneOpening]) {
        environment.startSessions.openAgain(in: sessions, undone)
    }

    // MARK: the end

    /// How long a shard that is given up waits for the ends of the attempts for its outputs.
    private static let patience = Duration.seconds(1)

    /// Takes no further request, fires no timer and begins no attempt for an output; calls `done` when everything is durable
    /// and answered.
    func drain(_ done: @escaping () -> Void) {
        guard phase == .serving else { return }
        clock.settle()
        clock.isHeld = true
        phase = .draining
        drained = done
        endOfPatience = environment.loop.timerQueue.now + Self.patience
        groupCommit.flush()
        finishDraining()
    }

    private func finishDraining() {
        guard phase == .draining, sessions.uncommitted == 0, let done = drained else { return }
        let loop = environment.loop
        if environment.outputs.isBusy(with: shard), loop.timerQueue.now < endOfPatience {
            if lastAttempts == nil {
                lastAttempts = ScopedPendulum(on: loop, .milliseconds(20)) { [weak self] _ in
                    self?.finishDraining()
                }
            }
            return
        }
        (drained, lastAttempts) = (nil, nil)
        upkeep.end()
        done()
    }

    /// Stops at once: this node is no longer the owner. Each lane reports that its requests without a reply are lost or
    /// were not executed.
    func end() {
        guard phase != .ended else { return }
        phase = .ended
        lastAttempts = nil
        environment.outputs.remove(shard)
        upkeep.end()
        groupCommit.end()
        clock.end()
        (pause, waiting) = (nil, [])
        for session in sessions.list(limit: .max - 1).sessions { session.machine.end() }
        for lane in exchange(&lanes, with: [:]).values { lane.ownerWasLost() }
        store.abandon()
    }
}

/// What all shards of a node share.
struct ShardEnvironment {
    let loop: LibeventLoop
    let options: Options
    let library: FlowLibrary
    let drawer: GraphvizDrawer
    let identity: Dispatcher.ServerIdentity
    let outputs: RoomOutputs
    let links: RoomLinks
    var startSessions: StartSessions
    /// By how much the database's clock is ahead of the loop's.
    let clockOffset: () -> Duration
    let isTrusted: (Int) -> Bool
    let shards: Int
    let reportStorage: (_ works: Bool, _ sentence: String) -> Void

    init(
        _ options: Options, _ library: FlowLibrary, _ drawer: GraphvizDrawer,
        _ identity: Dispatcher.ServerIdentity, _ leases: ShardLeases, _ outputs: RoomOutputs,
        _ links: RoomLinks, on loop: LibeventLoop
    ) {
        (self.outputs, self.links) = (outputs, links)
        (self.options, self.library, self.drawer, self.identity) = (
            options, library, drawer, identity
        )
        (self.loop, shards, startSessions) = (loop, leases.shardCount, StartSessions(options))
        clockOffset = { [unowned leases] in leases.offset ?? .zero }
        isTrusted = { [unowned leases] in leases.isTrusted($0) }
        let report = StorageReport()
        reportStorage = { report.write($0, $1) }
    }

    func shard(of session: SessionName) -> Int { ShardMap.shard(of: session, shards: shards) }
}
