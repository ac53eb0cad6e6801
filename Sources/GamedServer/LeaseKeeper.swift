import CLinux
import EventLoop
import Glibc
import Ownership
import PostgresStore
import Timers

/// Carries out what `Ownership` decides, for a store whose sessions are all in one shard: renews
/// the lease, or waits as a standby until it may be acquired.
final class LeaseKeeper: PostgresStoreDelegate {
    private var ownership: Ownership
    private let table: LeaseTable
    private let store: PostgresStore
    private let loop: LibeventLoop
    private var pulse: ScopedPendulum?
    /// The names of the nodes by their identities, and the owner, as last seen.
    private var names: [String: String] = [:]
    private var isReleased = false
    private var wasTrusted = false
    private var isInterrupted = false

    /// By how much the database's clock is ahead of this machine's; nil before the first look.
    private(set) var skew: Duration?
    /// The shard that holds all sessions.
    private static let shard = 0

    /// This process has become the owner.
    var gained: () -> Void = {}
    /// Another process has become the owner.
    var lost: () -> Void = {}
    /// The lease can be trusted again, after it could not be renewed in time.
    var trustReturned: () -> Void = {}
    /// The connection of the owner's store was lost, or is back.
    var interrupted: (Bool) -> Void = { _ in }
    /// The node waits; called with the name of the owner's node, each time it is another one.
    var waiting: (_ owner: String) -> Void = { _ in }
    private var ownerSeen: String?
    /// The store cannot be used before an operator changes something.
    var obstacle: (_ why: String) -> Void = { _ in }
    /// There is no connection yet; called with each reason once.
    var disconnected: (_ why: String) -> Void = { _ in }
    private var lastWhy: String?

    init(_ table: LeaseTable, _ store: PostgresStore, on loop: LibeventLoop) {
        (self.table, self.store, self.loop) = (table, store, loop)
        ownership = Ownership(NodeIdentity(store.owner), OwnershipSettings(shards: 1))
    }

    /// Connects, and begins to renew and to look.
    func start() {
        store.delegate = self
        store.start()
        table.start()
        let settings = ownership.settings
        pulse = ScopedPendulum(on: loop, settings.renewal / 10) { [unowned self] _ in tick() }
    }

    /// Whether this process may act as the owner at this moment.
    var isTrusted: Bool { ownership.mayServe(Self.shard, at: Self.now) }

    /// The monotonic clock, which also runs while the machine sleeps.
    private static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    private func tick() {
        guard !isReleased else { return }
        handle(.tick)
        let isTrusted = isTrusted
        if isTrusted, !exchange(&wasTrusted, with: isTrusted) { trustReturned() }
        wasTrusted = isTrusted
    }

    private func handle(_ input: Ownership.Input) {
        for action in ownership.handle(input, at: Self.now) { act(action) }
    }

    private func act(_ action: Ownership.Action) {
        switch action {
        case .renew(let shards): renew(shards)
        case .look: look()
        case .acquire(let free): acquire(free)
        case .gained: gained()
        case .lost: lost()
        case .reportSkew(let skew):
            Log.write(
                .warning,
                "the database's clock differs by \(skew.milliseconds) ms from this machine's; this "
                    + "node does not become the owner")
        // With one shard no node has two more than another.
        case .drain, .release: handle(.failed)
        }
    }

    private func renew(_ shards: [Int]) {
        table.renew(shards, store.lastMark) { [unowned self] result in
            handle((try? result.get()).map { .renewed($0) } ?? .failed)
        }
    }

    private func look() {
        let before = Self.wallClock
        table.look { [unowned self] result in
            guard case .success(let view) = result else { return handle(.failed) }
            let skew = Duration.microseconds(view.time) - (before + Self.wallClock) / 2
            self.skew = skew
            names = view.names
            noteOwner(view.rows.first?.owner)
            handle(.looked(Self.view(view, skew)))
        }
    }

    private static func view(_ view: LeaseTable.View, _ skew: Duration) -> DatabaseView {
        DatabaseView(
            shards: view.rows.map {
                DatabaseView.Shard(
                    owner: $0.owner.map(NodeIdentity.init), epoch: $0.epoch, leaseEnd: $0.leaseEnd)
            }, nodes: view.nodes.map(NodeIdentity.init), skew: skew, timeline: view.timeline)
    }

    private static var wallClock: Duration {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    private func noteOwner(_ owner: String?) {
        guard let owner, owner != store.owner, ownerSeen != owner else { return }
        ownerSeen = owner
        waiting(names[owner] ?? "a node that has ended")
    }

    private func acquire(_ free: [FreeShard]) {
        guard let one = free.first else { return handle(.acquired([:])) }
        let lease = ownership.settings.lease
        store.acquire(lease: lease, seen: (one.seen.epoch, one.seen.leaseEnd)) {
            [unowned self] result in
            switch result {
            case .success(true): handle(.acquired([Self.shard: store.epoch ?? 0]))
            case .success(false): handle(.acquired([:]))
            case .failure: handle(.failed)
            }
        }
    }

    /// Gives the store up, and ends.
    func release(_ done: @escaping () -> Void) {
        isReleased = true
        pulse = nil
        let end = { [self] in
            table.stop()
            done()
        }
        table.release(Self.shard, store.lastMark) { [table] _ in
            table.leave { _ in end() }
        }
    }

    // MARK: PostgresStoreDelegate

    func storeIsConnected() { lastWhy = nil }

    func storeIsDisconnected(why: String, isFatal: Bool) {
        if isFatal { return obstacle(why) }
        if store.epoch != nil, !exchange(&isInterrupted, with: true) {
            Log.write(.warning, "the connection to the store is lost: \(why); replies are held")
            interrupted(true)
        } else if store.epoch == nil, exchange(&lastWhy, with: why) != why {
            disconnected(why)
        }
    }

    func storeHasResumed() {
        guard exchange(&isInterrupted, with: false) else { return }
        Log.write(.warning, "the connection to the store is back")
        interrupted(false)
    }

    func storeWasFenced() { handle(.fenced(shard: Self.shard)) }
}
