import PostgresStore
import TestSupport

/// A session of the database. PostgreSQL calls it a backend. It executes groups of commands in order, each group as one
/// transaction.
final class Backend {
    typealias GroupResult = Result<[PostgresResult], PostgresError>

    /// The commands of a transaction, and the closure that receives their results.
    struct Group {
        let commands: [ModelTransaction.Command]
        let reply: (GroupResult) -> Void
    }

    let number: Int
    /// The process at the other end.
    let process: Int
    private unowned let database: PostgresModel
    var isAlive = true
    /// Called when the server ends the session.
    let ended: () -> Void
    private var groups: [Group] = []
    private var isBusy = false

    /// The setting `lock_timeout` of gamed's sessions, and the time between two attempts to lock, in microseconds.
    private static let (lockTimeout, retryInterval): (Int64, Int64) = (1_000_000, 10_000)

    init(_ number: Int, of process: Int, _ database: PostgresModel, _ ended: @escaping () -> Void) {
        (self.number, self.process, self.database) = (number, process, database)
        self.ended = ended
    }

    /// Called when the commands of a transaction arrive.
    func receive(_ group: Group) {
        groups.append(group)
        next()
    }

    private func next() {
        guard isAlive, !isBusy, !groups.isEmpty else { return }
        isBusy = true
        execute(groups.removeFirst(), waited: 0)
    }

    /// Executes a group as one transaction. `waited` is the time for which it has waited for locks, in microseconds.
    private func execute(_ group: Group, waited: Int64) {
        guard isAlive else { return }
        let transaction = database.begin(self)
        var results: [PostgresResult] = []
        do throws(ModelTransaction.Interruption) {
            for command in group.commands { results.append(try command(transaction)) }
        } catch {
            database.rollBack(transaction)
            return interrupted(group, error, waited)
        }
        guard !transaction.changes.isEmpty else {
            database.rollBack(transaction)
            return finish(group, .success(results))
        }
        database.commit(transaction) { [self] in finish(group, .success(results)) }
    }

    private func interrupted(
        _ group: Group, _ why: ModelTransaction.Interruption, _ waited: Int64
    ) {
        switch why {
        case .refused(let error): finish(group, .failure(error))
        case .locked where waited < Self.lockTimeout:
            database.time.after(Self.retryInterval) { [self] in
                execute(group, waited: waited + Self.retryInterval)
            }
        case .locked:
            let state = PostgresError.SQLState.lockNotAvailable
            finish(group, .failure(PostgresError(.refused(sqlState: state), "lock timeout")))
        }
    }

    private func finish(_ group: Group, _ result: GroupResult) {
        isBusy = false
        if isAlive { group.reply(result) }
        next()
    }
}
