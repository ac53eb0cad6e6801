import Durability
import GameFlow
import Journal
import RPC
import Sessions
import Statistics
import Timers

/// Computes statistics from the journal, a page at a time: between two pages the loop serves its clients.
final class JournalStatistics: StatisticsSource {
    private let groupCommit: GroupCommit
    private let store: any Store
    /// The statistics that are being computed.
    private var reading: StatisticsReading?

    /// How many statistics are computed at the same time; a further request is refused.
    private static let limit = 1

    init(_ groupCommit: GroupCommit, _ store: any Store) {
        (self.groupCommit, self.store) = (groupCommit, store)
    }

    private var sessions: Sessions { groupCommit.sessions }

    /// The statistics are those of the rows that are durable at the time of the request.
    func statistics(
        of selection: StatisticsSelection,
        _ done: @escaping (Result<[Member], RequestError>) -> Void
    ) {
        guard reading == nil else {
            return done(.failure(.limit(which: "statistics", limit: Self.limit)))
        }
        let reading = StatisticsReading(
            store, .init(flow: selection.flow, since: selection.since, without: selection.without),
            upTo: sessions.durableRow)
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

/// One reading of the journal from its first row to a given one.
private final class StatisticsReading {
    private let store: any Store
    private let last: Int
    private var games: GameStatistics

    init(_ store: any Store, _ selection: GameStatistics.Selection, upTo last: Int) {
        (self.store, self.last) = (store, last)
        games = GameStatistics(selection)
    }

    func begin(_ done: @escaping (Result<GameStatistics, RequestError>) -> Void) {
        store.readRecords(upTo: last) { [self] (record) throws(GameStatistics.LimitError) in
            try games.take(record)
        } _: { [self] error in
            done(error.map { .failure($0) } ?? .success(games))
        }
    }
}
