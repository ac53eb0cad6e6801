/// Which shards a node owns, and until when it may act as their owner.
///
/// A machine without I/O: it takes results and clock readings, and returns what to do next. The
/// caller executes one statement at a time, in order, and reports its result. All times are
/// readings of the node's own monotonic clock, which also runs while the process is suspended.
///
/// What keeps two nodes from owning one shard is the database: each append checks the shard's
/// epoch. The trust window only keeps an owner from showing a state that is no longer the present
/// one.
public struct Ownership: Sendable {
    public let node: NodeIdentity
    public let settings: OwnershipSettings

    /// A shard that this node owns.
    private struct Owned {
        var epoch: Int
        var trustedUntil: Duration
        var isDraining = false
        /// Everything is durable: the shard is given up when no statement is on its way.
        var isDrained = false
    }

    private var owned: [Int: Owned] = [:]
    /// The row of each shard as it was last seen, and since when it has been the same.
    private var seen: [Int: (row: DatabaseView.Shard, since: Duration)] = [:]
    private var timeline: Int?
    /// No shard is acquired before: the server's timeline has changed, and owners of the other server may still act.
    private var acquiresFrom: Duration = .zero
    private var nextRenewal: Duration = .zero
    /// When to look before the next renewal, while the shards are not distributed.
    private var nextLook: Duration?
    /// When the statement began whose result is awaited; nil if none is.
    private var statementStart: Duration?
    /// Whether an operator was told that the clocks differ.
    private var isSkewed = false

    public init(_ node: NodeIdentity, _ settings: OwnershipSettings = OwnershipSettings()) {
        (self.node, self.settings) = (node, settings)
    }

    /// An action of the caller.
    public enum Action: Equatable, Sendable {
        /// Renew the node's own lease, and the leases of these shards where this node is the owner.
        case renew(shards: [Int])
        /// Read the rows of the shards and nodes.
        case look
        /// Acquire those of these shards whose rows are as they were seen.
        case acquire([FreeShard])
        /// Give the shard up, if this node is still its owner under the epoch.
        case release(shard: Int, epoch: Int)
        /// This node is the owner: read the shard's rows and serve it. `wasReleased` says that the last owner, if there was
        /// one, had given the shard up: its lease did not just end.
        case gained(shard: Int, epoch: Int, wasReleased: Bool)
        /// Take no further request for the shard, and report when everything is durable.
        case drain(shard: Int)
        /// This node is no longer the owner: forget the shard at once.
        case lost(shard: Int)
        /// The clocks differ by so much that no shard is acquired; once until they agree again.
        case reportSkew(Duration)
    }

    /// An event that the machine handles.
    public enum Input: Equatable, Sendable {
        /// Time has passed. Give it at least once in a quarter of `renewal`.
        case tick
        /// The renewal was executed: the epochs of the shards whose lease was renewed.
        case renewed([Int: Int])
        case looked(DatabaseView)
        /// The shards that were acquired, with their new epochs.
        case acquired([Int: Int])
        case released
        /// The statement has failed, or its outcome is unknown.
        case failed
        /// Everything of a shard that was being drained is durable.
        case drained(shard: Int)
        /// An append was refused, because another node has acquired the shard.
        case fenced(shard: Int)
    }

    // MARK: what holds now

    /// The shards that this node owns, in order.
    public var shards: [Int] { owned.keys.sorted() }

    /// Until when the node may act as the owner of a shard; nil if it does not own it.
    public func trustedUntil(_ shard: Int) -> Duration? { owned[shard]?.trustedUntil }

    /// Whether the node may answer requests of a shard and fire its timers.
    public func mayServe(_ shard: Int, at now: Duration) -> Bool {
        owned[shard].map { now < $0.trustedUntil } ?? false
    }

    public func epoch(of shard: Int) -> Int? { owned[shard]?.epoch }

    // MARK: what happens

    /// Takes what has happened at a time, and returns what to do, in order. At most one of the
    /// actions is a statement for the database.
    public mutating func handle(_ input: Input, at now: Duration) -> [Action] {
        switch input {
        case .tick: return begin(at: now)
        case .renewed(let epochs): return renewed(epochs)
        case .looked(let view): return looked(view, now)
        case .acquired(let epochs): return acquired(epochs)
        case .released, .failed:
            statementStart = nil
            return []
        case .drained(let shard): return drained(shard, now)
        case .fenced(let shard): return lose([shard])
        }
    }

    /// Begins a renewal, or a look, if it is time for it.
    private mutating func begin(at now: Duration) -> [Action] {
        guard statementStart == nil else { return [] }
        if let shard = shards.first(where: { owned[$0]?.isDrained == true }) {
            return giveUp(shard, now)
        }
        if now >= nextRenewal {
            nextRenewal = now + settings.renewal
            statementStart = now
            return [.renew(shards: shards)]
        }
        guard let look = nextLook, now >= look else { return [] }
        nextLook = nil
        statementStart = now
        return [.look]
    }

    /// The window is counted from the start of the statement: the database cannot have executed it
    /// earlier.
    private mutating func renewed(_ epochs: [Int: Int]) -> [Action] {
        guard let start = statementStart else { return [] }
        let until = start + settings.lease - settings.margin
        for shard in shards {
            guard let epoch = epochs[shard] else { continue }
            owned[shard]?.epoch = epoch
            owned[shard]?.trustedUntil = until
        }
        let lost = lose(shards.filter { epochs[$0] == nil })
        return lost + [.look]
    }

    private mutating func acquired(_ epochs: [Int: Int]) -> [Action] {
        guard let start = exchange(&statementStart, with: nil) else { return [] }
        let until = start + settings.lease - settings.margin
        return epochs.sorted { $0.key < $1.key }.map { shard, epoch in
            owned[shard] = Owned(epoch: epoch, trustedUntil: until)
            // It was acquired as it was seen.
            let wasReleased = seen[shard].map { $0.row.owner == nil } ?? false
            return .gained(shard: shard, epoch: epoch, wasReleased: wasReleased)
        }
    }

    private mutating func lose(_ shards: [Int]) -> [Action] {
        shards.filter { owned.removeValue(forKey: $0) != nil }.map { .lost(shard: $0) }
    }

    private mutating func drained(_ shard: Int, _ now: Duration) -> [Action] {
        guard let one = owned[shard], one.isDraining else { return [] }
        owned[shard]?.isDrained = true
        return statementStart == nil ? giveUp(shard, now) : []
    }

    /// From the moment of the request on the shard is no longer served here, whatever becomes of
    /// the statement.
    private mutating func giveUp(_ shard: Int, _ now: Duration) -> [Action] {
        let epoch = owned[shard]?.epoch ?? 0
        statementStart = now
        return lose([shard]) + [.release(shard: shard, epoch: epoch)]
    }

    /// Another node has given a shard up, or the owners have changed: look as soon as possible.
    public mutating func hint() { nextLook = .zero }

    // MARK: balance

    private mutating func looked(_ view: DatabaseView, _ now: Duration) -> [Action] {
        observe(view, now)
        nextLook = isDistributed(view) ? nil : now + settings.renewal / 4
        let skew = checkSkew(view.skew)
        let free = isSkewed || now < acquiresFrom ? [] : freeShards(view, now)
        if !free.isEmpty {
            statementStart = now
            return skew + [.acquire(free)]
        }
        statementStart = nil
        guard let shard = surplus(view) else { return skew }
        owned[shard]?.isDraining = true
        return skew + [.drain(shard: shard)]
    }

    /// Notes since when each row has been the same. After a failover this begins again: the new
    /// server's clock may be another one.
    private mutating func observe(_ view: DatabaseView, _ now: Duration) {
        if let timeline, timeline != view.timeline {
            seen = [:]
            acquiresFrom = now + settings.lease
        }
        timeline = view.timeline
        for (shard, row) in view.shards.enumerated() where seen[shard]?.row != row {
            seen[shard] = (row, now)
        }
    }

    private mutating func checkSkew(_ skew: Duration) -> [Action] {
        let isGreat = max(skew, .zero - skew) > settings.greatestSkew
        guard exchange(&isSkewed, with: isGreat) != isGreat, isGreat else { return [] }
        return [.reportSkew(skew)]
    }

    /// The shards to acquire: free ones, up to this node's share. A shard is free if its owner has
    /// released it, or has not renewed its lease for the time of a lease on this node's own clock,
    /// whatever the database's clock says.
    private func freeShards(_ view: DatabaseView, _ now: Duration) -> [FreeShard] {
        let nodes = Set(view.nodes + [node]).sorted()
        let share = (view.shards.count + nodes.count - 1) / nodes.count
        let wanted = share - owned.count
        guard wanted > 0, let place = nodes.firstIndex(of: node) else { return [] }
        // Each node begins at another shard, so that they seldom try the same one.
        let start = place * share
        let order = view.shards.indices.map { (start + $0) % view.shards.count }
        let free = order.filter { shard in
            guard owned[shard] == nil, let (row, since) = seen[shard] else { return false }
            return row.owner == nil || row.owner == node || now - since >= settings.lease
        }
        return free.prefix(wanted).map { FreeShard($0, seen: view.shards[$0]) }
    }

    /// The shard to give up; nil if there is none. Only the node with the most shards gives one up,
    /// one at a time, and only while none is free.
    private func surplus(_ view: DatabaseView) -> Int? {
        guard !owned.values.contains(where: \.isDraining), let counts = counts(view) else {
            return nil
        }
        let fewest = counts.values.min() ?? 0
        let most = counts.max { ($0.value, $0.key) < ($1.value, $1.key) }
        guard let most, most.key == node, most.value > fewest + 1 else { return nil }
        return shards.last
    }

    /// How many shards each live node owns; nil while a shard has no live owner.
    private func counts(_ view: DatabaseView) -> [NodeIdentity: Int]? {
        var counts: [NodeIdentity: Int] = [:]
        for node in view.nodes { counts[node] = 0 }
        for row in view.shards {
            guard let owner = row.owner, let count = counts[owner] else { return nil }
            counts[owner] = count + 1
        }
        return counts
    }

    /// Whether each shard has a live owner, and no node has two more than another.
    private func isDistributed(_ view: DatabaseView) -> Bool {
        guard let counts = counts(view)?.values else { return false }
        return (counts.max() ?? 0) - (counts.min() ?? 0) <= 1
    }
}
