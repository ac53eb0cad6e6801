import Durability
import EventLoop
import GameFlow
package import Journal
import Net
package import Parts
package import RPC
package import Sessions
import Shell
import Support
package import Timers

/// A set of sessions while this process owns it, with their clock, their journal, and what keeps the journal small. A daemon
/// without a database has one shard with all sessions; without a state directory, this shard commits nowhere. A node that
/// shares a database has a shard for each lease. All calls are on the loop's thread.
package final class Shard: GroupCommitDelegate, GroupCommitClients {
    package let number: Int
    package let sessions: Sessions
    /// The rows of the sessions.
    package let store: any Store
    /// Answers requests about the sessions.
    package let handler: ProtocolHandler
    package let dispatcher: Dispatcher
    /// The `pos` of the newest change in the shard's rows when they were read.
    package let restoredPos: Int
    private let clock: any TimerClock
    /// The gate through which requests and timers reach `sessions` only while this process may act as the owner.
    private let owned: OwnedSessions
    /// Removes old rows and writes high-water marks.
    private let retention: JournalRetention
    private let environment: ShardEnvironment
    /// What acts on the changes of the sessions, in the order of the calls.
    private var followers: [any ShardFollower] = []
    /// The sessions of the configuration. A reload replaces them.
    private var startSessions: StartSessions
    /// The lanes that have sent a request and have not ended.
    private var lanes: [ObjectIdentifier: ShardLane] = [:]
    /// The receivers whose output waits for the store.
    private var outputToRelease = DurabilityQueue<any ScheduledOutput>()
    /// The calls of this process whose changes wait for the store. They are called with the outcome of the store; nil if the
    /// shard was lost before.
    private var waitingCalls = DurabilityQueue<(GroupCommit.Outcome?) -> Void>()
    /// Whether this shard was added to `busyShards`, so that `endTurn` is called before the loop sleeps.
    @exclusivity(unchecked) private var isEndTurnRequested = false
    private let laterCalls: LaterCalls
    /// Calls the function that was given to `retry`, after `retryPause`.
    private var retryTimer = Alarm()
    /// Checks, while the shard is drained, whether the followers have ended their work.
    private var drainCheck = Ticker()

    /// How this process has become the owner of the shard, and whether it still is.
    package struct Acquisition {
        /// After a hand-over, the time until which the previous owner fired the timers; all timers continue from there. If it is
        /// nil, each timer continues as after a restart.
        package var handedOverAt: Instant?
        /// The shard's sessions before this node stood still; nil if it did not.
        package var earlierSessions: Sessions?
        /// The format of new rows, which every node of the store can read.
        package var format: RowFormat
        /// Whether a start is recorded even if the shard has no session.
        package var recordsEveryStart: Bool

        /// Returns whether this process may act as the owner at this moment.
        package var isTrusted: () -> Bool

        package init(
            handedOverAt: Instant? = nil, earlierSessions: Sessions? = nil,
            format: RowFormat = .newest, recordsEveryStart: Bool = true,
            isTrusted: @escaping () -> Bool = { true }
        ) {
            (self.handedOverAt, self.earlierSessions) = (handedOverAt, earlierSessions)
            (self.format, self.recordsEveryStart) = (format, recordsEveryStart)
            self.isTrusted = isTrusted
        }
    }

    /// Restores the sessions from the shard's rows, on a clock that shows the present time of the store. `onProgress` is called
    /// with the number of sessions that were dealt with. No timer fires before `begin`, which must be called next.
    package init(
        _ number: Int, _ rows: RestoredRows, _ acquisition: Acquisition, on clock: any TimerClock,
        _ environment: ShardEnvironment, onProgress: (Int) -> Void = { _ in }
    ) {
        (self.number, self.environment, self.clock) = (number, environment, clock)
        (store, hasJournal) = (rows.store, rows.store.keepsRows)
        let options = environment.options
        startSessions = StartSessions(options)
        owned = OwnedSessions(
            rows.read.content, lastAlive: rows.read.lastAlive,
            handedOverAt: acquisition.handedOverAt,
            environment.library.catalog, in: store, on: clock, format: acquisition.format,
            continuing: acquisition.earlierSessions, onProgress: onProgress,
            isTrusted: acquisition.isTrusted)
        sessions = owned.sessions
        sessions.counts = environment.counts
        owned.groupCommit.clock = environment.loop.timerQueue
        // The loop fires the timers of a real clock at any time.
        owned.holdTimers(true)
        restoredPos = sessions.pos
        sessions.seeds.instance = environment.identity.instance
        sessions.auditsRefusals = options.store.auditsRefusals
        retention = JournalRetention(
            store, owned.groupCommit, on: environment.loop,
            keeping: options.store.retention, isHeld: rows.read.holdsPruning)
        dispatcher = Dispatcher(
            sessions, environment.identity, archive: hasJournal ? owned.groupCommit : nil,
            diagramDrawer: environment.diagramDrawer, surveyor: environment.library.surveyor,
            loopTimers: environment.loop.timerQueue)
        handler = ProtocolHandler(dispatcher)
        laterCalls = LaterCalls(on: environment.loop)
        #if DEBUG
            // Checks after each change that the session could be restored from its records.
            sessions.reportUnrestorable = { Log.write(.error, .session, $0.sentence) }
        #endif
        (owned.groupCommit.delegate, owned.groupCommit.clients) = (self, self)
        dispatcher.sessionRequests = self
        // The rows of the shard may contain flows whose files had mistakes at the start.
        environment.library.offerRecorded(options)
        for quarantinedSession in owned.quarantined { quarantinedSession.log() }
        sessions.sessionWasQuarantined = { $0.log() }
        if acquisition.recordsEveryStart || !owned.isEmpty { owned.recordStart(startNotes) }
    }

    /// What the row of a start says about the daemon.
    private var startNotes: [Member] {
        [
            Member("version", gamedVersion),
            Member("clock", sessions.isVirtual ? "virtual" : "real"),
        ] + (sessions.auditsRefusals ? [SessionRecord.Start.auditNote] : [])
    }

    /// Lets the followers act on the sessions, from `rows` on. Then fires the timers that became due while nobody owned the
    /// shard; on a virtual clock those that are due at the restored instant, because a pendulum's beat has no row. Then opens
    /// the sessions of the configuration that belong to this shard. Returns why the session `main` could not be opened; see
    /// `StartSessions.open`.
    package func begin(
        _ followers: [any ShardFollower], _ rows: RestoredRows,
        opening isMember: (SessionName) -> Bool
    ) -> (any Error)? {
        self.followers = followers
        for follower in followers { follower.shardWasRestored(self, rows) }
        owned.holdTimers(false)
        clock.fireDueTimers()
        if sessions.unreadCount > 0 { laterCalls.add { [unowned self] in decodeSessions() } }
        return startSessions.open(in: sessions, where: isMember)
    }

    /// For how long `decodeSessions` holds the loop in a turn.
    private static let decodingTime = Duration.milliseconds(2)

    /// Decodes sessions that were not decoded at the start, a part in each turn of the loop.
    private func decodeSessions() {
        guard isServing else { return }
        let end = ContinuousClock.now + .nanoseconds(Self.decodingTime.nanoseconds)
        repeat {
            sessions.decodeNext(Self.decodedAtOnce)
        } while sessions.unreadCount > 0
            && ContinuousClock.now < end
        guard sessions.unreadCount == 0 else {
            return laterCalls.add { [unowned self] in decodeSessions() }
        }
        for follower in followers { follower.sessionsWereDecoded(in: self) }
    }

    /// The number of sessions between two looks at the time.
    private static let decodedAtOnce = 50

    /// Opens the sessions that a configuration has, that belong to this shard, and that the configuration of before did not
    /// have.
    package func reload(_ options: Options, opening isMember: (SessionName) -> Bool) {
        let earlier = exchange(&startSessions, with: StartSessions(options))
        startSessions.openAdded(to: earlier, in: sessions, where: isMember)
    }

    // MARK: the state of the shard

    /// Whether the changes are stored; false in a daemon without a state directory and a database.
    package let hasJournal: Bool
    /// Whether the sessions are neither being drained nor ended. (`mayServe` is also false while the lease is not trusted.)
    package var isServing: Bool { owned.isServing }
    /// Whether requests can be executed at this moment.
    package var mayServe: Bool { owned.mayServe }
    /// Whether so many rows wait for the disk that no further request is executed.
    package var isFull: Bool { hasJournal && owned.groupCommit.isFull }
    /// The number of requests that are held at this moment.
    package var heldRequests: Int { owned.heldRequests }
    /// The number of requests that were executed and whose replies wait, in most cases until the store has their changes.
    package var waitingReplies: Int { lanes.values.reduce(0) { $0 + $1.outbox.heldReplies } }
    /// The number of requests that were held, and then executed or refused.
    package var decidedRequests: Int { owned.decidedRequests }
    /// Whether this process still works on the shard's journal: false once the shard is drained or lost.
    package var keepsJournal: Bool { !retention.hasEnded }

    /// Removes the old rows that nothing needs. The removal is held while the clock may be wrong; this call allows it.
    package func removeOldRows(_ done: @escaping (Result<PruneReport, StoreError>) -> Void) {
        retention.removeOldRows(done)
    }

    /// Corrects the dates of the sessions if the wall clock was set. `wallTime` is the present time of the wall clock, which is
    /// the database's for a node. Returns by how much it was set; nil if it was not, or while this process may not act as the
    /// owner. Rows of an older format have no corrections, which are then kept in memory only.
    package func followWallClock(_ wallTime: Instant) -> Duration? {
        guard mayServe, !sessions.isVirtual else { return nil }
        clock.fireDueTimers()
        return WallClockFollower.check(
            sessions, wallTime, isStored: owned.groupCommit.format == .newest)
    }

    // MARK: requests

    /// Executes or refuses a request of a lane: now, or later if requests are held at this moment.
    package func answer(_ request: RoutedRequest, from lane: ShardLane) {
        lanes[ObjectIdentifier(lane)] = lane
        lane.heldRequests += 1
        owned.pass { [unowned self] decision in
            lane.heldRequests -= 1
            switch decision {
            case .execute:
                clock.fireDueTimers()
                lane.sentSince = request.sentSince
                handler.answer(request, from: lane)
                lane.flush()
            case .refuse(let why): lane.refuse(request.outage(why: why))
            // The lane has told its client that the shard was lost.
            case .drop: break
            }
        }
    }

    /// Executes a call of this process itself about a session: now, or later if requests are held at this moment. `execute` passes
    /// its result to its second parameter, immediately or later; nil if the sessions were given up before. Calls `ended` once,
    /// when the outcome is durable.
    package func call<Value>(
        about name: SessionName,
        _ execute: @escaping (Sessions, @escaping (Value?) -> Void) -> Void,
        ended: @escaping (ShardCallEnd<Value>) -> Void
    ) {
        owned.pass { [unowned self] decision in
            switch decision {
            case .execute:
                clock.fireDueTimers()
                execute(sessions) { [unowned self] value in
                    guard let value else { return ended(.lost(value: nil)) }
                    let row = sessions.row(about: name)
                    guard row > sessions.durableRow else { return ended(.durable(value)) }
                    let storeAnswered = { (outcome: GroupCommit.Outcome?) in
                        switch outcome {
                        case .durable, .recovered: ended(.durable(value))
                        case .failed(let error): ended(.failed(error, value: value))
                        case nil: ended(.lost(value: value))
                        }
                    }
                    waitingCalls.add(storeAnswered, until: row)
                }
            case .refuse(let why):
                ended(.failed(.storage(why: why, outcome: .undone), value: nil))
            case .drop: ended(.lost(value: nil))
            }
        }
    }

    package func callInLaterTurn(_ work: @escaping () -> Void) { laterCalls.add(work) }

    /// Removes a lane whose client has ended it.
    package func remove(_ lane: ShardLane) { lanes[ObjectIdentifier(lane)] = nil }

    /// Refuses the requests that are held. `why` is a sentence.
    package func refuseHeldRequests(why: String) { owned.refuseHeldRequests(why: why) }

    /// Makes the timers continue as after a restart, because the process stood still. A virtual clock knows no standstills.
    package func stoodStill() {
        let lastAlive = sessions.now
        (clock as? LoopClock)?.catchUp()
        sessions.continueAfterStandstill(since: lastAlive, startNotes)
    }

    /// Called when the lease was renewed. Executes held requests and fires due timers if the lease can be trusted again.
    package func leaseWasRenewed() { owned.leaseWasRenewed() }

    /// Called when an operator has switched the store to another format of rows.
    package func write(_ format: RowFormat) { owned.groupCommit.format = format }

    // MARK: output

    /// Writes the output when the oldest row is durable that it waits for, or calls its `storeFailed` when the store has failed.
    package func releaseLater(_ output: any ScheduledOutput) {
        guard hasJournal, !output.isReleaseScheduled else { return }
        output.isReleaseScheduled = true
        outputToRelease.add(output, until: output.outbox.awaitedRow)
    }

    /// Writes the output of a lane at the end of this turn of the loop.
    package func flushLater(_ lane: ShardLane) { environment.schedule.flushLater(lane) }

    /// Passes the rows of this turn to the store.
    package func endTurn() {
        isEndTurnRequested = false
        owned.groupCommit.flush()
    }

    // MARK: GroupCommitClients

    func rowsWereCollected() {
        guard !isEndTurnRequested else { return }
        isEndTurnRequested = true
        environment.busyShards.add(self)
    }

    /// Called when more rows are durable, when rows were rolled back, or when the storage works again.
    func storeOutcomeArrived(_ outcome: GroupCommit.Outcome) {
        let waiting = outputToRelease.take(after: outcome, durable: sessions.durableRow)
        let calls = waitingCalls.take(after: outcome, durable: sessions.durableRow)
        for output in waiting { output.isReleaseScheduled = false }
        switch outcome {
        case .durable, .recovered: for output in waiting { environment.schedule.flushLater(output) }
        case .failed(let error):
            for follower in followers { follower.changesWereRolledBack(in: self) }
            // Output that is written later can have replies and notifications of rows that were rolled back, too. They go at
            // once, before new rows get the same positions.
            for output in waiting + environment.schedule.receivers {
                output.storeFailed(error, in: self)
            }
        }
        for call in calls { call(outcome) }
        owned.handleHeldRequests()
    }

    // MARK: GroupCommitDelegate

    package func holdTimers(_ isHeld: Bool) { owned.holdTimers(isHeld) }

    /// The pause before the next attempt to use a failed store again.
    private static let retryPause = Duration.seconds(1)

    package func retry(_ work: @escaping () -> Void) {
        retryTimer.set(on: environment.loop, Self.retryPause, work)
    }

    package func report(storageWorks: Bool, _ sentence: String) {
        environment.storageReport.write(sentence, isWorking: storageWorks)
    }

    package func storageIsBack(undone: [Sessions.UndoneOpening]) {
        startSessions.openAgain(in: sessions, undone)
    }

    // MARK: the end

    /// How long `drain` waits for work of followers that has already begun, such as attempts to send outputs.
    private static let followerPatience = Duration.seconds(1)
    /// How often `drain` checks whether this work has ended.
    private static let drainCheckInterval = Duration.milliseconds(20)

    /// Prepares the hand-over: from now on the shard takes no request, fires no timer and begins no attempt to send an output.
    /// Waits until all rows are durable, and until the work of followers that has already begun has ended; for this work no
    /// longer than `followerPatience`. Then calls `done`.
    package func drain(_ done: @escaping () -> Void) {
        let (loop, followers) = (environment.loop, followers)
        let endOfWait = loop.timerQueue.now + Self.followerPatience
        // The retention also writes high-water marks. A mark claims that all due timers were fired until the time of the mark.
        // From now on no timer is fired, so the claim would be false.
        retention.stop()
        sessions.endCollecting()
        if !drainCheck.isRunning {
            drainCheck.start(on: loop, Self.drainCheckInterval) { [unowned self] _ in
                owned.finishDraining()
            }
        }
        let mustWait = { [unowned self] in
            followers.contains { $0.isBusy(with: self) } && loop.timerQueue.now < endOfWait
        }
        owned.drain(while: mustWait) { [unowned self] in
            drainCheck.stop()
            done()
        }
    }

    /// Stops at once, because this process is no longer the owner of the shard, or gives the shard up. Passes the remaining rows
    /// to the store, which the caller closes or abandons. Each lane tells its client how many of the newest requests were
    /// certainly not executed. Of the earlier requests without a reply, it is unknown whether they were executed.
    package func end() {
        guard !owned.hasEnded else { return }
        owned.end {
            // The lanes end first, so that clients repeat the repeatable requests at the next owner. Otherwise the clients
            // would get the failure of the store as the reply.
            // Replies whose rows have become durable in this turn are passed on before.
            for lane in exchange(&lanes, with: [:]).values {
                lane.flush()
                lane.ownerWasLost()
            }
            sessions.abandonCollecting()
            for call in waitingCalls.takeAll() { call(nil) }
            drainCheck.stop()
            // Fires due timers, whose changes the followers must see.
            retention.end()
            for follower in followers { follower.shardHasEnded(self) }
        }
        (clock as? LoopClock)?.end()
        retryTimer.stop()
    }
}
