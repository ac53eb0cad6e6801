import Ownership
import Testing

/// The decisions of one node, step by step.
@Suite struct OwnershipTests {
    private let thisNode = NodeIdentity("a")
    private let otherNode = NodeIdentity("b")
    /// The default settings. A lease lasts 3 s and is renewed each second. The node trusts a lease until 0.2 s before the lease
    /// ends.
    private let settings = OwnershipSettings(shards: 4)

    /// The rows of all shards, as the node reads them. A failover of the database changes `timeline`.
    private func snapshot(
        _ owners: [NodeIdentity?], nodes: [NodeIdentity]? = nil, leaseEnd: Int64 = 0,
        skew: Duration = .zero, timeline: Int = 1
    ) -> LeaseSnapshot {
        LeaseSnapshot(
            shards: owners.map { .init(owner: $0, epoch: 7, leaseEnd: leaseEnd) },
            nodes: nodes ?? [thisNode], skew: skew, timeline: timeline)
    }

    /// Renews the leases under epoch 8 and reads the rows, at one instant. Returns the actions that follow from the rows.
    private func renewAndRead(
        _ ownership: inout Ownership, _ snapshot: LeaseSnapshot, at seconds: Int
    ) -> [Ownership.Action] {
        let now = Duration.seconds(seconds)
        let owned = ownership.shards
        #expect(ownership.handle(.tick, at: now) == [.renew(shards: owned)])
        let epochs = Dictionary(uniqueKeysWithValues: owned.map { ($0, 8) })
        #expect(ownership.handle(.renewed(epochs), at: now) == [.readRows])
        return ownership.handle(.rowsRead(snapshot), at: now)
    }

    /// A node that owns these shards under epoch 8. The node has asked for the shards at 0 s.
    private func owner(of shards: [Int]) -> Ownership {
        var ownership = Ownership(thisNode, settings)
        _ = renewAndRead(&ownership, snapshot([nil, nil, nil, nil]), at: 0)
        let epochs = Dictionary(uniqueKeysWithValues: shards.map { ($0, 8) })
        let gained = ownership.handle(.acquired(epochs), at: .milliseconds(40))
        #expect(gained == shards.map { .gained(shard: $0, epoch: 8, wasReleased: true) })
        return ownership
    }

    @Test func `shards that were released are acquired at once`() {
        var ownership = Ownership(thisNode, settings)
        let actions = renewAndRead(&ownership, snapshot([nil, nil, nil, nil]), at: 0)
        let row = LeaseSnapshot.Shard(owner: nil, epoch: 7, leaseEnd: 0)
        #expect(actions == [.acquire((0..<4).map { FreeShard($0, row: row) })])
    }

    @Test func `after a failover, for the length of a lease, not even a free shard is acquired`() {
        var ownership = Ownership(thisNode, settings)
        let owners = [otherNode, otherNode, otherNode, otherNode].map(Optional.init)
        #expect(renewAndRead(&ownership, snapshot(owners), at: 0) == [])
        let free: [NodeIdentity?] = [nil, nil, nil, nil]
        #expect(renewAndRead(&ownership, snapshot(free, timeline: 2), at: 1) == [])
        #expect(renewAndRead(&ownership, snapshot(free, timeline: 2), at: 3) == [])
        guard case .acquire? = renewAndRead(&ownership, snapshot(free, timeline: 2), at: 4).first
        else {
            Issue.record("nothing is acquired after the lease")
            return
        }
    }

    @Test func `a shard that is drained during another statement is released after that statement`()
    {
        var ownership = owner(of: [0, 1, 2, 3])
        let all: [NodeIdentity?] = [thisNode, thisNode, thisNode, thisNode]
        #expect(
            renewAndRead(&ownership, snapshot(all, nodes: [thisNode, otherNode]), at: 1) == [
                .drain(shard: 3)
            ])
        #expect(ownership.handle(.tick, at: .seconds(2)) == [.renew(shards: [0, 1, 2, 3])])
        #expect(ownership.handle(.drained(shard: 3), at: .seconds(2)) == [])
        #expect(ownership.mayServe(3, at: .seconds(2)))
        _ = ownership.handle(.failed, at: .milliseconds(2100))
        #expect(
            ownership.handle(.tick, at: .milliseconds(2200)) == [
                .lost(shard: 3), .release(shard: 3, epoch: 8),
            ])
    }

    @Test func `a shard of another node is acquired when its lease was not renewed for 3 s`() {
        var ownership = Ownership(thisNode, settings)
        let owners = [otherNode, otherNode, otherNode, otherNode].map(Optional.init)
        #expect(renewAndRead(&ownership, snapshot(owners, leaseEnd: 1), at: 0) == [])
        #expect(renewAndRead(&ownership, snapshot(owners, leaseEnd: 1), at: 2) == [])
        // The other node has renewed its leases.
        #expect(renewAndRead(&ownership, snapshot(owners, leaseEnd: 2), at: 3) == [])
        #expect(renewAndRead(&ownership, snapshot(owners, leaseEnd: 2), at: 5) == [])
        let actions = renewAndRead(&ownership, snapshot(owners, leaseEnd: 2), at: 6)
        guard case .acquire(let free)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(free.map(\.shard) == [0, 1, 2, 3])
        // The other node has not released the shard, so this is not a hand-over.
        #expect(
            ownership.handle(.acquired([0: 8]), at: .seconds(6)) == [
                .gained(shard: 0, epoch: 8, wasReleased: false)
            ])
    }

    @Test func `the shards of a killed node do not wait for its next process`() {
        let nextProcess = NodeIdentity("c")
        var ownership = owner(of: [0, 1])
        let owners = [thisNode, thisNode, otherNode, otherNode].map(Optional.init)
        let before = snapshot(owners, nodes: [thisNode, otherNode], leaseEnd: 1)
        let after = snapshot(owners, nodes: [thisNode, nextProcess], leaseEnd: 1)
        _ = ownership.handle(.acquired([:]), at: .milliseconds(50))
        #expect(renewAndRead(&ownership, before, at: 1) == [])
        #expect(renewAndRead(&ownership, after, at: 2) == [])
        let actions = renewAndRead(&ownership, after, at: 4)
        let row = LeaseSnapshot.Shard(owner: otherNode, epoch: 7, leaseEnd: 1)
        #expect(actions == [.acquire([FreeShard(2, row: row), FreeShard(3, row: row)])])
    }

    @Test func `nodes that begin one after the other share the shards of nodes that ended before`()
    {
        var ownership = Ownership(thisNode, settings)
        let owners = [otherNode, otherNode, otherNode, otherNode].map(Optional.init)
        #expect(renewAndRead(&ownership, snapshot(owners), at: 0) == [])
        let both = snapshot(owners, nodes: [thisNode, NodeIdentity("c")])
        #expect(renewAndRead(&ownership, both, at: 2) == [])
        guard case .acquire(let free)? = renewAndRead(&ownership, both, at: 3).first else {
            Issue.record("nothing is acquired after the lease")
            return
        }
        #expect(free.map(\.shard) == [0, 1])
    }

    @Test func `the shards of a killed node are shared with a node that has watched their leases`()
    {
        let thirdNode = NodeIdentity("c")
        var ownership = owner(of: [0])
        let owners = [thisNode, otherNode, otherNode, otherNode].map(Optional.init)
        let before = snapshot(owners, nodes: [thisNode, otherNode, thirdNode], leaseEnd: 1)
        let after = snapshot(owners, nodes: [thisNode, thirdNode], leaseEnd: 1)
        #expect(renewAndRead(&ownership, before, at: 1) == [])
        #expect(renewAndRead(&ownership, after, at: 3) == [])
        let row = LeaseSnapshot.Shard(owner: otherNode, epoch: 7, leaseEnd: 1)
        #expect(
            renewAndRead(&ownership, after, at: 4) == [.acquire([FreeShard(1, row: row)])])
    }

    @Test func `after a failover a node watches each lease for its whole length again`() {
        var ownership = Ownership(thisNode, settings)
        let owners = [otherNode, otherNode, otherNode, otherNode].map(Optional.init)
        #expect(renewAndRead(&ownership, snapshot(owners), at: 0) == [])
        #expect(renewAndRead(&ownership, snapshot(owners, timeline: 2), at: 3) == [])
        #expect(renewAndRead(&ownership, snapshot(owners, timeline: 2), at: 6) != [])
    }

    @Test func `the trust window is counted from the start of a statement`() {
        var ownership = owner(of: [0])
        #expect(ownership.trustedUntil(0) == .milliseconds(2800))
        _ = ownership.handle(.tick, at: .seconds(1))
        _ = ownership.handle(.renewed([0: 8]), at: .seconds(2))
        #expect(ownership.trustedUntil(0) == .milliseconds(3800))
        #expect(ownership.mayServe(0, at: .milliseconds(3799)))
        #expect(!ownership.mayServe(0, at: .milliseconds(3800)))
        #expect(!ownership.mayServe(1, at: .zero))
    }

    @Test func `a renewal that fails is repeated, and the trust window does not move`() {
        var ownership = owner(of: [0])
        #expect(ownership.handle(.tick, at: .seconds(1)) == [.renew(shards: [0])])
        #expect(ownership.handle(.tick, at: .seconds(2)) == [], "one statement at a time")
        #expect(ownership.handle(.failed, at: .seconds(2)) == [])
        #expect(ownership.handle(.tick, at: .seconds(2)) == [.renew(shards: [0])])
        #expect(ownership.trustedUntil(0) == .milliseconds(2800))
    }

    @Test func `a shard is lost if it is not renewed or if it is fenced`() {
        var ownership = owner(of: [0, 1, 2])
        _ = ownership.handle(.tick, at: .seconds(1))
        #expect(
            ownership.handle(.renewed([0: 9, 1: 8]), at: .seconds(1))
                == [.lost(shard: 2), .readRows])
        #expect(ownership.epoch(of: 0) == 9, "the store has taken a new epoch itself")
        #expect(ownership.handle(.fenced(shard: 1), at: .seconds(1)) == [.lost(shard: 1)])
        #expect(ownership.handle(.fenced(shard: 1), at: .seconds(1)) == [])
        #expect(ownership.shards == [0])
    }

    /// The clocks may differ by 500 ms.
    @Test func `a clock that differs from the database's is reported once, and no shard acquired`()
    {
        var ownership = Ownership(thisNode, settings)
        let free: [NodeIdentity?] = [nil, nil, nil, nil]
        let skew = Duration.milliseconds(-501)
        #expect(renewAndRead(&ownership, snapshot(free, skew: skew), at: 0) == [.reportSkew(skew)])
        #expect(renewAndRead(&ownership, snapshot(free, skew: skew), at: 1) == [])
        #expect(renewAndRead(&ownership, snapshot(free, skew: .milliseconds(500)), at: 2) != [])
    }

    @Test func `the node with the most shards drains and releases one shard at a time`() {
        var ownership = owner(of: [0, 1, 2, 3])
        let all = [thisNode, thisNode, thisNode, thisNode].map(Optional.init)
        let both = [thisNode, otherNode]
        #expect(renewAndRead(&ownership, snapshot(all, nodes: both), at: 1) == [.drain(shard: 3)])
        #expect(
            renewAndRead(&ownership, snapshot(all, nodes: both), at: 2) == [],
            "shard 3 is still being drained")
        let drained = ownership.handle(.drained(shard: 3), at: .seconds(2))
        #expect(drained == [.lost(shard: 3), .release(shard: 3, epoch: 8)])
        #expect(ownership.handle(.released, at: .seconds(2)) == [])
        // Until the shards are distributed, the node reads the rows four times as often as it renews its leases.
        #expect(ownership.handle(.tick, at: .milliseconds(2100)) == [])
        #expect(ownership.handle(.tick, at: .milliseconds(2250)) == [.readRows])
        #expect(ownership.handle(.failed, at: .milliseconds(2250)) == [])
        let waiting = snapshot([thisNode, thisNode, thisNode, nil], nodes: both)
        #expect(
            renewAndRead(&ownership, waiting, at: 3) == [],
            "the other node must acquire shard 3 first")
        let taken = snapshot([thisNode, thisNode, thisNode, otherNode], nodes: both)
        #expect(renewAndRead(&ownership, taken, at: 4) == [.drain(shard: 2)])
    }

    @Test func `if all nodes have equally many shards, no shard moves`() {
        var ownership = owner(of: [0, 1])
        let shared = snapshot(
            [thisNode, thisNode, otherNode, otherNode], nodes: [thisNode, otherNode])
        #expect(renewAndRead(&ownership, shared, at: 1) == [])
    }

    @Test func `a session's shard never changes, and all shards are used`() {
        // Existing databases have the rows of `main` in shard 106.
        #expect(ShardOfSession.shard(of: "main", shards: 256) == 106)
        #expect(ShardOfSession.shard(of: "", shards: 1) == 0)
        let used = Set((0..<5000).map { ShardOfSession.shard(of: "room-\($0)", shards: 256) })
        #expect(used.count == 256)
    }
}
