import GameFlow
import Sessions
import Timers

/// A question for the best games, whose work can be divided: with many games it takes longer than a client may hold the loop.
package final class LeaderboardQuestion {
    private let sessions: [PlayedSession]
    private let order: Leaderboard.Order
    private let filter: Leaderboard.Filter
    private let limit: Int
    /// The number of sessions that were considered.
    private var considered = 0
    /// The best rows of these sessions, best first. The rows are not sorted: each row is compared only with the best ones so
    /// far.
    private var best: [Leaderboard.Row] = []

    /// The number of sessions after which `mayContinue` is called.
    private static let sessionsAtOnce = 16

    init(
        _ sessions: [PlayedSession], by order: Leaderboard.Order, _ filter: Leaderboard.Filter,
        limit: Int
    ) {
        (self.sessions, self.order, self.filter, self.limit) = (sessions, order, filter, limit)
    }

    /// Continues the work until it is done or `mayContinue` returns false. Returns whether the work is done.
    @discardableResult package func work(while mayContinue: () -> Bool) -> Bool {
        guard limit > 0 else { return true }
        while considered < sessions.count {
            consider(sessions[considered])
            considered += 1
            if considered % Self.sessionsAtOnce == 0, !mayContinue() { break }
        }
        return considered == sessions.count
    }

    private func consider(_ played: PlayedSession) {
        guard filter.since.map({ played.openedAt >= $0 }) ?? true,
            !played.labels.contains(where: { $0.name == filter.without }),
            filter.mayShow(played.session)
        else { return }
        let (team, title) = (played.labels["team"]?.text, played.labels["title"]?.text)
        played.games.forEachRow(in: order) { row, isTally in
            // Most rows are not among the best, so they are compared before a row is made.
            if best.count >= limit, let last = best.last, isWorse(row.value, than: last.value) {
                return false
            }
            add(
                Leaderboard.Row(
                    rank: 0, session: played.session, state: row.state, at: row.at,
                    name: isTally ? row.name : team ?? row.name, title: title, value: row.value))
            return true
        }
    }

    private func isWorse(_ value: Int, than other: Int) -> Bool {
        order == .time ? value > other : value < other
    }

    private func add(_ row: Leaderboard.Row) {
        guard best.count < limit || best.last.map({ precedes(row, $0) }) == true else { return }
        let index = best.firstIndex { precedes(row, $0) } ?? best.count
        best.insert(row, at: index)
        if best.count > limit { best.removeLast() }
    }

    /// Whether the row `one` comes before the row `other`. Of two rows with equal values, the row of the earlier game comes
    /// first.
    private func precedes(_ one: Leaderboard.Row, _ other: Leaderboard.Row) -> Bool {
        if one.value != other.value { return isWorse(other.value, than: one.value) }
        return (one.at, one.session.text, one.name ?? "")
            < (other.at, other.session.text, other.name ?? "")
    }

    /// The best rows with their ranks, when the work is done.
    package var rows: [Leaderboard.Row] {
        var rows = best
        for index in rows.indices {
            let isEqual = index > 0 && rows[index].value == rows[index - 1].value
            rows[index].rank = isEqual ? rows[index - 1].rank : index + 1
        }
        return rows
    }
}
