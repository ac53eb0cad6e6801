package import Journal
import Parts
package import PostgresStore
package import Sessions
import Statistics

/// The journals from which statistics and leaderboards are computed: `OwnJournal`, the `ShardJournals` of several nodes, or
/// `NoRecordedGames`.
package protocol RecordedGames {
    /// Finds the rows that are durable at this moment, without reading them. Calls `done` once, immediately or later.
    func find(_ done: @escaping (Result<RecordedRows, RequestError>) -> Void)
}

/// The rows that were durable at one moment.
package struct RecordedRows {
    /// The journals that have rows.
    package let parts: [JournalPart]
    /// The number of sessions that have been erased from the store while a daemon may already have read their rows. When it
    /// increases, results of earlier reads are outdated.
    package let erasures: Int
}

/// The rows of a journal up to the position `last`.
package struct JournalPart {
    /// The number of the journal: the number of its shard, or 0.
    package let number: Int
    /// The position of the newest row to read.
    package let last: Int
    /// The maximum number of attempts to read. A read can fail because a shard moves to another node at that moment.
    package let attempts: Int
    /// Returns the store that has the rows.
    private let store: () -> any Store

    package init(_ number: Int, last: Int, attempts: Int = 1, store: @escaping () -> any Store) {
        (self.number, self.last, self.attempts, self.store) = (number, last, attempts, store)
    }

    /// Reads the records after `position`, and calls `add` with each. Calls `done` once, at the end, with the position of the
    /// last row that was read. If the store failed, or if `add` reached a limit, `done` also gets an error.
    func readRecords(
        after position: Int = 0,
        _ add: @escaping (SessionRecord) throws(GameStatistics.LimitError) -> Void,
        _ done: @escaping (_ reached: Int, RequestError?) -> Void
    ) { read(after: position, attempts: attempts, add, done) }

    /// Reads the records, and after a failure of the store continues after the last row that was read.
    private func read(
        after position: Int, attempts: Int,
        _ add: @escaping (SessionRecord) throws(GameStatistics.LimitError) -> Void,
        _ done: @escaping (_ reached: Int, RequestError?) -> Void
    ) {
        store().readRecords(after: position, upTo: last, add) { reached, error in
            guard case .storage? = error, attempts > 1 else { return done(reached, error) }
            read(after: reached, attempts: attempts - 1, add, done)
        }
    }
}

/// The journal of a daemon that owns all sessions.
package struct OwnJournal: RecordedGames {
    package let sessions: Sessions
    package let store: any Store

    package init(sessions: Sessions, store: any Store) {
        (self.sessions, self.store) = (sessions, store)
    }

    package func find(_ done: @escaping (Result<RecordedRows, RequestError>) -> Void) {
        // Sessions are erased from the journal only while the daemon is stopped. So this run reads no rows that are erased
        // later.
        let part = JournalPart(0, last: sessions.durableRow) { store }
        done(.success(RecordedRows(parts: [part], erasures: 0)))
    }
}

/// The journals of a daemon that keeps none.
package struct NoRecordedGames: RecordedGames {
    package init() {}

    package func find(_ done: @escaping (Result<RecordedRows, RequestError>) -> Void) {
        done(.failure(.noJournal))
    }
}

/// The journals of all shards in the store that nodes share, including shards that other nodes own.
package struct ShardJournals: RecordedGames {
    package let store: PostgresStore

    package init(store: PostgresStore) {
        self.store = store
    }
    /// The maximum number of attempts of each read.
    private static let attempts = 3

    package func find(_ done: @escaping (Result<RecordedRows, RequestError>) -> Void) {
        find(attempts: Self.attempts, done)
    }

    private func find(
        attempts: Int, _ done: @escaping (Result<RecordedRows, RequestError>) -> Void
    ) {
        // Any shard can be asked: it returns the positions of all shards.
        store.shard(0).newestPositions { result in
            switch result {
            case .success(let newest):
                let parts = newest.positions.sorted { $0.key < $1.key }.map { shard, last in
                    JournalPart(shard, last: last, attempts: Self.attempts) { store.shard(shard) }
                }
                done(.success(RecordedRows(parts: parts, erasures: newest.erasures)))
            case .failure where attempts > 1: find(attempts: attempts - 1, done)
            case .failure(let error):
                done(.failure(.storage(why: error.why, outcome: .undone)))
            }
        }
    }
}
