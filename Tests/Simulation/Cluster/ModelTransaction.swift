import Journal
import PostgresStore

/// A transaction of the model. It reads committed data, holds locks, and collects its changes until it is committed.
final class ModelTransaction {
    typealias Command = (ModelTransaction) throws(Interruption) -> PostgresResult

    /// Why a command cannot be executed now.
    enum Interruption: Error {
        /// Another transaction holds a lock.
        case locked
        case refused(PostgresError)
    }

    /// `share` is the lock of FOR SHARE, and `exclusive` is the lock of UPDATE.
    enum Lock { case share, exclusive }

    let number: Int
    let backend: Backend
    unowned let database: PostgresModel
    /// The locks that the transaction holds, by shard.
    private(set) var locks: [Int: Lock] = [:]
    /// What the commit does to the tables, in order.
    private(set) var changes: [(PostgresModel) -> Void] = []
    /// The positions of the rows that the transaction inserts, by shard.
    private(set) var inserted: [Int: Set<Int>] = [:]

    init(_ number: Int, _ backend: Backend, _ database: PostgresModel) {
        (self.number, self.backend, self.database) = (number, backend, database)
    }

    /// The committed row of a shard.
    func shard(_ number: Int) -> PostgresModel.Shard { database.tables.shards[number] }

    /// Locks the rows of all these shards. If another transaction prevents one of the locks, throws `.locked` and locks
    /// nothing.
    func lock(_ shards: [Int], _ mode: Lock) throws(Interruption) {
        for shard in shards where database.isLocked(shard, mode, for: self) {
            throw .locked
        }
        for shard in shards { locks[shard] = mode }
    }

    /// Calls `work` when the transaction is committed.
    func onCommit(_ work: @escaping (PostgresModel) -> Void) { changes.append(work) }

    /// Inserts rows, whose positions are the primary key.
    func insert(_ rows: [JournalRow], _ shard: Int) throws(Interruption) {
        let positions = Set(rows.map(\.position))
        if database.fault?.hasUniquePositions ?? true {
            let isPending = database.openTransactions.values.contains {
                $0 !== self && $0.inserted[shard]?.isDisjoint(with: positions) == false
            }
            if isPending { throw .locked }
            if database.tables.rows[shard].contains(where: { positions.contains($0.position) }) {
                throw .refused(
                    PostgresError(.refused(sqlState: "23505"), "the position is there already"))
            }
        }
        inserted[shard, default: []].formUnion(positions)
        onCommit { [process = backend.process] in $0.insert(rows, shard, by: process) }
    }
}
