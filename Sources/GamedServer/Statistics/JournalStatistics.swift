import Durability
import GameFlow
import Journal
import PostgresStore
import RPC
import Sessions
import Statistics
import Timers

/// Computes statistics from the journal, or from those of all shards, a page at a time: between two pages the loop
/// serves its clients.
final class JournalStatistics: StatisticsSource {
    private let sessions: Sessions
    private let journals: () -> [JournalPart]
    /// The statistics that are being computed.
    private var reading: StatisticsReading?

    /// How many statistics are computed at the same time; a further request is refused.
    private static let limit = 1

    /// The statistics of a daemon's own journal: of the rows that are durable at the time of the request.
    init(_ groupCommit: GroupCommit, _ store: any Store) {
        let sessions = groupCommit.sessions
        self.sessions = sessions
        journals = { [JournalPart(store: store, last: sessions.durableRow)] }
    }

    /// The statistics of a store that nodes share: of the rows of all shards, also of those of other nodes, that are durable when
    /// they are read. `sessions` have the flows.
    init(_ store: PostgresStore, shards: Int, _ sessions: Sessions) {
        self.sessions = sessions
        journals = {
            (0..<shards).map { JournalPart(store: store.shard($0), last: JournalRow.most) }
        }
    }

    func statistics(
        of selection: StatisticsSelection,
        _ done: @escaping (Result<[Member], RequestError>) -> Void
    ) {
        guard reading == nil else {
            return done(.failure(.limit(which: "statistics", limit: Self.limit)))
        }
        let reading = StatisticsReading(
            journals(),
            .init(flow: selection.flow, since: selection.since, without: selection.without))
        self.reading = reading
        reading.begin { [unowned self] result in
            self.reading = nil
            done(result.flatMap { members($0, selection) })
        }
    }

    private func members(_ games: GameStatistics, _ selection: StatisticsSelection)
        -> Result<[Member], RequestError>
    {
        let report = games.report(finals: sessions.catalog.finals(of:))
        if let flow = selection.flow, report.flows.isEmpty {
            do throws(RequestError) { _ = try sessions.flow(flow) } catch {
                return .failure(error)
            }
        }
        let since = selection.since.map { [Member("sinceMs", Int($0.milliseconds))] } ?? []
        return .success(since + report.members(recordsRefusals: sessions.auditsRefusals))
    }
}

/// A journal, from its first row to the one at `last`.
struct JournalPart {
    let store: any Store
    let last: Int
}

/// One reading of journals, one after the other.
private final class StatisticsReading {
    private var journals: ArraySlice<JournalPart>
    private var games: GameStatistics

    init(_ journals: [JournalPart], _ selection: GameStatistics.Selection) {
        self.journals = journals[...]
        games = GameStatistics(selection)
    }

    func begin(_ done: @escaping (Result<GameStatistics, RequestError>) -> Void) {
        guard let journal = journals.popFirst() else { return done(.success(games)) }
        games.beginJournal()
        journal.store.readRecords(upTo: journal.last) {
            [self] (record) throws(GameStatistics.LimitError) in
            try games.take(record)
        } _: { [self] error in
            if let error { return done(.failure(error)) }
            begin(done)
        }
    }
}
