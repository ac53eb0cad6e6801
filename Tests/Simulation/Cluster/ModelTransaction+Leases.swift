import Journal
import Ownership

/// The statements of a `LeaseTable`.
extension ModelTransaction {
    /// The rows of the lease table, and the database's time and timeline.
    struct LeaseRows {
        let shards: [LeaseSnapshot.Shard]
        let nodes: [NodeIdentity]
        let time: Duration
        let timeline: Int
    }

    func readLeases() -> LeaseRows {
        let clock = database.clock
        return LeaseRows(
            shards: database.tables.shards.map { row in
                LeaseSnapshot.Shard(
                    owner: row.owner.isEmpty ? nil : NodeIdentity(row.owner), epoch: row.epoch,
                    leaseEnd: row.leaseEnd)
            },
            nodes: database.tables.nodes.filter { $0.value >= clock }.map { NodeIdentity($0.key) }
                .sorted(),
            time: .microseconds(clock), timeline: database.timeline)
    }

    func renew(_ owner: String, _ shards: [Int], _ marks: [Int: HighWaterMark])
        throws(Interruption) -> [Int: Int]
    {
        let end = database.clock + PostgresModel.lease
        let ownedShards = shards.filter { shard($0).owner == owner }
        try lock(ownedShards, .exclusive)
        onCommit { $0.setNode(owner, end) }
        for number in ownedShards {
            onCommit { $0.change(number) { $0.set(leaseEnd: end, marks[number]) } }
        }
        return Dictionary(uniqueKeysWithValues: ownedShards.map { ($0, shard($0).epoch) })
    }

    func release(_ owner: String, _ number: Int, _ mark: HighWaterMark? = nil)
        throws(Interruption)
    {
        guard shard(number).owner == owner else { return }
        try lock([number], .exclusive)
        onCommit {
            $0.change(number) { row in
                row.owner = ""
                row.set(leaseEnd: 0, mark)
            }
        }
    }
}

extension PostgresModel.Shard {
    fileprivate mutating func set(leaseEnd: Int64, _ mark: HighWaterMark?) {
        self.leaseEnd = leaseEnd
        markPosition = max(markPosition, mark?.position ?? 0)
        markAtNs = max(markAtNs, Int(mark?.atNs ?? 0))
    }
}
