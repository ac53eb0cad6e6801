package import Journal
package import Parts
package import Sessions
package import Timers

/// The shards that this process owns: one with all sessions if the daemon has no database, otherwise those whose leases this
/// node has. All calls are on the loop's thread.
package final class OwnShards {
    /// The shards, by number.
    package private(set) var byNumber: [Int: Shard] = [:]
    /// The shard of a daemon that owns all sessions; nil if several nodes share the sessions.
    @exclusivity(unchecked) package private(set) var only: Shard?

    /// The counts of all shards since the start, also of those that have moved to other nodes.
    package let counts = SessionCounts()
    /// The shards with rows that were collected in this turn.
    package let busy = BusyShards()
    /// Returns the number of the shard that has the session, whether or not this process owns the shard.
    package let number: (SessionName) -> Int
    /// Calls its argument, and lets a store that all shards share write the rows of these calls in one transaction.
    private let collect: (() -> Void) -> Void

    /// By default one shard has all sessions.
    package init(
        number: @escaping (SessionName) -> Int = { _ in 0 },
        collect: @escaping (() -> Void) -> Void = { $0() }
    ) { (self.number, self.collect) = (number, collect) }

    /// The shard that has the session; nil if this process does not serve it at present.
    package subscript(of name: SessionName) -> Shard? {
        guard let shard = byNumber[number(name)], shard.isServing else { return nil }
        return shard
    }

    /// Adds the shard of a daemon that owns all sessions.
    package func addOnly(_ shard: Shard) {
        add(shard)
        only = shard
    }

    package func add(_ shard: Shard) { byNumber[shard.number] = shard }

    /// Removes and returns a shard; nil if this process does not own it.
    package func remove(_ number: Int) -> Shard? { byNumber.removeValue(forKey: number) }

    /// The shards in the order of their numbers.
    package var all: [Shard] { byNumber.values.sorted { $0.number < $1.number } }
    /// The sessions of each shard.
    package var sessions: [Sessions] { byNumber.values.map(\.sessions) }
    /// The number of open sessions.
    package var sessionCount: Int { byNumber.values.reduce(0) { $0 + $1.sessions.count } }
    /// Why one of the shards cannot store rows; nil if all can.
    package var outage: String? { byNumber.values.lazy.compactMap(\.sessions.outage).first }

    /// Whether so many rows wait for the disk that no further request is executed. Always false if several nodes share the
    /// sessions: then each shard holds its requests. Clients ask several times in each request. The answer is computed here because
    /// another module would retain the shard each time, and a shard is an object with weak references, whose retains are slow.
    package var isFull: Bool { only?.isFull ?? false }

    /// Passes the rows of this turn to the stores.
    package func endTurn() {
        if !busy.isEmpty { collect { [busy] in busy.endTurn() } }
    }

    /// Makes the dates of the sessions follow the wall clock, which shows `wallTime`. Returns by how much it was set; nil if it
    /// was not.
    package func followWallClock(_ wallTime: Instant) -> Duration? {
        byNumber.values.compactMap { $0.followWallClock(wallTime) }.max()
    }

    /// Notifies the clients that watch inputs. A watch of inputs is a watch of all sessions, and therefore includes every shard.
    /// So it is enough to announce the input in one shard.
    package func announce(_ input: @autoclosure () -> UnmatchedInput) {
        all.first { $0.isServing }?.sessions.announce(input())
    }

    /// Opens the sessions that a configuration has and the configuration of before did not have.
    package func reload(_ options: Options) {
        for shard in all where shard.isServing {
            shard.reload(options) { number($0) == shard.number }
        }
    }

    /// Removes the old rows that nothing needs, one shard after the other, so that the loop and the store serve clients
    /// meanwhile. The removal is held while the clock may be wrong; this call allows it. The report is the sum over the shards.
    /// Ends at the first failure.
    package func removeOldRows(_ done: @escaping (Result<PruneReport, StoreError>) -> Void) {
        removeOldRows(in: byNumber.keys.sorted(), PruneReport(), done)
    }

    /// Removes the old rows in the remaining shards, and adds what was done to `report`. A shard that this process loses or gives
    /// up meanwhile is left out: its rows are the next owner's.
    private func removeOldRows(
        in numbers: [Int], _ report: PruneReport,
        _ done: @escaping (Result<PruneReport, StoreError>) -> Void
    ) {
        let remaining = numbers.drop { byNumber[$0] == nil }
        guard let shard = remaining.first.flatMap({ byNumber[$0] }) else {
            return done(.success(report))
        }
        shard.removeOldRows { [self] result in
            let later = Array(remaining.dropFirst())
            switch result {
            case .success(let added): removeOldRows(in: later, report + added, done)
            case .failure where !shard.keepsJournal: removeOldRows(in: later, report, done)
            case .failure: done(result)
            }
        }
    }
}
