import Durability
import EventLoop
import GameFlow
import Journal
import RPC
import Sessions
import Statistics
import Timers

/// Computes leaderboards from the journal. Each one is kept, and a further request reads only the rows that are new, so that
/// a screen may ask every few seconds.
final class JournalLeaderboards: LeaderboardSource {
    private let groupCommit: GroupCommit
    private let store: any Store
    private let loop: LibeventLoop
    /// The leaderboards in use, the one that was asked for last at the end.
    private var readings: [LeaderboardReading] = []

    /// How many leaderboards are kept. If all of them are being read, another one is refused.
    static let limit = 8
    /// After this time a leaderboard is read from the beginning again: old rows may have been removed from the journal.
    static let oldest = Duration.seconds(3600)

    init(_ groupCommit: GroupCommit, _ store: any Store, on loop: LibeventLoop) {
        (self.groupCommit, self.store, self.loop) = (groupCommit, store, loop)
    }

    private var sessions: Sessions { groupCommit.sessions }

    /// The games are those of the rows that are durable at the time of the request.
    func leaderboard(
        of selection: LeaderboardSelection, mayShow: @escaping (SessionName) -> Bool,
        _ done: @escaping (Result<[Member], RequestError>) -> Void
    ) {
        guard let reading = reading(of: selection) else {
            return done(.failure(.limit(which: "leaderboards", limit: Self.limit)))
        }
        reading.read(upTo: sessions.durableRow) { result in
            done(result.map { Self.members(of: $0, selection, mayShow) })
        }
    }

    /// The reading for a selection, which begins if it does not exist; nil if there are too many.
    private func reading(of selection: LeaderboardSelection) -> LeaderboardReading? {
        let wanted = Leaderboard.Selection(
            flow: selection.flow, end: selection.end, timed: selection.timed)
        let now = loop.timerQueue.now
        readings.removeAll { !$0.isBusy && ($0.hasFailed || now - $0.since > Self.oldest) }
        if let index = readings.firstIndex(where: { $0.selection == wanted }) {
            readings.append(readings.remove(at: index))
        } else {
            if readings.count >= Self.limit {
                guard let idle = readings.firstIndex(where: { !$0.isBusy }) else { return nil }
                readings.remove(at: idle)
            }
            let catalog = sessions.catalog
            readings.append(
                LeaderboardReading(store, wanted, since: now) { catalog.flow(of: $0) })
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

/// One leaderboard, and how far the journal was read for it.
private final class LeaderboardReading {
    let selection: Leaderboard.Selection
    /// When the reading began.
    let since: Instant
    private let store: any Store
    private var leaderboard: Leaderboard
    private var position = 0
    /// What to do when all rows up to a position are read.
    private var waiting: [(Int, (Result<Leaderboard, RequestError>) -> Void)] = []
    private(set) var isBusy = false
    private(set) var hasFailed = false

    init(
        _ store: any Store, _ selection: Leaderboard.Selection, since: Instant,
        flows: @escaping Leaderboard.Flows
    ) {
        (self.store, self.selection, self.since) = (store, selection, since)
        leaderboard = Leaderboard(selection, flows: flows)
    }

    /// Calls `done` when all rows up to `last` are read.
    func read(upTo last: Int, _ done: @escaping (Result<Leaderboard, RequestError>) -> Void) {
        waiting.append((last, done))
        if !isBusy { readOn() }
    }

    private func readOn() {
        let last = waiting.map(\.0).max() ?? 0
        guard position < last else { return answer(.success(leaderboard)) }
        isBusy = true
        store.readRecords(after: position, upTo: last) {
            [self] (record) throws(GameStatistics.LimitError) in
            try leaderboard.take(record)
        } _: { [self] error in
            isBusy = false
            if let error {
                hasFailed = true
                return answer(.failure(error))
            }
            position = last
            readOn()
        }
    }

    private func answer(_ result: Result<Leaderboard, RequestError>) {
        let answered = waiting
        waiting = []
        for (_, done) in answered { done(result) }
    }
}
