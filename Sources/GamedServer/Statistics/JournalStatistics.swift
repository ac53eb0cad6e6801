import GameFlow
import RPC
import Sessions
import Statistics
import Timers

/// Computes statistics from the journal, or from the journals of all shards. It reads one page at a time, and between two
/// pages the loop serves clients.
final class JournalStatistics: StatisticsSource {
    private let sessions: Sessions
    /// Finds the parts of the journals that record games.
    private let journals: any RecordedGames
    private var isBusy = false

    /// How many requests are served at the same time; a further request is refused.
    private static let limit = 1

    /// `sessions` provides the catalog of flows.
    init(_ journals: any RecordedGames, _ sessions: Sessions) {
        (self.journals, self.sessions) = (journals, sessions)
    }

    /// Computes statistics from the rows that are durable at the time of the request.
    func statistics(
        of selection: StatisticsSelection,
        _ done: @escaping (Result<[Member], RequestError>) -> Void
    ) {
        guard !isBusy else {
            return done(.failure(.limit(which: "statistics", limit: Self.limit)))
        }
        isBusy = true
        let finish = { [unowned self] (result: Result<GameStatistics, RequestError>) in
            isBusy = false
            done(result.flatMap { members($0, selection) })
        }
        journals.find { result in
            switch result {
            case .failure(let error): finish(.failure(error))
            case .success(let rows):
                let gameSelection = GameStatistics.Selection(
                    flow: selection.flow, since: selection.since, without: selection.without)
                StatisticsReading(rows.parts, gameSelection).begin(finish)
            }
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

/// Reads journals, one after the other, and counts their games.
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
        journal.readRecords { [self] (record) throws(GameStatistics.LimitError) in
            try games.add(record)
        } _: { [self] _, error in
            if let error { return done(.failure(error)) }
            begin(done)
        }
    }
}
