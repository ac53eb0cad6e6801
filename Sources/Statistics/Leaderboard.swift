package import GameFlow
package import Sessions
package import Timers

/// Finds the best games of a flow in the records of a journal. The games are ordered by their times, or by a datum of the state
/// in which each game ended.
///
/// Here a game ends with an entry into a final state, or into the state that the selection names. If the session continues
/// from there, another game begins. The same records give the same rows. Data that the flow hides from players are left
/// out, so that anybody may see the rows.
package struct Leaderboard {
    /// The games that the leaderboard finds.
    package struct Selection: Hashable, Sendable {
        package let flow: String
        /// The state that ends a game; nil for the final states.
        package let end: String?
        /// The state whose visits count for the time. If nil, the visits of all states count, except for the state in which the
        /// session was opened.
        package let timed: String?

        package init(flow: String, end: String? = nil, timed: String? = nil) {
            (self.flow, self.end, self.timed) = (flow, end, timed)
        }
    }

    /// The limits on what the leaderboard holds in memory.
    package struct LeaderboardLimits: Sendable {
        /// The maximum number of games that are remembered.
        package var games = 100_000
        /// The maximum number of selected sessions that are open at the same time.
        package var sessions = 100_000

        package init() {}
    }

    /// A game that ended.
    private struct Game {
        /// The number of the change that ended the game.
        let seq: Int
        /// When the game ended.
        let at: Instant
        /// The state in which the game ended.
        let state: String
        /// The total time of the visits that count.
        let time: Duration
        /// The data of that state that a row can show.
        var data: [Member] = []
    }

    /// A session from its opening to its closing, with its games.
    private struct PlayedSession {
        let session: SessionName
        let openedAt: Instant
        /// The number of the state in which the session was opened.
        let firstState: Int
        var visits = SessionVisits()
        var games: [Game] = []
        var labels: [Member] = []
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

    /// The maximum number of a session's visits that are remembered. In a game with more visits, only the newest visits count
    /// for the time.
    private static let visitLimit = 4096

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
    package mutating func add(
        _ record: SessionRecord, of journal: Int = 0
    ) throws(GameStatistics.LimitError) {
        if case .start(let start) = record.body {
            clocks[journal, default: UptimeClock()].addPause(before: start)
        }
        guard let name = record.session else { return }
        if case .quarantineGivenUp = record.body { close(name) }
        guard case .change(let changed) = record.body else { return }
        if changed.recordedStep.step.kind == .open { close(name) }
        guard changed.status.flow == selection.flow else { return }
        if let step = VisitStep(record) {
            try add(step, changed, clocks[journal, default: UptimeClock()])
        }
        updateLatestGame(changed, name)
        if changed.recordedStep.step.kind == .close { close(name) }
    }

    private mutating func add(
        _ step: VisitStep, _ changed: SessionRecord.Changed, _ clock: UptimeClock
    ) throws(GameStatistics.LimitError) {
        let name = step.session
        let state = number(of: step.state)
        let time = clock.time(of: step.at)
        if open[name] == nil {
            guard open.count < limits.sessions else {
                throw .init(which: "leaderboardSessions", limit: limits.sessions)
            }
            open[name] = PlayedSession(
                session: name, openedAt: changed.status.openedAt, firstState: state)
        }
        switch step.action {
        case .enter:
            _ = open[name]?.visits.enter(state, seq: step.seq, at: time)
            open[name]?.visits.removeOldest(keeping: Self.visitLimit)
            if endsGame(step) { try endGame(step) }
        case .undo(let first):
            _ = open[name]?.visits.undo(from: first, into: state, seq: step.seq, at: time)
            while let last = open[name]?.games.last, last.seq >= first {
                open[name]?.games.removeLast()
                gameCount -= 1
            }
        // The session continues with another version of its flow.
        case .move: open[name]?.visits.move(to: state)
        case .close: break
        }
    }

    /// Ends the present game of the session, and adds it.
    private mutating func endGame(_ step: VisitStep) throws(GameStatistics.LimitError) {
        guard let played = open[step.session] else { return }
        guard gameCount < limits.games else {
            throw .init(which: "leaderboardGames", limit: limits.games)
        }
        let previousEnd = played.games.last?.seq ?? 0
        let timed = selection.timed.flatMap(states.firstIndex(of:))
        var time: Int64 = 0
        for visit in played.visits.past where visit.seq > previousEnd {
            let isTimed =
                selection.timed == nil
                ? visit.state != played.firstState : visit.state == timed
            guard isTimed else { continue }
            let (sum, overflow) = time.addingReportingOverflow(visit.time)
            time = overflow ? .max : sum
        }
        gameCount += 1
        open[step.session]?.games.append(
            Game(seq: step.seq, at: step.at, state: step.state, time: .nanoseconds(time)))
    }

    /// Updates the labels of the session and the data of its most recent game. Labels and data may change after the game has
    /// ended. For example, an operator enters a team's name or corrects a score.
    private mutating func updateLatestGame(_ changed: SessionRecord.Changed, _ name: SessionName) {
        guard let played = open[name] else { return }
        open[name]?.labels = changed.status.labels
        guard let game = played.games.last, played.visits.present?.seq == game.seq,
            let state = changed.recordedStep.step.to, state.state == game.state
        else { return }
        let data = visibleData(state, FlowVersion(changed.status))
        open[name]?.games[played.games.count - 1].data = data
    }

    /// Moves a session to the closed ones, or forgets it if it has no games.
    private mutating func close(_ name: SessionName) {
        guard var played = open.removeValue(forKey: name), !played.games.isEmpty else { return }
        played.visits = SessionVisits()
        closed.append(played)
    }

    /// Whether a game ends with the entry into the state of this step.
    private mutating func endsGame(_ step: VisitStep) -> Bool {
        if let end = selection.end { return step.state == end }
        return flow(step.version)?.finals.contains(step.state) == true
    }

    /// The names of the data that say who played.
    private static let playerData = ["team", "player"]

    /// The data of a state that players may see and that a row can show. These are numbers, tallies, and the data that say who
    /// played. A tally is an object with a number for each name. The result is empty if the flow is not known.
    private mutating func visibleData(_ state: StateRecord, _ version: FlowVersion) -> [Member] {
        guard let flow = flow(version) else { return [] }
        return (flow.hidden?.visible(state) ?? state).data.filter { datum in
            switch datum.value {
            case .int, .object: true
            case .string: Self.playerData.contains(datum.name)
            case .null, .bool, .array, .unfit: false
            }
        }
    }

    private mutating func flow(_ version: FlowVersion) -> AnyFlow? {
        if let flow = knownFlows[version] { return flow }
        let flow = flows(version)
        knownFlows[version] = .some(flow)
        return flow
    }

    private mutating func number(of state: String) -> Int {
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
        let matching = (closed + open.values).filter { played in
            filter.since.map { played.openedAt >= $0 } ?? true
                && !played.labels.contains { $0.name == filter.without }
                && filter.mayShow(played.session)
        }
        // This runs on the loop's thread for each request. To save time the games are not sorted: each game is compared only
        // with the best ones so far.
        var best: [Row] = []
        for played in matching {
            for game in played.games {
                for row in Self.rows(of: game, played, order) {
                    guard
                        best.count < limit
                            || best.last.map({ Self.precedes(row, $0, order) }) == true
                    else { continue }
                    let index = best.firstIndex { Self.precedes(row, $0, order) } ?? best.count
                    best.insert(row, at: index)
                    if best.count > limit { best.removeLast() }
                }
            }
        }
        for index in best.indices {
            let isEqual = index > 0 && best[index].value == best[index - 1].value
            best[index].rank = isEqual ? best[index - 1].rank : index + 1
        }
        return best
    }

    /// Whether the row `one` comes before the row `other`. Of two rows with equal values, the row of the earlier game comes
    /// first.
    private static func precedes(_ one: Row, _ other: Row, _ order: Order) -> Bool {
        if one.value != other.value { return (one.value < other.value) == (order == .time) }
        return (one.at, one.session.text, one.name ?? "")
            < (other.at, other.session.text, other.name ?? "")
    }

    private static func rows(of game: Game, _ played: PlayedSession, _ order: Order) -> [Row] {
        func row(_ name: String?, _ value: Int) -> Row {
            Row(
                rank: 0, session: played.session, state: game.state, at: game.at, name: name,
                title: played.labels["title"]?.text, value: value)
        }
        let team =
            played.labels["team"]?.text ?? playerData.lazy.compactMap { game.data[$0]?.text }.first
        switch order {
        case .time: return [row(team, Int(game.time.milliseconds))]
        case .datum(let name):
            switch game.data[name] {
            case .int(let number)?: return [row(team, number)]
            case .object(let members)?:
                return members.compactMap { member in
                    guard case .int(let number) = member.value else { return nil }
                    return row(member.name, number)
                }
            default: return []
            }
        }
    }
}
