import EventLoop
import GameFlow
import RPC
import Sessions
import Statistics
import Timers

/// Computes leaderboards from the journal, or from the journals of all shards. It keeps the most recently requested ones. A
/// further request for a kept leaderboard reads only new rows, so that a screen can ask every few seconds.
final class JournalLeaderboards: LeaderboardSource {
    private let journals: any RecordedGames
    private let sessions: Sessions
    private let loop: LibeventLoop
    /// The number of erased sessions at the most recent request. If it changes, all leaderboards are outdated.
    private var erasures = 0
    /// The leaderboards that are kept, in the order of their most recent requests.
    private var readings: [LeaderboardReading] = []

    /// How many leaderboards are kept. If all of them are being read, another one is refused.
    static let limit = 8
    /// After this time a leaderboard is read from the beginning again: old rows may have been removed from the journal.
    static let maximumAge = Duration.seconds(3600)

    /// `sessions` provides the catalog of flows.
    init(_ journals: any RecordedGames, _ sessions: Sessions, on loop: LibeventLoop) {
        (self.journals, self.sessions, self.loop) = (journals, sessions, loop)
    }

    /// Computes a leaderboard from the rows that are durable at the time of the request.
    func leaderboard(
        of selection: LeaderboardSelection, mayShow: @escaping (SessionName) -> Bool,
        _ done: @escaping (Result<[Member], RequestError>) -> Void
    ) {
        journals.find { [unowned self] result in
            switch result {
            case .failure(let error): done(.failure(error))
            case .success(let rows):
                outdateIfSessionWasErased(rows)
                guard let reading = reading(of: selection) else {
                    return done(.failure(.limit(which: "leaderboards", limit: Self.limit)))
                }
                reading.read(rows.parts) { result in
                    done(result.map { Self.members(of: $0, selection, mayShow) })
                }
            }
        }
    }

    /// Marks all leaderboards as outdated if a session was erased, because they may show it.
    private func outdateIfSessionWasErased(_ rows: RecordedRows) {
        guard exchange(&erasures, with: rows.erasures) != rows.erasures else { return }
        for reading in readings { reading.isOutdated = true }
    }

    /// Returns the reading for a selection, and makes one if necessary; nil if all kept readings are busy.
    private func reading(of selection: LeaderboardSelection) -> LeaderboardReading? {
        let gameSelection = Leaderboard.Selection(
            flow: selection.flow, end: selection.end, timed: selection.timed)
        let now = loop.timerQueue.now
        readings.removeAll { !$0.isBusy && ($0.isOutdated || now - $0.since > Self.maximumAge) }
        if let index = readings.firstIndex(where: {
            $0.selection == gameSelection && !$0.isOutdated
        }) {
            readings.append(readings.remove(at: index))
        } else {
            if readings.count >= Self.limit {
                guard let idleIndex = readings.firstIndex(where: { !$0.isBusy }) else { return nil }
                readings.remove(at: idleIndex)
            }
            let catalog = sessions.catalog
            readings.append(
                LeaderboardReading(gameSelection, since: now) { catalog.flow(of: $0) })
        }
        return readings.last
    }

    private static func members(
        of leaderboard: Leaderboard, _ selection: LeaderboardSelection,
        _ mayShow: @escaping (SessionName) -> Bool
    ) -> [Member] {
        let rows = leaderboard.rows(
            by: selection.datum.map { .datum($0) } ?? .time,
            .init(since: selection.since, without: selection.without, mayShow: mayShow),
            limit: selection.limit)
        return [
            Member("flow", selection.flow), Member("by", selection.datum ?? "time"),
            Member("rows", .array(rows.map { .object(members(of: $0)) })),
        ]
    }

    private static func members(of row: Leaderboard.Row) -> [Member] {
        let members: [Member?] = [
            Member("rank", row.rank), row.name.map { Member("name", $0) },
            row.title.map { Member("title", $0) }, Member("value", row.value),
            Member("state", row.state), Member("session", row.session.text),
            Member("atMs", Int(row.at.milliseconds)), Member("time", Timestamp.text(row.at)),
        ]
        return members.compactMap(\.self)
    }
}

/// One leaderboard, and the position in each journal up to which it was computed.
private final class LeaderboardReading {
    let selection: Leaderboard.Selection
    /// When the reading began.
    let since: Instant
    private var leaderboard: Leaderboard
    /// For each journal, by its number: the position of the newest row that was read.
    private var positions: [Int: Int] = [:]
    /// The requests, each with the journals to read for it and its completion handler.
    private var waiting: [([JournalPart], (Result<Leaderboard, RequestError>) -> Void)] = []
    private(set) var isBusy = false
    /// Whether a further request needs a new reading, because this one has failed or may contain rows that were erased.
    var isOutdated = false

    init(
        _ selection: Leaderboard.Selection, since: Instant, flows: @escaping Leaderboard.Flows
    ) {
        (self.selection, self.since) = (selection, since)
        leaderboard = Leaderboard(selection, flows: flows)
    }

    /// Calls `done` when all rows of these journals are read.
    func read(
        _ parts: [JournalPart], _ done: @escaping (Result<Leaderboard, RequestError>) -> Void
    ) {
        waiting.append((parts, done))
        if !isBusy { readNextJournal() }
    }

    private func readNextJournal() {
        let parts = waiting.lazy.flatMap(\.0)
        guard let part = parts.first(where: { self.positions[$0.number, default: 0] < $0.last })
        else { return answer(.success(leaderboard)) }
        isBusy = true
        part.readRecords(after: positions[part.number, default: 0]) {
            [self] (record) throws(GameStatistics.LimitError) in
            try leaderboard.add(record, of: part.number)
        } _: { [self] _, error in
            isBusy = false
            if let error {
                isOutdated = true
                return answer(.failure(error))
            }
            positions[part.number] = part.last
            readNextJournal()
        }
    }

    private func answer(_ result: Result<Leaderboard, RequestError>) {
        let answeredRequests = waiting
        waiting = []
        for (_, done) in answeredRequests { done(result) }
    }
}
