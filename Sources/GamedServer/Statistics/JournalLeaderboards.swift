import EventLoop
import GameFlow
import RPC
import Sessions
import Statistics
import Timers

/// Computes leaderboards from the journal, or from the journals of all shards, for the method `leaderboard`. Keeps the
/// leaderboards that were requested most recently. When a kept leaderboard is requested again, only new rows are read, so a
/// screen can ask every few seconds. All calls are on the loop's thread.
final class JournalLeaderboards: LeaderboardSource {
    /// Finds the rows from which leaderboards are computed.
    private let journals: any RecordedGames
    private let sessions: Sessions
    private let loop: LibeventLoop
    /// The number of erased sessions at the most recent request. If it changes, all leaderboards are outdated.
    private var erasures = 0
    /// The leaderboards that are kept, in the order of their most recent requests: the last was requested last.
    private var readings: [LeaderboardReading] = []

    /// How many leaderboards are kept. If all of them are being read, a request for a leaderboard that is not kept is refused.
    static let limit = 8
    /// After this time a leaderboard is read from the beginning again: old rows may have been removed from the journal.
    static let maximumAge = Duration.seconds(3600)

    /// `sessions` provides the catalog of flows.
    init(_ journals: any RecordedGames, _ sessions: Sessions, on loop: LibeventLoop) {
        (self.journals, self.sessions, self.loop) = (journals, sessions, loop)
    }

    /// Computes a leaderboard from the rows that are durable at the time of the request. Calls `done` once, immediately or
    /// later.
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

    /// Returns the reading for a selection, and makes one if necessary. If there are already `limit` readings, the new reading
    /// replaces the idle one whose most recent request is oldest. Returns nil if none is idle.
    private func reading(of selection: LeaderboardSelection) -> LeaderboardReading? {
        let gameSelection = Leaderboard.Selection(
            flow: selection.flow, end: selection.endState, timed: selection.timedState)
        let now = loop.timerQueue.now
        readings.removeAll { !$0.isBusy && ($0.isOutdated || now - $0.startTime > Self.maximumAge) }
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
                LeaderboardReading(gameSelection, startTime: now) { catalog.flow(of: $0) })
        }
        return readings.last
    }

    /// The members of the result of the method `leaderboard`.
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
    /// When the reading began, on the loop's clock.
    let startTime: Instant
    private var leaderboard: Leaderboard
    /// For each journal, by its number: the position of the newest row that was read.
    private var positions: [Int: Int] = [:]
    /// The requests that are not answered yet. Each request has the parts of the journals that must be read for it.
    private var waitingRequests:
        [(parts: [JournalPart], done: (Result<Leaderboard, RequestError>) -> Void)] = []
    /// Whether rows are being read.
    private(set) var isBusy = false
    /// Whether a further request needs a new reading. This reading has failed, or it may contain rows that were erased.
    var isOutdated = false

    /// `flows` returns the flow of a version, which tells the final states.
    init(
        _ selection: Leaderboard.Selection, startTime: Instant, flows: @escaping Leaderboard.Flows
    ) {
        (self.selection, self.startTime) = (selection, startTime)
        leaderboard = Leaderboard(selection, flows: flows)
    }

    /// Calls `done` when all rows of these journals are read.
    func read(
        _ parts: [JournalPart], _ done: @escaping (Result<Leaderboard, RequestError>) -> Void
    ) {
        waitingRequests.append((parts, done))
        if !isBusy { readNextJournal() }
    }

    /// Reads the next journal with rows that a waiting request needs. If no waiting request needs more rows, answers all
    /// requests.
    private func readNextJournal() {
        let parts = waitingRequests.lazy.flatMap(\.parts)
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

    /// Answers all waiting requests with the same result.
    private func answer(_ result: Result<Leaderboard, RequestError>) {
        let answeredRequests = waitingRequests
        waitingRequests = []
        for request in answeredRequests { request.done(result) }
    }
}
