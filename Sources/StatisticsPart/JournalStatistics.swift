package import GameFlow
import RPC
package import Sessions
package import Statistics
import Timers

/// Computes statistics from the journal, or from the journals of all shards, for the method `stats`. It reads one page at
/// a time, and between two pages the loop serves clients. All calls are on the loop's thread.
package final class JournalStatistics {
    private let sessions: Sessions
    /// Finds the rows from which statistics are computed.
    private let journals: any RecordedGames
    /// Whether a request is being served.
    private var isBusy = false

    /// How many requests are served at the same time; a further request is refused.
    private static let limit = 1

    /// `sessions` provides the catalog of flows.
    package init(_ journals: any RecordedGames, _ sessions: Sessions) {
        (self.journals, self.sessions) = (journals, sessions)
    }

    /// Computes statistics from the rows that are durable at the time of the request. Calls `done` once, immediately or later.
    package func statistics(
        of selection: GameStatistics.Selection,
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
        let catalog = sessions.catalog
        journals.find { result in
            switch result {
            case .failure(let error): finish(.failure(error))
            case .success(let rows):
                StatisticsReading(rows.parts, selection, catalog).readRemaining(finish)
            }
        }
    }

    /// The members of the result of the method `statistics`. An error if the journal has no game of the selected flow, and the
    /// catalog does not have that flow.
    private func members(_ games: GameStatistics, _ selection: GameStatistics.Selection)
        -> Result<[Member], RequestError>
    {
        let report = games.report(sessions.catalog.flow(of:))
        if let flow = selection.flow, report.flows.isEmpty {
            // Throws if no flow has this name.
            do throws(RequestError) { _ = try sessions.flow(flow) } catch {
                return .failure(error)
            }
        }
        return .success(
            selection.members(zone: sessions.wallClock.zoneName)
                + report.members(recordsRefusals: sessions.auditsRefusals))
    }
}

/// Reads journals one at a time, and counts their games.
private final class StatisticsReading {
    /// The parts of journals that are not read yet.
    private var remainingParts: ArraySlice<JournalPart>
    private var games: GameStatistics

    init(
        _ parts: [JournalPart], _ selection: GameStatistics.Selection, _ catalog: FlowCatalog
    ) {
        remainingParts = parts[...]
        games = GameStatistics(selection, hintEvents: catalog.hintEvents(of:))
    }

    /// Reads the remaining parts, and calls `done` once, immediately or later. The callbacks retain this object until then.
    func readRemaining(_ done: @escaping (Result<GameStatistics, RequestError>) -> Void) {
        guard let part = remainingParts.popFirst() else { return done(.success(games)) }
        games.beginJournal()
        part.readRecords { [self] (record) throws(GameStatistics.LimitError) in
            try games.add(record)
        } _: { [self] _, error in
            if let error { return done(.failure(error)) }
            readRemaining(done)
        }
    }
}
