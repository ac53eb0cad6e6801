import Durability
import EventLoop
import GameFlow
import Journal
import Net
import PostgresStore
import RPC
import Sessions
import Shell
import Statistics
import Support
import Timers

/// The sessions of one shard, while this node owns it.
final class ShardHost: GroupCommitDelegate, GroupCommitClients {
    let shard: Int
    let sessions: Sessions
    /// Answers the lines of lanes.
    let handler: ProtocolHandler
    /// The `pos` of the newest change in the shard's rows when they were read.
    let restoredPos: Int
    /// The clock of the sessions' timers. It begins at the database's time, so that all owners of the shard use the same time.
    private let clock: LoopClock
    /// The gate through which requests and timers reach `sessions` only while this node may act as the owner.
    private let ownedSessions: OwnedSessions
    /// The shard's rows in the database.
    private let store: PostgresShard
    /// Removes old rows and writes high-water marks.
    private let retention: JournalRetention
    /// Finds the sessions that have been in a state for longer than is usual.
    private let stuckMonitor: StuckMonitor
    private let environment: ShardEnvironment
    /// The lanes that have sent a line and have not ended.
    private var lanes: [ObjectIdentifier: ShardLane] = [:]
    /// The lanes whose replies wait for the store.
    private var lanesToRelease = DurabilityQueue<ShardLane>()
    /// The lanes whose output is passed on at the end of this turn of the loop.
    private var lanesToFlush = Deque<ShardLane>()
    /// Whether this shard was added to `busyShards`, so that `endTurn` is called before the loop sleeps.
    private var isEndTurnRequested = false
    /// Calls the function that was given to `retry`, after `retryPause`.
    private var retryTimer: ScopedCountdown?
    /// Checks, while the shard is drained, whether the last attempts to send its outputs have ended.
    private var drainCheck: ScopedPendulum?

    /// Restores the sessions of a shard from its rows. After a hand-over, `handedOverAt` is the time until which the previous
    /// owner fired the timers; all timers continue from there. If `handedOverAt` is nil, each timer continues as after a
    /// restart. `earlier` are the shard's sessions before this node stood still; nil if it did not.
    init(
        _ shard: Int, _ rows: ShardRows, handedOverAt: Instant?, continuing earlier: Sessions?,
        _ environment: ShardEnvironment
    ) {
        (self.shard, self.environment) = (shard, environment)
        store = rows.store
        let journalContent = rows.ownedRows.reading.content()
        let (options, loop) = (environment.options, environment.loop)
        let (lastAlive, isTrusted) = (rows.ownedRows.lastAlive, environment.isTrusted)
        // With `isOwnerDriven`, the loop fires the clock's timers only once in each turn. Here "owner" means this object, not
        // the node: this object also calls `fireDueTimers` before each request.
        clock = LoopClock(
            on: loop, notBefore: lastAlive ?? .zero, offset: environment.clockOffset(),
            isOwnerDriven: true)
        ownedSessions = OwnedSessions(
            journalContent, lastAlive: lastAlive, handedOverAt: handedOverAt,
            environment.library.catalog, in: store, on: clock, format: environment.rowFormat(),
            continuing: earlier
        ) { isTrusted(shard) }
        sessions = ownedSessions.sessions
        restoredPos = sessions.pos
        sessions.auditsRefusals = options.store.auditsRefusals
        // The removal of old rows is held if an earlier owner has noted that the clock may be wrong.
        retention = JournalRetention(
            store, ownedSessions.groupCommit, on: loop, keeping: options.store.retentionPeriod,
            isHeld: rows.notes.values[StateDirectory.heldNote] != nil)
        let dispatcher = Dispatcher(
            sessions, environment.identity, archive: ownedSessions.groupCommit,
            diagramDrawer: environment.diagramDrawer, surveyor: environment.library.surveyor)
        handler = ProtocolHandler(dispatcher)
        stuckMonitor = StuckMonitor(
            sessions, journal: shard, environment.visitTimes
        ) { isTrusted(shard) }
        (ownedSessions.groupCommit.delegate, ownedSessions.groupCommit.clients) = (self, self)
        // The rows of the shard may contain flows whose files had mistakes at the start.
        environment.library.offerRecorded(options)
        for quarantinedSession in ownedSessions.quarantined { quarantinedSession.log() }
        ownedSessions.recordStart([Member("version", gamedVersion), Member("clock", "real")])
        beginOutputs(rows, upTo: journalContent.newest.position)
        // Publishes the sessions' states to MQTT brokers.
        environment.publisher?.add(
            PublishedSessions(sessions, number: shard) { [ownedSessions] in
                ownedSessions.mayServe
            })
        stuckMonitor.becameStuck = { [outputs = environment.outputs] in
            outputs.becameStuck($0, in: shard)
        }
        environment.journalReads.add { [weak self] done in
            guard let self, !ownedSessions.hasEnded else { return done() }
            let recordedAlerts = RecordedAlerts()
            stuckMonitor.begin(store, read: recordedAlerts.add) {
                [outputs = environment.outputs] in
                outputs.restoreAlerts(recordedAlerts, in: shard)
                done()
            }
        }
        // The sessions of the configuration are opened after the outputs are connected, because the outputs must see every
        // change of this owner.
        environment.startSessions.open(in: sessions) { environment.shard(of: $0) == shard }
        clock.fireDueTimers()
    }

    /// Sends the outputs of the sessions from now on, and the outputs that an earlier owner did not send. `newestPosition` is
    /// the position of the newest row that an earlier owner wrote.
    private func beginOutputs(_ rows: ShardRows, upTo newestPosition: Int) {
        environment.links.attach(sessions)
        let outputs = environment.outputs
        outputs.add(
            OutputJournal(sessions, number: shard) { [ownedSessions] in ownedSessions.mayServe })
        outputs.recover(
            OutputRecovery(
                store, sessions, rows.ownedRows.reading.times, upTo: newestPosition,
                lastAlive: rows.ownedRows.lastAlive ?? .zero,
                isRealTime: true, retriesFailedReads: true, on: environment.loop
            ) { [lineTimes = environment.lineTimes] in
                // When the configuration got this `on` line.
                lineTimes.startTime(of: $0)
            },
            in: shard)
    }

    /// The newest high-water mark of the shard; nil if this node has made none.
    var mark: HighWaterMark? { store.lastMark }
    /// Whether the sessions are neither being drained nor ended. (`OwnedSessions.mayServe` is also false while the lease is not
    /// trusted.)
    var isServing: Bool { ownedSessions.isServing }
    /// The number of requests that are held at this moment.
    var heldRequests: Int { ownedSessions.heldRequests }
    /// The number of requests that were held, and then executed or refused.
    var decidedRequests: Int { ownedSessions.decidedRequests }
    /// Whether this node still works on the shard's journal: false once the shard is drained or lost.
    var keepsJournal: Bool { !retention.hasEnded }
    /// Removes the old rows that nothing needs. The removal is held while the clock may be wrong; this call allows it.
    func removeOldRows(_ done: @escaping (Result<PruneReport, StoreError>) -> Void) {
        retention.removeOldRows(done)
    }
    /// Marks the sessions that stay in a state longer than usual. All shards of the node share `effort`.
    func markStuckSessions(_ effort: inout StuckSearchEffort) {
        guard isServing else { return }
        clock.fireDueTimers()
        stuckMonitor.check(&effort)
    }

    /// Corrects the dates of the sessions if the database's clock was set. Returns by how much; nil if it was not, or while this
    /// node may not act as the owner. Rows of an older format have no corrections, which are then kept in memory only.
    func followDatabaseClock() -> Duration? {
        guard ownedSessions.mayServe else { return nil }
        let follower = WallClockFollower(sessions: sessions) { [environment] in
            environment.loop.now + environment.clockOffset()
        }
        clock.fireDueTimers()
        let step = follower.check(isStored: ownedSessions.groupCommit.format == .newest)
        if step != nil { requestEndTurn() }
        return step
    }

    // MARK: requests

    /// Executes or refuses a line of a lane: now, or later if requests are held at this moment.
    func answer(_ line: [UInt8], sentSince: Instant?, from lane: ShardLane) {
        lanes[ObjectIdentifier(lane)] = lane
        lane.heldLines += 1
        ownedSessions.pass { [unowned self] decision in
            lane.heldLines -= 1
            switch decision {
            case .execute:
                clock.fireDueTimers()
                lane.sentSince = sentSince
                handler.answer(.line(line[...]), from: lane)
                lane.flush()
            case .refuse(let why): lane.refuse(.outage(why: why, refusing: line))
            }
        }
    }

    /// Called after the process stood still, with a sentence about it: refuses the requests that are held.
    func stoodStill(why: String) { ownedSessions.refuseHeldRequests(why: why) }

    /// Called when the lease was renewed. Executes held requests and fires due timers if the lease can be trusted again.
    func leaseWasRenewed() {
        ownedSessions.leaseWasRenewed()
        requestEndTurn()
    }

    /// Called when an operator has switched the store to another format of rows.
    func write(_ format: RowFormat) { ownedSessions.groupCommit.format = format }

    /// Removes a lane whose client has ended it.
    func remove(_ lane: ShardLane) { lanes[ObjectIdentifier(lane)] = nil }

    // MARK: output

    /// Flushes the lane when the oldest row is durable that its output waits for, or calls its `storeFailed` when the store has
    /// failed.
    func releaseLater(_ lane: ShardLane) {
        guard !lane.isReleaseScheduled else { return }
        lane.isReleaseScheduled = true
        lanesToRelease.add(lane, until: lane.outbox.awaitedRow)
    }

    /// Calls `flush` of the lane at the end of this turn of the loop.
    func flushLater(_ lane: ShardLane) {
        guard !lane.isFlushScheduled else { return }
        lane.isFlushScheduled = true
        lanesToFlush.append(lane)
        requestEndTurn()
    }

    /// Requests a call of `endTurn` in this turn of the loop. A node has hundreds of shards, and most have nothing to do.
    func requestEndTurn() {
        guard !isEndTurnRequested else { return }
        isEndTurnRequested = true
        environment.busyShards.add(self)
    }

    /// Writes the output of the lanes until the time is over, and passes the rows of this turn to the store. Returns whether
    /// lanes are left for the next turn.
    func endTurn(_ time: inout DeliveryTime) -> Bool {
        isEndTurnRequested = false
        while !time.isOver, let lane = lanesToFlush.removeFirst() {
            lane.isFlushScheduled = false
            lane.flush()
            time.clientWasServed()
        }
        ownedSessions.groupCommit.flush()
        return !lanesToFlush.isEmpty
    }

    // MARK: GroupCommitClients

    func rowsWereCollected() { requestEndTurn() }

    /// Called when more rows are durable, when rows were rolled back, or when the storage works again.
    func storeOutcomeArrived(_ outcome: GroupCommit.Outcome) {
        let waiting = lanesToRelease.take(after: outcome, durable: sessions.durableRow)
        for lane in waiting { lane.isReleaseScheduled = false }
        switch outcome {
        case .durable, .recovered: for lane in waiting { flushLater(lane) }
        case .failed(let error):
            environment.outputs.dropRolledBackChanges(shard)
            // As in `ServerContext`, also for the lanes that are flushed later.
            for lane in waiting + lanesToFlush.elements { lane.storeFailed(error) }
        }
        requestEndTurn()
        ownedSessions.handleHeldRequests()
    }

    // MARK: GroupCommitDelegate

    func holdTimers(_ isHeld: Bool) { ownedSessions.holdTimers(isHeld) }

    /// The pause before the next attempt to use a failed store again.
    private static let retryPause = Duration.seconds(1)

    func retry(_ work: @escaping () -> Void) {
        retryTimer = ScopedCountdown(on: environment.loop, Self.retryPause, work)
    }

    func report(storageWorks: Bool, _ sentence: String) {
        environment.reportStorage(storageWorks, sentence)
    }

    func storageIsBack(undone: [Sessions.UndoneOpening]) {
        environment.startSessions.openAgain(in: sessions, undone)
    }

    // MARK: the end

    /// How long `drain` waits for attempts to send outputs that have already begun.
    private static let attemptPatience = Duration.seconds(1)
    /// How often `drain` checks whether these attempts have ended.
    private static let drainCheckInterval = Duration.milliseconds(20)

    /// Prepares the hand-over: from now on the shard takes no request, fires no timer and begins no attempt to send an output.
    /// Waits until all rows are durable, and until all attempts that have already begun have ended. For these attempts, it
    /// waits no longer than `attemptPatience`. Then calls `done`.
    func drain(_ done: @escaping () -> Void) {
        let (loop, shard, outputs) = (environment.loop, shard, environment.outputs)
        let endOfAttempts = loop.timerQueue.now + Self.attemptPatience
        // The retention also writes high-water marks. A mark claims that all due timers were fired until the time of the mark.
        // From now on no timer is fired, so the claim would be false.
        retention.stop()
        if drainCheck == nil {
            drainCheck = ScopedPendulum(on: loop, Self.drainCheckInterval) { [unowned self] _ in
                ownedSessions.finishDraining()
            }
        }
        let mustWaitForAttempts = {
            outputs.isBusy(with: shard) && loop.timerQueue.now < endOfAttempts
        }
        ownedSessions.drain(while: mustWaitForAttempts) { [unowned self] in
            drainCheck = nil
            done()
        }
    }

    /// Stops at once, because this node is no longer the owner of the shard, or because this node gives the shard up. Each lane
    /// tells its client how many of the newest requests were certainly not executed. Of the earlier requests without a reply,
    /// it is unknown whether they were executed.
    func end() {
        guard !ownedSessions.hasEnded else { return }
        ownedSessions.end {
            // The lanes end first, so that clients repeat the repeatable requests at the next owner. Otherwise the clients
            // would get the failure of the store as the reply.
            // Replies whose rows have become durable in this turn are passed on before.
            for lane in exchange(&lanes, with: [:]).values {
                lane.flush()
                lane.ownerWasLost()
            }
            drainCheck = nil
            environment.outputs.remove(shard)
            environment.publisher?.remove(shard)
            environment.links.detach(sessions)
            stuckMonitor.end()
            retention.end()
        }
        clock.end()
        retryTimer = nil
        store.abandon()
    }
}
