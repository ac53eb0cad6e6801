package import GameFlow
package import Sessions
package import Timers

/// Finds the best games of a flow in the records of a journal. The games are ordered by their times, or by a datum of the state
/// in which each game ended.
///
/// Here a game ends with an entry into a final state, or into the state that the selection names. If the session continues
/// from there, another game begins. The same records give the same rows. Data that the flow hides from players are left
/// out, so that anybody may see the rows.
package final class Leaderboard {
    /// The games that the leaderboard finds.
    package struct Selection: Hashable, Sendable {
        package let flow: String
        /// The state that ends a game; nil for the final states.
        package let end: String?
        /// The states whose visits count for the time. If empty, the visits of all states count, except for the state in which the
        /// session was opened.
        package let timed: [String]

        package init(flow: String, end: String? = nil, timed: [String] = []) {
            (self.flow, self.end, self.timed) = (flow, end, timed)
        }
    }

    /// The limits on what the leaderboard holds in memory.
    package struct LeaderboardLimits: Sendable {
        /// The maximum number of games that are remembered.
        package var games = 100_000
        /// The maximum number of selected sessions that are open at the same time.
        package var sessions = 100_000
        /// The approximate maximum number of bytes of the games and their sessions.
        package var bytes = 64 << 20
        /// The maximum number of rows of a question. Of each tally, and of the older games of a session, no more rows are kept.
        package var rows = 100

        package init() {}
    }

    /// Returns a version of a flow; nil if it is not known.
    package typealias Flows = (FlowVersion) -> AnyFlow?

    private let selection: Selection
    private let limits: LeaderboardLimits
    private let flows: Flows
    /// The results of `flows`.
    private var knownFlows: [FlowVersion: AnyFlow?] = [:]
    /// The clock of each journal, by its number.
    private var clocks: [Int: UptimeClock] = [:]
    /// The names of states by number.
    private var states: [String] = []
    /// The open sessions.
    private var open: [SessionName: PlayedSession] = [:]
    /// The closed sessions with games, in the order in which they were closed.
    private var closed: [PlayedSession] = []
    private var gameCount = 0
    /// The approximate number of bytes of the games and their sessions.
    package private(set) var bytes = 0
    /// Increases with each change of what the leaderboard shows.
    package private(set) var version = 0

    /// The maximum number of a session's visits that are remembered. In a game with more visits, only the newest visits count
    /// for the time.
    private static let visitLimit = 4096
    /// The approximate size of a session without its games and labels, in bytes.
    private static let sessionBytes = 400

    package init(
        _ selection: Selection, limits: LeaderboardLimits = LeaderboardLimits(),
        flows: @escaping Flows
    ) {
        (self.selection, self.limits, self.flows) = (selection, limits, flows)
    }

    // MARK: records

    /// Adds the next record of a journal. There may be several journals, such as the shards of a database. Each journal has its
    /// own sessions and starts of the daemon. The records of several journals may be interleaved. Throws if a limit is reached;
    /// the leaderboard must not be used afterwards.
    package func add(
        _ record: SessionRecord, of journal: Int = 0
    ) throws(GameStatistics.LimitError) {
        if case .start(let start) = record.body {
            clocks[journal, default: UptimeClock()].addPause(before: start)
        }
        guard let name = record.session else { return }
        if case .quarantineGivenUp = record.body { close(name) }
        guard case .change(let recorded) = record.body else { return }
        if recorded.kind == .open { close(name) }
        guard recorded.flow == selection.flow else { return }
        try add(recorded, record, of: name, clocks[journal, default: UptimeClock()])
        try updateLatestGame(recorded, name)
        if recorded.kind == .close { close(name) }
    }

    private func add(
        _ recorded: SessionRecord.Status, _ record: SessionRecord, of name: SessionName,
        _ clock: UptimeClock
    ) throws(GameStatistics.LimitError) {
        guard let (effect, stateName) = recorded.visit else { return }
        let state = number(of: stateName)
        let time = clock.time(of: record.at)
        if open[name] == nil {
            guard open.count < limits.sessions else {
                throw .init(which: "leaderboardSessions", limit: limits.sessions)
            }
            open[name] = PlayedSession(
                session: name, openedAt: recorded.openedAt, firstState: state)
            bytes += Self.sessionBytes
        }
        guard let played = open[name] else { return }
        switch effect {
        case .begins:
            _ = played.visits.enter(state, seq: record.seq, at: time)
            // The visits are removed many at a time, because a removal moves the remaining visits.
            if played.visits.past.count >= 2 * Self.visitLimit {
                played.visits.removeOldest(keeping: Self.visitLimit)
            }
            if endsGame(in: stateName, FlowVersion(recorded)) {
                try endGame(in: stateName, record, played)
            }
        case .undoes(let first):
            _ = played.visits.undo(from: first, into: state, seq: record.seq, at: time)
            let (count, oldBytes) = (played.games.recent.count, played.games.bytes)
            played.games.removeGames(from: first)
            gameCount -= count - played.games.recent.count
            bytes += played.games.bytes - oldBytes
            version += 1
        case .continues: played.visits.continuePresent(in: state)
        case .ends: break
        }
    }

    /// Ends the present game of the session, and adds it.
    private func endGame(in state: String, _ record: SessionRecord, _ played: PlayedSession)
        throws(GameStatistics.LimitError)
    {
        guard gameCount < limits.games else {
            throw .init(which: "leaderboardGames", limit: limits.games)
        }
        let previousEnd = played.games.newestSeq
        let timed = selection.timed.compactMap(states.firstIndex(of:))
        var time: Int64 = 0
        for visit in played.visits.past.reversed().prefix(Self.visitLimit) {
            // The visits before belong to earlier games, which may be many.
            guard visit.seq > previousEnd else { break }
            let isTimed =
                selection.timed.isEmpty
                ? visit.state != played.firstState : timed.contains(visit.state)
            guard isTimed else { continue }
            let (sum, overflow) = time.addingReportingOverflow(visit.time)
            time = overflow ? .max : sum
        }
        let game = PlayedGame(
            seq: record.seq, at: record.at, state: state, time: .nanoseconds(time))
        let (count, oldBytes) = (played.games.recent.count, played.games.bytes)
        played.games.add(game, keeping: limits.rows)
        gameCount += played.games.recent.count - count
        try changeBytes(by: played.games.bytes - oldBytes)
        version += 1
    }

    private func changeBytes(by difference: Int) throws(GameStatistics.LimitError) {
        bytes += difference
        guard bytes <= limits.bytes else {
            throw .init(which: "leaderboardBytes", limit: limits.bytes)
        }
    }

    /// Updates the labels of the session and the data of its most recent game. Labels and data may change after the game has
    /// ended. For example, an operator enters a team's name or corrects a score.
    private func updateLatestGame(_ recorded: SessionRecord.Status, _ name: SessionName)
        throws(GameStatistics.LimitError)
    {
        guard let played = open[name] else { return }
        if played.labels != recorded.labels {
            let difference = Self.bytes(of: recorded.labels) - Self.bytes(of: played.labels)
            played.labels = recorded.labels
            version += 1
            try changeBytes(by: difference)
        }
        guard let game = played.games.recent.last, played.visits.present?.seq == game.seq,
            let state = recorded.change.step.to, state.state == game.state
        else { return }
        let oldBytes = played.games.bytes
        played.games.setData(
            ofNewestGame: visibleData(state, FlowVersion(recorded)), keeping: limits.rows)
        version += 1
        try changeBytes(by: played.games.bytes - oldBytes)
    }

    /// The approximate size of labels.
    private static func bytes(of labels: [Member]) -> Int {
        labels.reduce(0) { $0 + 64 + $1.name.utf8.count + ($1.value.text?.utf8.count ?? 0) }
    }

    /// Moves a session to the closed ones, or forgets it if it has no games.
    private func close(_ name: SessionName) {
        guard let played = open.removeValue(forKey: name) else { return }
        played.visits = SessionVisits()
        guard played.games.isEmpty else { return closed.append(played) }
        bytes -= Self.sessionBytes + Self.bytes(of: played.labels) + played.games.bytes
    }

    /// Whether a game ends with the entry into a state of this version of the flow.
    private func endsGame(in state: String, _ version: FlowVersion) -> Bool {
        if let end = selection.end { return state == end }
        return flow(version)?.finals.contains(state) == true
    }

    /// The names of the data that say who played.
    static let playerData = ["team", "player"]

    /// The data of a state that players may see and that a row can show. These are numbers, tallies, and the data that say who
    /// played. A tally is an object with a number for each name. The result is empty if the flow is not known.
    private func visibleData(_ state: StateRecord, _ version: FlowVersion) -> [Member] {
        guard let flow = flow(version) else { return [] }
        return flow.hidden.shown(state).data.filter { datum in
            switch datum.value {
            case .int, .object: true
            case .string: Self.playerData.contains(datum.name)
            case .null, .bool, .array, .unfit: false
            }
        }
    }

    private func flow(_ version: FlowVersion) -> AnyFlow? {
        if let flow = knownFlows[version] { return flow }
        let flow = flows(version)
        knownFlows[version] = .some(flow)
        return flow
    }

    private func number(of state: String) -> Int {
        if let number = states.firstIndex(of: state) { return number }
        states.append(state)
        return states.count - 1
    }

    // MARK: rows

    /// The number by which games are ordered.
    package enum Order: Equatable, Sendable {
        /// The shortest time first.
        case time
        /// The largest number first. The datum may be a tally: an object with a number for each name, such as points by player.
        /// In this case, each name has a row.
        case datum(String)
    }

    /// Selects the games that are shown.
    package struct Filter {
        /// Only games of sessions that were opened at this instant or later; nil for all.
        package var since: Instant?
        /// Leaves out games of sessions that have a label with this name; nil leaves out no game.
        package var without: String?
        /// Whether the rows of a session may be shown.
        package var mayShow: (SessionName) -> Bool

        package init(
            since: Instant? = nil, without: String? = nil,
            mayShow: @escaping (SessionName) -> Bool = { _ in true }
        ) {
            (self.since, self.without, self.mayShow) = (since, without, mayShow)
        }
    }

    /// One row of the leaderboard.
    package struct Row: Equatable, Sendable {
        /// The rank, counted from 1; rows with equal values have the same rank.
        package internal(set) var rank: Int
        package let session: SessionName
        /// The state in which the game ended.
        package let state: String
        /// When the game ended.
        package let at: Instant
        /// The team or player; nil if neither a label nor a datum names one.
        package let name: String?
        /// The session's label `title`.
        package let title: String?
        /// The time in milliseconds, or the number in the datum.
        package let value: Int
    }

    /// The best games, at most `limit`. Among games with equal values, the earlier game is first.
    package func rows(by order: Order, _ filter: Filter, limit: Int) -> [Row] {
        let question = question(by: order, filter, limit: limit)
        question.work { true }
        return question.rows
    }

    /// Begins to find the best games. The leaderboard must not change until the work of the question is done.
    package func question(by order: Order, _ filter: Filter, limit: Int) -> LeaderboardQuestion {
        LeaderboardQuestion(
            closed + open.values, by: order, filter, limit: min(limit, limits.rows))
    }
}

/// A session from its opening to its closing, with its games.
final class PlayedSession {
    let session: SessionName
    let openedAt: Instant
    /// The number of the state in which the session was opened.
    let firstState: Int
    var visits = SessionVisits()
    var games = SessionGames()
    var labels: [Member] = []

    init(session: SessionName, openedAt: Instant, firstState: Int) {
        (self.session, self.openedAt, self.firstState) = (session, openedAt, firstState)
    }
}
