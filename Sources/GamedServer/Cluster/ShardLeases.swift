import CLinux
import EventLoop
import Glibc
import Journal
import Ownership
import PostgresStore
import Timers

/// The reports of `ShardLeases`. Called on the loop's thread.
protocol ShardLeasesDelegate: AnyObject {
    /// This node owns the shard: its rows can be read. `wasReleased` says that the last owner, if there was one, had given
    /// it up.
    func gained(_ shard: Int, wasReleased: Bool)
    /// Takes no further request for the shard; `drained` follows when everything is durable.
    func drain(_ shard: Int)
    /// This node is no longer the owner.
    func lost(_ shard: Int)
    /// Leases were renewed: those that could not be trusted any more can be trusted again.
    func trustReturned()
    /// The owners of the shards were read.
    func looked(_ view: LeaseTable.View)
    /// The newest marks of the shards.
    var marks: [Int: HighWaterMark] { get }
}

/// Carries out what `Ownership` decides: renews the leases of this node's shards, acquires free
/// ones, and gives shards up.
final class ShardLeases: PostgresStoreDelegate {
    private var ownership: Ownership
    private let table: LeaseTable
    private let store: PostgresStore
    private let loop: LibeventLoop
    private var pulse: ScopedPendulum?
    private var isEnding = false
    private var isInterrupted = false
    private var timeline: Int?
    /// The last marks of shards that were drained, until they are released.
    private var lastMarks: [Int: HighWaterMark] = [:]
    /// Since when this node takes part, in the database's time; nil before `begin`.
    private(set) var began: Instant?
    weak var delegate: (any ShardLeasesDelegate)?

    /// The database's clock, measured by the loop's; nil before the first look.
    private var difference: ClockDifference?
    /// By how much the database's clock is ahead of the loop's; nil before the first look.
    var offset: Duration? { difference?.estimate }
    /// The database's time; nil before the first look. All nodes have the same, but for the inaccuracy of their looks.
    var databaseTime: Instant? { offset.map { loop.timerQueue.now + $0 } }
    /// By how much the database's clock is ahead of this machine's, apart from what the delay of a look explains.
    private(set) var skew: Duration = .zero

    /// The store cannot be used before an operator changes something.
    var obstacle: (_ why: String) -> Void = { _ in }
    /// There is no connection; called with each reason once, until there is one.
    var disconnected: (_ why: String) -> Void = { _ in }
    private var lastWhy: String?

    init(
        _ table: LeaseTable, _ store: PostgresStore, _ settings: OwnershipSettings,
        on loop: LibeventLoop
    ) {
        (self.table, self.store, self.loop) = (table, store, loop)
        ownership = Ownership(NodeIdentity(store.owner), settings)
    }

    /// Connects. `begin` renews and acquires from then on.
    func connect() {
        store.delegate = self
        store.start()
        table.start()
        table.shardBecameFree = { [unowned self] in
            ownership.hint()
            tick()
        }
    }

    /// Begins to acquire shards.
    func begin() {
        began = databaseTime
        pulse = ScopedPendulum(on: loop, ownership.settings.renewal / 20) { [unowned self] _ in
            tick()
        }
    }

    var identity: String { store.owner }

    /// Tells the other nodes this digest of the node's rules and flow files.
    func announce(_ facts: String) { table.node.facts = facts }

    var shards: [Int] { ownership.shards }
    var shardCount: Int { ownership.settings.shards }

    /// Whether this process may act as a shard's owner at this moment.
    func isTrusted(_ shard: Int) -> Bool { ownership.mayServe(shard, at: Self.now) }

    /// For how many milliseconds the lease of a shard is still trusted; nil without it.
    func trustMs(_ shard: Int) -> Int? {
        ownership.trustedUntil(shard).map { Int(($0 - Self.now).milliseconds) }
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

    private func tick() {
        guard pulse != nil else { return }
        handle(.tick)
    }

    private func handle(_ input: Ownership.Input) {
        for action in ownership.handle(input, at: Self.now) { act(action) }
    }

    private func act(_ action: Ownership.Action) {
        switch action {
        case .renew(let shards): renew(shards)
        case .look: look()
        case .acquire(let free): acquire(free)
        case .release(let shard, _):
            let mark = lastMarks.removeValue(forKey: shard)
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
                .warning,
                "the database's clock differs by \(skew.milliseconds) ms from this machine's; this "
                    + "node acquires no shard until they agree: check the time synchronization")
        }
    }

    /// The shard cannot be served: it is left to another node.
    func giveUp(_ shard: Int) { handle(.fenced(shard: shard)) }

    /// Everything of a shard that was drained is durable. `mark` says until when its timers fired here.
    func drained(_ shard: Int, _ mark: HighWaterMark?) {
        lastMarks[shard] = mark
        handle(.drained(shard: shard))
        tick()
    }

    private func renew(_ shards: [Int]) {
        table.renew(shards, delegate?.marks ?? [:]) { [unowned self] result in
            guard case .success(let epochs) = result else { return handle(.failed) }
            handle(.renewed(epochs))
            delegate?.trustReturned()
        }
    }

    private func look() {
        lookOnce { [unowned self] result in
            guard case .success(let view) = result else { return handle(.failed) }
            delegate?.looked(view)
            for row in view.rows where row.isWithdrawn && row.owner == identity {
                handle(.fenced(shard: row.shard))
            }
            handle(.looked(Self.view(view, skew)))
        }
    }

    /// Reads the shards and the nodes, and measures the database's clock.
    func lookOnce(_ done: @escaping (Result<LeaseTable.View, PostgresError>) -> Void) {
        let wall = Self.wallClock
        let before = loop.timerQueue.now + loop.lag
        table.look { [unowned self] result in
            if case .success(let view) = result {
                let after = loop.timerQueue.now + loop.lag
                let time = Duration.microseconds(view.time)
                skew =
                    ClockDifference(remote: time, before: wall, after: Self.wallClock).certain
                difference = ClockDifference(
                    remote: time, before: before - .zero, after: after - .zero, last: difference)
            }
            done(result)
        }
    }

    private static func view(_ view: LeaseTable.View, _ skew: Duration) -> DatabaseView {
        DatabaseView(
            shards: view.rows.map {
                DatabaseView.Shard(
                    owner: $0.owner.map(NodeIdentity.init), epoch: $0.epoch, leaseEnd: $0.leaseEnd)
            }, nodes: view.nodes.filter(\.isAlive).map { NodeIdentity($0.identity) }, skew: skew,
            timeline: view.timeline)
    }

    private func acquire(_ free: [FreeShard]) {
        let claims = free.map {
            ShardClaim($0.shard, epoch: $0.seen.epoch, leaseEnd: $0.seen.leaseEnd)
        }
        store.acquire(claims, lease: ownership.settings.lease) { [unowned self] result in
            handle((try? result.get()).map { .acquired($0) } ?? .failed)
            // The node with the most shards gives up the next one.
            table.hintOthers()
        }
    }

    /// Looks soon: a request has shown that the owners have changed.
    func hint() {
        ownership.hint()
        tick()
    }

    /// Writes this node's row, before `begin`: other nodes see it from then on.
    func register(_ done: @escaping (Result<Void, PostgresError>) -> Void) {
        table.renew([], [:]) { done($0.map { _ in }) }
    }

    /// Removes this node's row.
    func leave(_ done: @escaping (Result<Void, PostgresError>) -> Void) { table.leave(done) }

    /// Gives all shards up, and ends. Their rows are durable.
    func release(_ shards: [Int], _ marks: [Int: HighWaterMark], _ done: @escaping () -> Void) {
        isEnding = true
        pulse = nil
        table.release(shards, marks) { [table, store] _ in
            table.leave { _ in
                table.stop()
                store.stop()
                done()
            }
        }
    }

    // MARK: PostgresStoreDelegate

    func storeIsConnected() { noteConnection() }

    func storeHasResumed() { noteConnection() }

    private func noteConnection() {
        lastWhy = nil
        guard exchange(&isInterrupted, with: false) else { return }
        Log.write(.warning, "the connection to the store is back")
    }

    func storeIsDisconnected(why: String, isFatal: Bool) {
        if isFatal { return obstacle(why) }
        if !ownership.shards.isEmpty, !exchange(&isInterrupted, with: true) {
            Log.write(.warning, "the connection to the store is lost: \(why); replies are held")
        } else if exchange(&lastWhy, with: why) != why {
            disconnected(why)
        }
    }

    func holdHasEnded(why: String) {
        Log.write(
            .error,
            "the store cannot be reached for the time of --hold: \(why); requests are answered with storage"
        )
    }

    func shardWasFenced(_ shard: Int) { handle(.fenced(shard: shard)) }
}
