import Durability
import EventLoop
import GameFlow
import Journal
import Parts
import PostgresStore
import RPC
import Sessions
import Shards
import Support
import Timers

/// The shards whose leases this node has. Restores the sessions of a shard that was acquired, serves it, and makes its rows durable
/// before it is given up.
final class AcquiredShards {
    /// The shards that are served, or were until they were drained.
    let shards: OwnShards
    private let leases: ShardLeases
    private let store: PostgresStore
    private let loop: LibeventLoop
    /// What `begin` was called with, for the shards that are acquired from then on; nil before.
    private var service: Service?
    /// The shards that were acquired and whose rows are being read.
    private var restoring: Set<Int> = []
    /// The shards that are to be drained, and whose rows are still being read. Each of these shards is served before it is
    /// drained, because only a served shard fires its timers. The release of a shard tells the next owner that all due timers
    /// have fired.
    private var restoringToDrain: Set<Int> = []
    /// The shards that prepare to be handed over, and take no further request.
    private var draining: Set<Int> = []
    /// The sessions of the shards that this node has given up after a standstill, until a node acquires the shard.
    private var sessionsBeforeStandstill: [Int: Sessions] = [:]
    /// Logs the shards that this node took and lost.
    private var log = ShardLog()
    /// Whether `close` was called.
    private var isEnding = false

    /// What the shards of this node need.
    private struct Service {
        /// What the shards share.
        var environment: ShardEnvironment
        /// What acts on the changes of the shards' sessions.
        let followers: [any ShardFollower]
        /// The reads of whole journals, which wait while shards are restored.
        let journalReads: JournalReadQueue
        /// Warns if the database may lose acknowledged changes.
        let storeSafety: StoreSafety
        /// Called when this node begins to serve a shard.
        let isServed: (Shard) -> Void
    }

    init(_ leases: ShardLeases, _ store: PostgresStore, on loop: LibeventLoop) {
        (self.leases, self.store, self.loop) = (leases, store, loop)
        shards = OwnShards(
            number: { [leases] in ShardMap.shard(of: $0, shards: leases.shardCount) },
            collect: { [store] in store.collect($0) })
    }

    /// Begins to acquire shards. `isServed` is called when this node begins to serve a shard.
    func begin(
        _ environment: ShardEnvironment, _ followers: [any ShardFollower],
        _ journalReads: JournalReadQueue, isServed: @escaping (Shard) -> Void
    ) {
        service = Service(
            environment: environment, followers: followers, journalReads: journalReads,
            storeSafety: StoreSafety(
                leases, isAccepted: environment.options.store.acceptsWeakStore, on: loop),
            isServed: isServed)
        leases.begin()
        // Clients wait for the sessions of a shard that is being restored. So reads for statistics wait until no shard is being
        // restored.
        journalReads.mustWait = { [unowned self] in !restoring.isEmpty }
    }

    /// Applies a configuration that was read again.
    func reload(_ options: Options) {
        service?.environment.options = options
        service?.storeSafety.isAccepted = options.store.acceptsWeakStore
    }

    /// Why the database may lose acknowledged changes, as far as is known.
    var storeWeaknesses: [String] { service?.storeSafety.weaknesses ?? [] }
    /// How many shards this node took, lost or handed over since the start.
    var moveCount: Int { log.moves }
    /// The number of shards that this node owns, and does not serve yet or no longer serves.
    var transitionCount: Int { restoring.union(draining).count }
    /// Whether this node owns the shard, and does not serve it yet or no longer serves it.
    func isInTransition(_ shard: Int) -> Bool {
        restoring.contains(shard) || draining.contains(shard)
    }

    /// Logs the shards that this node has taken and lost since the last call. `node` is the name of this node.
    func writeLog(node: String) {
        for line in log.takeLines(owned: leases.shards.count) {
            Log.write(line.level, line.kind, line.text, [.node(node)])
        }
    }

    /// Lets the shards write rows of this format from now on.
    func write(_ format: RowFormat) {
        for ownShard in shards.byNumber.values { ownShard.write(format) }
    }

    /// The newest high-water marks of the shards.
    var marks: [Int: HighWaterMark] {
        Dictionary(
            uniqueKeysWithValues: shards.byNumber.keys.compactMap { shard in
                store.shard(shard).lastMark.map { (shard, $0) }
            })
    }

    // MARK: shards that come and go

    /// Reads the rows of a shard that this node now owns, and then serves it. `wasReleased` is false if the lease of the
    /// previous owner ended before that owner gave the shard up.
    func gained(_ shard: Int, wasReleased: Bool) {
        guard let service, !isEnding else { return }
        log.gained(wasReleased: wasReleased)
        restoring.insert(shard)
        ShardRows.read(store.shard(shard), rememberedAnswers: Limits().ids) { [weak self] result in
            guard let self, restoring.contains(shard) else { return }
            switch result {
            case .failure(let error):
                restoring.remove(shard)
                Log.write(.error, .shard, "shard \(shard) cannot be read: \(error.why)")
                store.shard(shard).abandon()
                leases.giveUp(shard)
            case .success(let rows): serve(shard, rows, wasReleased: wasReleased, service)
            }
        }
    }

    /// Restores the sessions of a shard, and answers requests to them from now on. If rows are missing and the operator has not
    /// accepted the loss, the shard is not served.
    private func serve(
        _ shard: Int, _ rows: ShardRows, wasReleased: Bool, _ service: Service
    ) {
        let environment = service.environment
        restoring.remove(shard)
        // A drain that was requested while the rows were read begins when this function ends.
        defer { if restoringToDrain.remove(shard) != nil { drain(shard) } }
        // The missing rows as a sentence; nil if the journal is complete.
        let loss = StateDirectory.loss(
            rows.ownedRows.reading.scan, rows.notes.mark, rows.notes.pruned)
        if let loss, !environment.options.store.acceptsLoss {
            Log.write(
                .error, .shard,
                "shard \(shard) is not served: \(loss). Inspect the journal with "
                    + "`gamectl journal check`; --accept-loss continues without the lost rows")
            return
        }
        // Without a release, or with missing rows, it is unknown until when the previous owner fired the timers.
        // `handedOverAt` is then nil. It is also nil if the shard was released before this node began to acquire shards.
        let isHandOver = wasReleased && loss == nil
        let restoredRows = rows.restored
        // The clock begins at the database's time, so that all owners of the shard use the same time. With `isOwnerDriven`, the
        // loop fires its timers only once in each turn; the shard does so before each request.
        let offset = leases.clockOffset ?? .zero
        let clock = LoopClock(
            on: loop, notBefore: rows.ownedRows.lastAlive ?? .zero, offset: offset,
            isOwnerDriven: true)
        clock.setWallClock(environment.options.sessions.zone, showing: loop.now + offset)
        let ownShard = Shard(
            shard, restoredRows,
            Shard.Acquisition(
                handedOverAt: isHandOver
                    ? rows.ownedRows.handOverInstant(since: leases.startTime) : nil,
                earlierSessions: sessionsBeforeStandstill.removeValue(forKey: shard),
                format: StoreCodec.format(of: leases.codec), recordsEveryStart: false,
                isTrusted: { [unowned leases] in leases.isTrusted(shard) }),
            on: clock, environment)
        shards.add(ownShard)
        let mainError = ownShard.begin(service.followers, restoredRows) { [shards] in
            shards.number($0) == shard
        }
        if let mainError { Log.write(.error, .session, "session main is not opened: \(mainError)") }
        service.isServed(ownShard)
        service.journalReads.startNext()
    }

    func drain(_ shard: Int) {
        if restoring.contains(shard) {
            restoringToDrain.insert(shard)
            return
        }
        // There is no ownShard if the shard is not served because rows are missing: nothing has to be drained.
        guard let ownShard = shards.byNumber[shard] else { return leases.giveUp(shard) }
        draining.insert(shard)
        ownShard.drain { [leases, store] in leases.drained(shard, store.shard(shard).lastMark) }
    }

    func lost(_ shard: Int) {
        log.lost(wasDraining: draining.contains(shard))
        restoring.remove(shard)
        restoringToDrain.remove(shard)
        draining.remove(shard)
        shards.remove(shard)?.end()
        store.shard(shard).abandon()
    }

    // MARK: standstills

    /// Gives all shards up after a standstill of the process, and keeps their sessions: if this node acquires a shard again before
    /// another does, its steps can still be undone.
    func giveUpAll() {
        for shard in leases.shards {
            if let ownShard = shards.byNumber[shard], ownShard.isServing {
                sessionsBeforeStandstill[shard] = ownShard.sessions
            }
            leases.giveUp(shard)
        }
    }

    /// Another node owns the shard now.
    func isOwnedByOther(_ shard: Int) { sessionsBeforeStandstill[shard] = nil }

    // MARK: the end

    /// Called when the daemon ends. Makes all rows durable, gives all shards up, and then calls `done`.
    func close(_ done: @escaping () -> Void) {
        isEnding = true
        let endingShards = shards.all
        var unfinishedDrains = endingShards.count
        let finish = { [self] in
            guard unfinishedDrains == 0 else { return }
            let marks = self.marks
            for shard in endingShards {
                shards.remove(shard.number)?.end()
                store.shard(shard.number).abandon()
            }
            leases.release(endingShards.map(\.number), marks, done)
        }
        if unfinishedDrains == 0 { return finish() }
        store.collect {
            for shard in endingShards {
                shard.drain {
                    unfinishedDrains -= 1
                    finish()
                }
            }
        }
    }
}
