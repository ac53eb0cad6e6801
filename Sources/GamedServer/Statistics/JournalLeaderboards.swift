import EventLoop
import GameFlow
import RPC
import Sessions
import Statistics
import Timers

/// Computes leaderboards from the journal, or from those of all shards. Each one is kept, and a further request reads only the
/// rows that are new, so that a screen may ask every few seconds.
final class JournalLeaderboards: LeaderboardSource {
    private let games: any RecordedGames
    private let sessions: Sessions
    private let loop: LibeventLoop
    /// How many sessions had been erased when the leaderboards were begun.
    private var erasures = 0
    /// The leaderboards in use, the one that was asked for last at the end.
    private var readings: [LeaderboardReading] = []

    /// How many leaderboards are kept. If all of them are being read, another one is refused.
    static let limit = 8
    /// After this time a leaderboard is read from the beginning again: old rows may have been removed from the journal.
    static let oldest = Duration.seconds(3600)

    /// `sessions` have the flows.
    init(_ games: any RecordedGames, _ sessions: Sessions, on loop: LibeventLoop) {
        (self.games, self.sessions, self.loop) = (games, sessions, loop)
    }

    /// The games are those of the rows that are durable at the time of the request.
    func leaderboard(
        of selection: LeaderboardSelection, mayShow: @escaping (SessionName) -> Bool,
        _ done: @escaping (Result<[Member], RequestError>) -> Void
    ) {
        games.find { [unowned self] result in
            switch result {
            case .failure(let error): done(.failure(error))
            case .success(let rows):
                forgetErased(rows)
                guard let reading = reading(of: selection) else {
                    return done(.failure(.limit(which: "leaderboards", limit: Self.limit)))
                }
                reading.read(rows.parts) { result in
                    done(result.map { Self.members(of: $0, selection, mayShow) })
                }
            }
        }
    }

    /// Begins all leaderboards from the beginning if a session was erased: they may show it.
    private func forgetErased(_ rows: RecordedRows) {
        guard exchange(&erasures, with: rows.erasures) != rows.erasures else { return }
        for reading in readings { reading.isOutdated = true }
    }

    /// The reading for a selection, which begins if it does not exist; nil if there are too many.
    private func reading(of selection: LeaderboardSelection) -> LeaderboardReading? {
        let wanted = Leaderboard.Selection(
            flow: selection.flow, end: selection.end, timed: selection.timed)
        let now = loop.timerQueue.now
        readings.removeAll { !$0.isBusy && ($0.isOutdated || now - $0.since > Self.oldest) }
        if let index = readings.firstIndex(where: { $0.selection == wanted && !$0.isOutdated }) {
            readings.append(readings.remove(at: index))
        } else {
            if readings.count >= Self.limit {
                guard let idle = readings.firstIndex(where: { !$0.isBusy }) else { return nil }
                readings.remove(at: idle)
            }
            let catalog = sessions.catalog
            readings.append(
                LeaderboardReading(wanted, since: now) { catalog.flow(of: $0) })
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

/// One leaderboard, and how far the journals were read for it.
private final class LeaderboardReading {
    let selection: Leaderboard.Selection
    /// When the reading began.
    let since: Instant
    private var leaderboard: Leaderboard
    /// The newest row of each journal that was read, by the journal's number.
    private var positions: [Int: Int] = [:]
    /// The work to do when all rows of journals are read.
    private var waiting: [([JournalPart], (Result<Leaderboard, RequestError>) -> Void)] = []
    private(set) var isBusy = false
    /// Whether a further request needs another reading: this one has failed, or has rows that were erased.
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
        if !isBusy { readOn() }
    }

    private func readOn() {
        let parts = waiting.lazy.flatMap(\.0)
        guard let part = parts.first(where: { self.positions[$0.number, default: 0] < $0.last })
        else { return answer(.success(leaderboard)) }
        isBusy = true
        part.readRecords(after: positions[part.number, default: 0]) {
            [self] (record) throws(GameStatistics.LimitError) in
            try leaderboard.take(record, of: part.number)
        } _: { [self] _, error in
            isBusy = false
            if let error {
                isOutdated = true
                return answer(.failure(error))
            }
            positions[part.number] = part.last
            readOn()
        }
    }

    private func answer(_ result: Result<Leaderboard, RequestError>) {
        let answered = waiting
        waiting = []
        for (_, done) in answered { done(result) }
    }
}
