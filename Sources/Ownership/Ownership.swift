/// Decides which shards a node owns, and until when it may act as their owner.
///
/// This type does no I/O: it takes results and clock readings, and returns what to do next. The
/// caller executes one statement at a time, in order, and reports its result. All times are
/// readings of the node's own monotonic clock, which also runs while the process is suspended.
///
/// The database prevents two nodes from writing to one shard: each append checks the shard's epoch. The trust window
/// (`trustedUntil`) does not protect the rows. It only prevents an owner from showing an outdated state to clients.
public struct Ownership: Sendable {
    /// The node for which this object decides.
    public let node: NodeIdentity
    public let settings: OwnershipSettings

    /// A shard that this node owns.
    private struct OwnedShard {
        /// The epoch under which the node acquired the shard.
        var epoch: Int
        /// Until when the node may act as the owner.
        var trustedUntil: Duration
        /// Whether the shard takes no further request, because it is to be released.
        var isDraining = false
        /// Whether everything of the draining shard is durable. The shard is then released as soon as no statement is on its
        /// way.
        var isDrained = false
    }

    /// The shards that this node owns, by number.
    private var owned: [Int: OwnedShard] = [:]
    /// The most recently read row of each shard, by the shard's number. `since` is when this node first read the row with this
    /// content.
    private var lastRows: [Int: (row: LeaseSnapshot.Shard, since: Duration)] = [:]
    /// When this node first read the row of each live node, and its own.
    private var firstReads: [NodeIdentity: Duration] = [:]
    /// The server's timeline when the rows were read last.
    private var timeline: Int?
    /// The node acquires no shard before this time. The time is set when the server's timeline changes, because owners that use
    /// the previous server may still act.
    private var earliestAcquisition: Duration = .zero
    /// When to renew the leases next. The rows are read after each renewal.
    private var nextRenewal: Duration = .zero
    /// When to read the rows once more before the next renewal; nil while the shards are evenly distributed.
    private var nextRead: Duration?
    /// When the statement on its way was handed to the caller; nil if no result is awaited.
    private var statementStart: Duration?
    /// Whether the clocks differed by more than `greatestSkew` at the most recent measurement. If so, this was reported
    /// (`reportSkew`), and is not reported again.
    private var isSkewed = false

    public init(_ node: NodeIdentity, _ settings: OwnershipSettings = OwnershipSettings()) {
        (self.node, self.settings) = (node, settings)
    }

    /// An action that the caller must execute.
    public enum Action: Equatable, Sendable {
        /// Renew the node's own lease, and the leases of these shards where this node is the owner.
        case renew(shards: [Int])
        /// Read the rows of the shards and nodes.
        case readRows
        /// Acquire these shards, except those whose rows have changed since they were read.
        case acquire([FreeShard])
        /// Give the shard up, if this node is still its owner under the epoch.
        case release(shard: Int, epoch: Int)
        /// This node is now the owner: read the shard's rows and serve it. `wasReleased` is true if the previous owner
        /// has released the shard or there was none, and false if the lease of the previous owner has ended.
        case gained(shard: Int, epoch: Int, wasReleased: Bool)
        /// Take no further request for the shard, and report when everything is durable.
        case drain(shard: Int)
        /// This node is no longer the owner: forget the shard at once.
        case lost(shard: Int)
        /// Tell the operator that the clocks differ by this time. The difference is so great that this node acquires no shard.
        /// This action is returned once. It is returned again only if the clocks have agreed in the meantime.
        case reportSkew(Duration)
    }

    /// Something that has happened, which the caller reports to `handle`.
    public enum Input: Equatable, Sendable {
        /// Time has passed. The caller sends it at least once in a quarter of `OwnershipSettings.renewal`.
        case tick
        /// The renewal was executed; the epochs of the shards whose leases were renewed, by shard.
        case renewed([Int: Int])
        /// The rows were read.
        case rowsRead(LeaseSnapshot)
        /// The statement to acquire shards was executed; the new epochs of the acquired shards, by shard.
        case acquired([Int: Int])
        /// The statement to release a shard was executed.
        case released
        /// The statement has failed, or its outcome is unknown.
        case failed
        /// After `Action.drain`: everything of the shard is durable.
        case drained(shard: Int)
        /// This node has lost the shard: an append was refused because another node has acquired the shard, the rows were erased,
        /// or the rows cannot be read.
        case fenced(shard: Int)
    }

    // MARK: the owned shards

    /// The shards that this node owns, in order.
    public var shards: [Int] { owned.keys.sorted() }

    /// Until when the node may act as the owner of a shard; nil if the node does not own the shard.
    public func trustedUntil(_ shard: Int) -> Duration? { owned[shard]?.trustedUntil }

    /// Whether the node may answer requests of a shard and fire its timers.
    public func mayServe(_ shard: Int, at now: Duration) -> Bool {
        owned[shard].map { now < $0.trustedUntil } ?? false
    }

    /// The epoch under which the node owns a shard; nil if the node does not own the shard.
    public func epoch(of shard: Int) -> Int? { owned[shard]?.epoch }

    // MARK: inputs

    /// Handles an input at the time `now`, and returns the actions to execute, in order. At most one of the actions is a
    /// statement for the database: `renew`, `readRows`, `acquire` or `release`.
    public mutating func handle(_ input: Input, at now: Duration) -> [Action] {
        switch input {
        case .tick: return startStatement(at: now)
        case .renewed(let epochs): return renewed(epochs)
        case .rowsRead(let snapshot): return rowsRead(snapshot, now)
        case .acquired(let epochs): return acquired(epochs)
        case .released, .failed:
            statementStart = nil
            return []
        case .drained(let shard): return drained(shard, now)
        case .fenced(let shard): return lose([shard])
        }
    }

    /// Starts the next statement that is due: releases a drained shard, renews the leases, or reads the rows. Does nothing
    /// while a statement is on its way.
    private mutating func startStatement(at now: Duration) -> [Action] {
        guard statementStart == nil else { return [] }
        if let shard = shards.first(where: { owned[$0]?.isDrained == true }) {
            return giveUp(shard, now)
        }
        if now >= nextRenewal {
            nextRenewal = now + settings.renewal
            statementStart = now
            return [.renew(shards: shards)]
        }
        guard let start = nextRead, now >= start else { return [] }
        nextRead = nil
        statementStart = now
        return [.readRows]
    }

    /// Handles the renewal of the leases. The trust window begins at the start of the statement, because the database cannot
    /// have executed the statement earlier. `statementStart` remains set, because the rows are read next.
    private mutating func renewed(_ epochs: [Int: Int]) -> [Action] {
        guard let start = statementStart else { return [] }
        let trustedUntil = start + settings.lease - settings.margin
        for shard in shards {
            guard let epoch = epochs[shard] else { continue }
            owned[shard]?.epoch = epoch
            owned[shard]?.trustedUntil = trustedUntil
        }
        let lost = lose(shards.filter { epochs[$0] == nil })
        return lost + [.readRows]
    }

    /// Handles the acquisition of shards, whose new epochs are given by shard.
    private mutating func acquired(_ epochs: [Int: Int]) -> [Action] {
        guard let start = exchange(&statementStart, with: nil) else { return [] }
        let trustedUntil = start + settings.lease - settings.margin
        return epochs.sorted { $0.key < $1.key }.map { shard, epoch in
            owned[shard] = OwnedShard(epoch: epoch, trustedUntil: trustedUntil)
            // The database gives this node a shard only if the shard's row has not changed since it was read. Therefore the row
            // in `lastRows` tells whether the previous owner has released the shard.
            let wasReleased = lastRows[shard].map { $0.row.owner == nil } ?? false
            return .gained(shard: shard, epoch: epoch, wasReleased: wasReleased)
        }
    }

    /// Removes the shards among these that the node owns, and returns the actions for the removed ones.
    private mutating func lose(_ shards: [Int]) -> [Action] {
        shards.filter { owned.removeValue(forKey: $0) != nil }.map { .lost(shard: $0) }
    }

    /// Releases a drained shard, now or when the statement on its way has ended.
    private mutating func drained(_ shard: Int, _ now: Duration) -> [Action] {
        guard let state = owned[shard], state.isDraining else { return [] }
        owned[shard]?.isDrained = true
        return statementStart == nil ? giveUp(shard, now) : []
    }

    /// Releases a shard. From now on this node no longer serves the shard, even if the statement fails.
    private mutating func giveUp(_ shard: Int, _ now: Duration) -> [Action] {
        let epoch = owned[shard]?.epoch ?? 0
        statementStart = now
        return lose([shard]) + [.release(shard: shard, epoch: epoch)]
    }

    /// Reports a hint that another node has released a shard, or that owners have changed. The rows are
    /// then read as soon as possible.
    public mutating func ownersMayHaveChanged() { nextRead = .zero }

    // MARK: balance

    /// Acquires free shards up to this node's share, or begins to drain one shard if this node has too many.
    private mutating func rowsRead(_ snapshot: LeaseSnapshot, _ now: Duration) -> [Action] {
        observe(snapshot, now)
        // While shards change their owners, the rows are read four times as often as the leases are renewed.
        nextRead = isDistributed(snapshot) ? nil : now + settings.renewal / 4
        let report = checkSkew(snapshot.skew)
        let free = isSkewed || now < earliestAcquisition ? [] : freeShards(snapshot, now)
        if !free.isEmpty {
            statementStart = now
            return report + [.acquire(free)]
        }
        statementStart = nil
        guard let shard = surplusShard(snapshot) else { return report }
        owned[shard]?.isDraining = true
        return report + [.drain(shard: shard)]
    }

    /// Records when each row was first read with its present content. After a failover, these times begin again, because the
    /// clock of the new server may differ.
    private mutating func observe(_ snapshot: LeaseSnapshot, _ now: Duration) {
        if let timeline, timeline != snapshot.timeline {
            (lastRows, firstReads) = ([:], [:])
            earliestAcquisition = now + settings.lease
        }
        timeline = snapshot.timeline
        for (shard, row) in snapshot.shards.enumerated() where lastRows[shard]?.row != row {
            lastRows[shard] = (row, now)
        }
        let reads = (snapshot.nodes + [node]).map { ($0, firstReads[$0] ?? now) }
        firstReads = Dictionary(reads) { first, _ in first }
    }

    /// Records whether the clocks differ too much. Returns a report if they do now and did not at the previous measurement.
    private mutating func checkSkew(_ skew: Duration) -> [Action] {
        let isGreat = max(skew, .zero - skew) > settings.greatestSkew
        guard exchange(&isSkewed, with: isGreat) != isGreat, isGreat else { return [] }
        return [.reportSkew(skew)]
    }

    /// The shards to acquire: free shards, until this node has its share. A shard is free in three cases:
    /// - It has no owner, for example because its owner has released it.
    /// - Its row names this node as the owner, although this node has lost the shard.
    /// - Its row has not changed for the duration of a lease. This node measures the duration with its own clock, not with the
    ///   clock of the database.
    private func freeShards(_ snapshot: LeaseSnapshot, _ now: Duration) -> [FreeShard] {
        let nodes = Set(snapshot.nodes + [node]).sorted()
        guard let index = nodes.firstIndex(of: node) else { return [] }
        // Each node begins at a different shard, so that two nodes seldom try to acquire the same shard.
        let shardCount = snapshot.shards.count
        let start = index * share(of: shardCount, among: nodes.count)
        let order = (0..<shardCount).map { (start + $0) % shardCount }
            .filter { owned[$0] == nil }
        let withoutOwner = order.filter { shard in
            let owner = snapshot.shards[shard].owner
            return owner == nil || owner == node
        }
        let expired = order.filter { shard in
            guard let (row, since) = lastRows[shard] else { return false }
            return row.owner != nil && row.owner != node && now - since >= settings.lease
        }
        // An owner whose rows have not changed since this node began to read them may have ended before all nodes of today began.
        // Such shards are shared by all.
        let begin = firstReads[node] ?? now
        let isOfNow = { (shard: Int) in (self.lastRows[shard]?.since ?? begin) > begin }
        let forAll = withoutOwner + expired.filter { !isOfNow($0) }
        let first = forAll.prefix(max(0, share(of: shardCount, among: nodes.count) - owned.count))
        let watching = nodes.filter { hasWatchedALease($0, now) }
        let second = expired.filter(isOfNow).prefix(
            max(0, share(of: shardCount, among: watching.count) - owned.count - first.count))
        return (first + second).map { FreeShard($0, row: snapshot.shards[$0]) }
    }

    /// The number of shards that one of several nodes may own.
    private func share(of shards: Int, among nodes: Int) -> Int { (shards + nodes - 1) / nodes }

    /// Whether a node could acquire now, or soon, the shards whose leases end now: it has watched the rows for the length of a
    /// lease. A node that has started later, for example the next process of a node that was killed, could acquire them only
    /// after it has watched a whole lease. The others do not wait for it. It gets its share by balance.
    private func hasWatchedALease(_ other: NodeIdentity, _ now: Duration) -> Bool {
        guard other != node, let firstRead = firstReads[other] else { return true }
        return now - firstRead >= settings.lease - settings.renewal / 2
    }

    /// The shard to release for balance; nil if no shard is to be released. Only the node with the most shards
    /// releases one, one at a time, and only while no shard is free.
    private func surplusShard(_ snapshot: LeaseSnapshot) -> Int? {
        guard !owned.values.contains(where: \.isDraining), let counts = shardCounts(snapshot) else {
            return nil
        }
        let smallestCount = counts.values.min() ?? 0
        // If several nodes have the most shards, the last of them releases a shard, in the order of `NodeIdentity`.
        let largest = counts.max { ($0.value, $0.key) < ($1.value, $1.key) }
        guard let largest, largest.key == node, largest.value > smallestCount + 1 else {
            return nil
        }
        return shards.last
    }

    /// The number of shards that each live node owns. A node is live while its own lease is valid. Nil if any shard has no live
    /// owner.
    private func shardCounts(_ snapshot: LeaseSnapshot) -> [NodeIdentity: Int]? {
        var counts: [NodeIdentity: Int] = [:]
        for node in snapshot.nodes { counts[node] = 0 }
        for row in snapshot.shards {
            guard let owner = row.owner, let count = counts[owner] else { return nil }
            counts[owner] = count + 1
        }
        return counts
    }

    /// Whether each shard has a live owner, and the numbers of shards of any two nodes differ by at most one.
    private func isDistributed(_ snapshot: LeaseSnapshot) -> Bool {
        guard let counts = shardCounts(snapshot)?.values else { return false }
        return (counts.max() ?? 0) - (counts.min() ?? 0) <= 1
    }
}
