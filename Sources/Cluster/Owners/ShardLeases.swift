import CLinux
package import EventLoop
import Glibc
package import Journal
package import Ownership
import Parts
package import PostgresStore
import Shards
package import Timers

/// The object to which `ShardLeases` reports. All calls are on the loop's thread.
package protocol ShardLeasesDelegate: AnyObject {
    /// Called when this node has become the owner of the shard, and can read the shard's rows. `wasReleased` is true if the
    /// previous owner gave the shard up, or if the shard had no owner before. `wasReleased` is false if the lease of the
    /// previous owner ended.
    func gained(_ shard: Int, wasReleased: Bool)
    /// Asks the delegate to take no further request for the shard, and to call `ShardLeases.drained` when all rows are durable.
    func drain(_ shard: Int)
    /// Called when this node is no longer the owner of the shard.
    func lost(_ shard: Int)
    /// Called when this node's leases were renewed: leases that could no longer be trusted can be trusted again.
    func leasesWereRenewed()
    /// Called when the owners of the shards were read.
    func leaseTableWasRead(_ snapshot: LeaseTable.Snapshot)
    /// The newest high-water marks of this node's shards, which a renewal writes to the database.
    var marks: [Int: HighWaterMark] { get }
}

/// Carries out what `Ownership` decides: renews the leases of this node's shards, acquires free shards, and gives shards up. It
/// reports to `ShardRouter`, its delegate. Use it on the loop's thread.
package final class ShardLeases: PostgresStoreDelegate {
    private var ownership: Ownership
    /// The leases of all nodes, in the database.
    private let table: LeaseTable
    /// The rows of the shards, in the same database; also acquires shards.
    private let store: PostgresStore
    private let loop: LibeventLoop
    /// Makes `Ownership` decide what is due, from `begin` to `release`.
    private var tickTimer = Ticker()
    /// Whether the loss of the connection to the store was logged, and its return was not.
    private var isConnectionLost = false
    /// The final high-water marks of shards that were drained and are not released yet.
    private var marksToRelease: [Int: HighWaterMark] = [:]
    /// The time at which this node began to acquire shards, by the database's clock; nil before `begin`.
    package private(set) var startTime: Instant?
    package weak var delegate: (any ShardLeasesDelegate)?

    /// The measured difference between the database's clock and the loop's; nil before the first read of the lease table.
    private var clockDifference: ClockDifference?
    /// The time by which the database's clock is ahead of the loop's clock; nil before the first read.
    package var clockOffset: Duration? { clockDifference?.estimate }
    /// The database's time; nil before the first read. Except for errors of measurement, all nodes have the same value.
    package var databaseTime: Instant? { clockOffset.map { loop.timerQueue.now + $0 } }
    /// The minimum difference between the database's clock and this machine's clock. It is the measured difference, less the
    /// error that the duration of the read may have caused. Negative if the database's clock is behind.
    package private(set) var skew: Duration = .zero
    /// The codec of the rows that nodes write, as the lease table named it last.
    package private(set) var codec = StoreCodec.oldest

    /// Called when the store cannot be used until an operator corrects the cause.
    package var storeBecameUnusable: (_ why: String) -> Void = { _ in }
    /// Called when a connection cannot be made or is lost; not twice in a row with the same reason.
    package var disconnected: (_ why: String) -> Void = { _ in }
    /// The reason in the last call of `disconnected`.
    private var reportedReason = ReportedReason()

    package init(
        _ table: LeaseTable, _ store: PostgresStore, _ settings: OwnershipSettings,
        on loop: LibeventLoop
    ) {
        (self.table, self.store, self.loop) = (table, store, loop)
        ownership = Ownership(NodeIdentity(store.owner), settings)
    }

    /// Connects to the database. Nothing is renewed or acquired before `begin`.
    package func connect() {
        store.delegate = self
        store.start()
        table.start()
        table.ownersMayHaveChanged = { [unowned self] in
            ownership.ownersMayHaveChanged()
            tick()
        }
    }

    /// The number of ticks between two renewals. A renewal can be late by the time between two ticks, so this time must be
    /// short in comparison with the time between two renewals.
    private static let ticksPerRenewal = 20

    /// Begins to acquire shards.
    package func begin() {
        startTime = databaseTime
        lastRenewal = Self.now
        let interval = ownership.settings.renewal / Self.ticksPerRenewal
        tickTimer.start(on: loop, interval) { [unowned self] _ in tick() }
    }

    /// The text by which the database names this process among all nodes.
    package var identity: String { store.owner }

    /// Sets the digest of this node's configuration, which the next renewal writes for the other nodes.
    package func announce(_ configurationDigest: String) {
        table.node.configurationDigest = configurationDigest
    }

    /// How long the process may stand still before other nodes may own its shards. Ticks wake the loop, so a standstill is
    /// found too short by less than the time between two ticks.
    package var trustedStandstill: Duration {
        ownership.settings.lease - ownership.settings.renewal / Self.ticksPerRenewal
    }

    /// The shards that this node owns.
    package var shards: [Int] { ownership.shards }
    /// The number of shards of the store.
    package var shardCount: Int { ownership.settings.shards }

    /// Whether this process may act as a shard's owner at this moment.
    func isTrusted(_ shard: Int) -> Bool { ownership.mayServe(shard, at: Self.now) }

    /// For how long the lease of each shard of this node can still be trusted at least: negative if one is not trusted. Nil if
    /// this node owns no shard.
    package var shortestTrust: Duration? {
        ownership.shards.compactMap { ownership.trustedUntil($0) }.min().map { $0 - Self.now }
    }

    /// When the newest successful renewal was begun; `begin` counts as the first.
    private var lastRenewal = ShardLeases.now

    /// For how long a renewal is overdue by more than `patience`; nil if none is. A renewal is due `settings.renewal` after the
    /// beginning of the previous one, and none is due before `begin` or at the end.
    package func overdueRenewal(after patience: Duration) -> Duration? {
        guard tickTimer.isRunning else { return nil }
        let overdue = Self.now - lastRenewal - ownership.settings.renewal
        return overdue >= patience ? overdue : nil
    }

    /// The monotonic clock, which also runs while the machine sleeps.
    private static var now: Duration { read(CLOCK_BOOTTIME) }
    private static var wallClock: Duration { read(CLOCK_REALTIME) }

    /// Wraps clock_gettime(2), which cannot fail for these clocks.
    private static func read(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Carries out what is due now.
    private func tick() {
        guard tickTimer.isRunning else { return }
        handle(.tick)
    }

    /// Tells `Ownership` what has happened, and does what it decides.
    private func handle(_ input: Ownership.Input) {
        for action in ownership.handle(input, at: Self.now) { perform(action) }
    }

    private func perform(_ action: Ownership.Action) {
        switch action {
        case .renew(let shards): renew(shards)
        case .readRows: readAndReport()
        case .acquire(let free): acquire(free)
        case .release(let shard, _):
            let mark = marksToRelease.removeValue(forKey: shard)
            table.release([shard], mark.map { [shard: $0] } ?? [:]) { [unowned self] in
                handle((try? $0.get()) == nil ? .failed : .released)
                tick()
            }
        case .gained(let shard, _, let wasReleased):
            delegate?.gained(shard, wasReleased: wasReleased)
        case .lost(let shard): delegate?.lost(shard)
        case .drain(let shard): delegate?.drain(shard)
        case .reportSkew(let skew):
            Log.write(
                .warning, .clock,
                "the database's clock differs by \(skew.milliseconds) ms from this machine's; this "
                    + "node acquires no shard until they agree: check the time synchronization")
        }
    }

    /// Leaves the shard to another node, because this node cannot serve it. The input `fenced` makes `Ownership` treat the
    /// shard as lost. Nothing is written to the database: the lease ends because it is no longer renewed.
    package func giveUp(_ shard: Int) { handle(.fenced(shard: shard)) }

    /// Reports that the drain of a shard is complete: all rows are durable. `mark` is the final high-water mark; nil if no mark
    /// was made. The mark has the position of the newest row, and the time until which this node fired the timers of the shard.
    func drained(_ shard: Int, _ mark: HighWaterMark?) {
        marksToRelease[shard] = mark
        handle(.drained(shard: shard))
        tick()
    }

    /// Renews the leases of these shards, and writes their high-water marks.
    private func renew(_ shards: [Int]) {
        let start = Self.now
        table.renew(shards, delegate?.marks ?? [:]) { [unowned self] result in
            guard case .success(let epochs) = result else { return handle(.failed) }
            lastRenewal = start
            handle(.renewed(epochs))
            delegate?.leasesWereRenewed()
        }
    }

    /// Reads the lease table, and passes the result to the delegate and to `Ownership`.
    private func readAndReport() {
        readLeaseTable { [unowned self] result in
            guard case .success(let snapshot) = result else { return handle(.failed) }
            delegate?.leaseTableWasRead(snapshot)
            // A shard is withdrawn when rows of its journal were erased: its owner must acquire it and read its journal again.
            for row in snapshot.rows where row.isWithdrawn && row.owner == identity {
                handle(.fenced(shard: row.shard))
            }
            handle(.rowsRead(Self.leaseSnapshot(snapshot, skew)))
        }
    }

    /// Reads the shards and the nodes, and measures the database's clock.
    package func readLeaseTable(
        _ done: @escaping (Result<LeaseTable.Snapshot, PostgresError>) -> Void
    ) {
        let wallClockAtStart = Self.wallClock
        // `lag` is the time since the loop read `now`.
        let loopTimeBefore = loop.timerQueue.now + loop.lag
        table.read { [unowned self] result in
            if case .success(let snapshot) = result {
                codec = snapshot.codec
                let loopTimeAfter = loop.timerQueue.now + loop.lag
                let time = Duration.microseconds(snapshot.time)
                skew =
                    ClockDifference(
                        remote: time, before: wallClockAtStart, after: Self.wallClock
                    ).certainPart
                // `- .zero` converts an `Instant` to the `Duration` since the zero of the loop's clock.
                clockDifference = ClockDifference(
                    remote: time, before: loopTimeBefore - .zero, after: loopTimeAfter - .zero,
                    previous: clockDifference)
            }
            done(result)
        }
    }

    /// The content of the lease table in the form that `Ownership` reads.
    private static func leaseSnapshot(
        _ snapshot: LeaseTable.Snapshot, _ skew: Duration
    ) -> LeaseSnapshot {
        LeaseSnapshot(
            shards: snapshot.rows.map {
                LeaseSnapshot.Shard(
                    owner: $0.owner.map(NodeIdentity.init), epoch: $0.epoch, leaseEnd: $0.leaseEnd)
            }, nodes: snapshot.nodes.filter(\.isAlive).map { NodeIdentity($0.identity) },
            skew: skew, timeline: snapshot.timeline)
    }

    /// Tries to become the owner of these shards. The result names those that no other node has acquired meanwhile.
    private func acquire(_ free: [FreeShard]) {
        let claims = free.map {
            ShardClaim($0.shard, epoch: $0.row.epoch, leaseEnd: $0.row.leaseEnd)
        }
        store.acquire(claims, lease: ownership.settings.lease) { [unowned self] result in
            handle((try? result.get()).map { .acquired($0) } ?? .failed)
            // The other nodes read the lease table now. So the node with the most shards gives up its next shard without delay.
            table.hintOthers()
        }
    }

    /// Switches the store to the newest codec of rows.
    func switchCodec(_ done: @escaping (Result<Void, LeaseTable.SwitchError>) -> Void) {
        table.switchCodec { [weak self] in
            self?.readSoon()
            done($0)
        }
    }

    /// Reads why the database may lose acknowledged changes at present.
    func readWeaknesses(_ done: @escaping (Result<[String], PostgresError>) -> Void) {
        table.readWeaknesses(done)
    }

    /// Reads the lease table soon, because a request has shown that the owners have changed.
    func readSoon() {
        ownership.ownersMayHaveChanged()
        tick()
    }

    /// Writes this node's row. By this row, other nodes learn of this node. Call this function before `begin`.
    package func register(_ done: @escaping (Result<Void, PostgresError>) -> Void) {
        // A renewal without leases and marks writes only the node's row.
        table.renew([], [:]) { done($0.map { _ in }) }
    }

    /// Removes this node's row.
    package func leave(_ done: @escaping (Result<Void, PostgresError>) -> Void) {
        table.leave(done)
    }

    /// Gives these shards up, removes this node's row, and disconnects. All rows of the shards must be durable.
    package func release(
        _ shards: [Int], _ marks: [Int: HighWaterMark], _ done: @escaping () -> Void
    ) {
        tickTimer.stop()
        table.release(shards, marks) { [table, store] _ in
            table.leave { _ in
                table.stop()
                store.stop()
                done()
            }
        }
    }

    // MARK: PostgresStoreDelegate

    package func storeIsConnected() { connectionWasMade() }

    package func storeHasResumed() { connectionWasMade() }

    private func connectionWasMade() {
        reportedReason.clear()
        guard exchange(&isConnectionLost, with: false) else { return }
        Log.write(.warning, .connection, "the connection to the store is back")
    }

    package func storeIsDisconnected(why: String, isFatal: Bool) {
        if isFatal { return storeBecameUnusable(why) }
        if !ownership.shards.isEmpty, !exchange(&isConnectionLost, with: true) {
            Log.write(
                .warning, .connection,
                "the connection to the store is lost: \(why); replies are held")
        } else if reportedReason.isNew(why) {
            disconnected(why)
        }
    }

    package func holdHasEnded(why: String) {
        Log.write(
            .error, .storage,
            "the store could not be reached for the time of --hold: \(why); requests are refused with `storage`"
        )
    }

    /// Called when the store has refused rows, because another node has acquired the shard.
    package func shardWasFenced(_ shard: Int) { handle(.fenced(shard: shard)) }
}
