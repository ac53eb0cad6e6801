import Durability
import EventLoop
import GameFlow
import Journal
import PostgresStore
import RPC
import Sessions
import Shell
import Statistics
import Timers

/// The sessions of one shard, while this node owns it.
final class ShardHost: GroupCommitDelegate, GroupCommitClients {
    let shard: Int
    let sessions: Sessions
    let handler: ProtocolHandler
    /// The newest change that the shard's rows had when they were read.
    let restoredPos: Int
    private let clock: LoopClock
    private let owned: OwnedSessions
    private let store: PostgresShard
    private let upkeep: JournalRetention
    private let stuck: StuckMonitor
    private let environment: ShardEnvironment
    private var lanes: [ObjectIdentifier: ShardLane] = [:]
    private var toRelease: [ShardLane] = []
    private var toFlush: [ShardLane] = []
    /// Whether `endTurn` will be called before the loop sleeps.
    private var isBusy = false
    private var pause: ScopedCountdown?
    /// Looks whether the last attempts have ended, while the shard is given up.
    private var lastAttempts: ScopedPendulum?

    /// Restores the sessions of a shard from its rows. After a hand-over all timers continue: `handedOverAt` is until when
    /// the last owner has fired them. Otherwise each continues as after a restart.
    init(
        _ shard: Int, _ rows: ShardRows, handedOverAt: Instant?, _ environment: ShardEnvironment
    ) {
        (self.shard, self.environment) = (shard, environment)
        store = rows.store
        let written = rows.owned.reading.written()
        let (options, loop) = (environment.options, environment.loop)
        let (lastAlive, isTrusted) = (rows.owned.lastAlive, environment.isTrusted)
        clock = LoopClock(
            on: loop, notBefore: lastAlive ?? .zero, offset: environment.clockOffset(),
            isSettledByOwner: true)
        owned = OwnedSessions(
            written, lastAlive: lastAlive, handedOverAt: handedOverAt, environment.library.catalog,
            in: store, on: clock
        ) { isTrusted(shard) }
        sessions = owned.sessions
        restoredPos = sessions.pos
        sessions.auditsRefusals = options.auditsRefusals
        upkeep = JournalRetention(
            store, owned.groupCommit, on: loop, keeping: options.keep,
            isHeld: rows.notes.facts[StateDirectory.heldNote] != nil)
        let dispatcher = Dispatcher(
            sessions, environment.identity, archive: owned.groupCommit,
            flowFiles: environment.library,
            drawer: environment.drawer)
        handler = ProtocolHandler(dispatcher)
        stuck = StuckMonitor(
            sessions, journal: shard, environment.visitTimes, on: loop
        ) { isTrusted(shard) }
        (owned.groupCommit.delegate, owned.groupCommit.clients) = (self, self)
        stuck.needsFlush = { [unowned self] in becomeBusy() }
        for one in owned.quarantined { one.log() }
        owned.recordStart([Member("version", gamedVersion), Member("clock", "real")])
        beginOutputs(rows, upTo: written.newest.position)
        environment.publisher?.add(
            PublishedSessions(sessions, number: shard) { [owned] in owned.mayServe })
        stuck.becameStuck = { [outputs = environment.outputs] in
            outputs.becameStuck($0, in: shard)
        }
        environment.histories.add { [weak self] done in
            guard let self, !owned.hasEnded else { return done() }
            stuck.begin(owned.groupCommit, store, done)
        }
        // After the outputs, which see every change of this owner.
        environment.startSessions.open(in: sessions) { environment.shard(of: $0) == shard }
        clock.settle()
    }

    /// Sends the outputs of the sessions from now on, and what an earlier owner has left.
    private func beginOutputs(_ rows: ShardRows, upTo last: Int) {
        environment.links.attach(sessions)
        let outputs = environment.outputs
        outputs.add(
            OutputJournal(sessions, number: shard) { [owned] in owned.mayServe })
        outputs.recover(
            OutputRecovery(
                store, sessions, rows.owned.reading.times, upTo: last,
                lastAlive: rows.owned.lastAlive ?? .zero,
                isRealTime: true, retries: true, on: environment.loop
            ) { [lineTimes = environment.lineTimes] in lineTimes.since($0) },
            in: shard)
    }

    var mark: HighWaterMark? { store.lastMark }
    var isServing: Bool { owned.isServing }
    func releasePruning() -> Bool { upkeep.release() }
    /// The visits of other shards' sessions may have changed what is usual.
    func lookForStuckSessions() { stuck.lookAgain() }
    var transactions: Int { owned.groupCommit.transactions }

    // MARK: requests

    /// Executes or refuses a line of a lane, now or after it was held.
    func answer(_ line: [UInt8], from lane: ShardLane) {
        lanes[ObjectIdentifier(lane)] = lane
        lane.waiting += 1
        owned.pass { [unowned self] decision in
            lane.waiting -= 1
            switch decision {
            case .execute:
                clock.settle()
                handler.answer(.line(line[...]), from: lane)
                lane.flush()
            case .refuse(let why): lane.refuse(line, .outage(why: why, refusing: line))
            }
        }
    }

    /// The lease was renewed, so that it can be trusted again.
    func trustReturned() {
        owned.trustReturned()
        becomeBusy()
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
        becomeBusy()
    }

    /// Requests `endTurn`: most of hundreds of shards have nothing to do in a turn.
    private func becomeBusy() {
        guard !isBusy else { return }
        isBusy = true
        environment.busyShards.add(self)
    }

    func rowsWereCollected() { becomeBusy() }

    /// Writes what the lanes have, and passes the rows of this turn to the store.
    func endTurn() {
        isBusy = false
        for lane in exchange(&toFlush, with: []) {
            lane.isToFlush = false
            lane.flush()
        }
        if isServing { stuck.flush() }
        owned.groupCommit.flush()
    }

    func rowsBecameDurable(_ outcome: GroupCommit.Outcome) {
        if case .failed = outcome {
            environment.outputs.rolledBack(shard)
            stuck.rolledBack()
        }
        becomeBusy()
        for lane in exchange(&toRelease, with: []) {
            lane.isToRelease = false
            lane.release(outcome)
        }
        owned.rowsBecameDurable()
    }

    // MARK: GroupCommitDelegate

    func holdTimers(_ isHeld: Bool) { owned.holdTimers(isHeld) }

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
        let (loop, shard, outputs) = (environment.loop, shard, environment.outputs)
        let endOfPatience = loop.timerQueue.now + Self.patience
        // Later marks would say that timers were fired until then.
        upkeep.stop()
        if lastAttempts == nil {
            lastAttempts = ScopedPendulum(on: loop, .milliseconds(20)) { [unowned self] _ in
                owned.finishDraining()
            }
        }
        owned.drain {
            outputs.isBusy(with: shard) && loop.timerQueue.now < endOfPatience
        } _: { [unowned self] in
            lastAttempts = nil
            done()
        }
    }

    /// Stops at once: this node is no longer the owner. Each lane reports that its requests without a reply are lost or
    /// were not executed.
    func end() {
        guard !owned.hasEnded else { return }
        owned.end {
            // First, so that what clients may ask twice is asked of the next owner, and not answered with a failure of the
            // store.
            for lane in exchange(&lanes, with: [:]).values { lane.ownerWasLost() }
            lastAttempts = nil
            environment.outputs.remove(shard)
            environment.publisher?.remove(shard)
            stuck.end()
            upkeep.end()
        }
        clock.end()
        pause = nil
        store.abandon()
    }
}
