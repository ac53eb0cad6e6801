package import GameFlow
package import Sessions
package import Timers

/// The best games of a flow: takes the records of a journal in order, and returns the games by their times or by a datum.
///
/// A game here ends with an entry into a final state, or into the state that the selection names; a session that plays
/// on from there plays another game. The same records give the same rows. The data that the flow hides from players are
/// left out, so that every audience may see the rows.
package struct Leaderboard {
    package struct Selection: Hashable, Sendable {
        package let flow: String
        /// The state that ends a game; nil for the final states.
        package let end: String?
        /// The state whose visits are timed; nil for all states but the one in which the session was opened.
        package let timed: String?

        package init(flow: String, end: String? = nil, timed: String? = nil) {
            (self.flow, self.end, self.timed) = (flow, end, timed)
        }
    }

    package struct LeaderboardLimits: Sendable {
        /// The number of games that are remembered.
        package var games = 100_000
        /// The number of selected sessions that are open at the same time.
        package var sessions = 100_000

        package init() {}
    }

    /// A game that ended.
    private struct Game {
        /// The number of the change that entered the last state, and when.
        let seq: Int
        let at: Instant
        let state: String
        let time: Duration
        var data: [Member] = []
    }

    /// A session from its opening to its closing, with its games.
    private struct Run {
        let session: SessionName
        let openedAt: Instant
        /// The number of the state in which it was opened.
        let opening: Int
        var visits = SessionVisits()
        var games: [Game] = []
        var labels: [Member] = []
    }

    /// Returns a version of a flow; nil if it is not known.
    package typealias Flows = (FlowVersion) -> AnyFlow?

    private let selection: Selection
    private let limits: LeaderboardLimits
    private let flows: Flows
    private var known: [FlowVersion: AnyFlow?] = [:]
    /// The clock of each journal, by its number.
    private var clocks: [Int: UptimeClock] = [:]
    /// The names of states by number.
    private var states: [String] = []
    private var open: [SessionName: Run] = [:]
    /// The closed sessions that had games, in the order of their closings.
    private var closed: [Run] = []
    private var gameCount = 0

    /// How many visits of a session are kept: a game with more visits than these is timed by its last ones.
    private static let visitsKept = 4096

    package init(
        _ selection: Selection, limits: LeaderboardLimits = LeaderboardLimits(),
        flows: @escaping Flows
    ) {
        (self.selection, self.limits, self.flows) = (selection, limits, flows)
    }

    // MARK: records

    /// Takes the next record of a journal. Several journals have different sessions, and starts of their own, as the shards of
    /// a database have; their records may come in any order. Throws if a limit is reached; the leaderboard is then of no use.
    package mutating func take(
        _ record: SessionRecord, of journal: Int = 0
    ) throws(GameStatistics.LimitError) {
        if case .start(let start) = record.body {
            clocks[journal, default: UptimeClock()].take(start)
        }
        guard let name = record.session else { return }
        if case .givenUp = record.body { close(name) }
        guard case .change(let changed) = record.body else { return }
        if changed.did.step.kind == .open { close(name) }
        guard changed.status.flow == selection.flow else { return }
        if let step = VisitStep(record) {
            try take(step, changed, clocks[journal, default: UptimeClock()])
        }
        update(changed, name)
        if changed.did.step.kind == .close { close(name) }
    }

    private mutating func take(
        _ step: VisitStep, _ changed: SessionRecord.Changed, _ clock: UptimeClock
    ) throws(GameStatistics.LimitError) {
        let name = step.session
        let state = number(of: step.state)
        let time = clock.time(of: step.at)
        if open[name] == nil {
            guard open.count < limits.sessions else {
                throw .init(which: "leaderboardSessions", limit: limits.sessions)
            }
            open[name] = Run(session: name, openedAt: changed.status.openedAt, opening: state)
        }
        switch step.action {
        case .enter:
            _ = open[name]?.visits.enter(state, seq: step.seq, at: time)
            open[name]?.visits.keep(Self.visitsKept)
            if ends(step) { try end(step) }
        case .undo(let first):
            _ = open[name]?.visits.undo(from: first, into: state, seq: step.seq, at: time)
            while let last = open[name]?.games.last, last.seq >= first {
                open[name]?.games.removeLast()
                gameCount -= 1
            }
        case .move: open[name]?.visits.move(to: state)
        case .close: break
        }
    }

    /// A game of the session ends.
    private mutating func end(_ step: VisitStep) throws(GameStatistics.LimitError) {
        guard let run = open[step.session] else { return }
        guard gameCount < limits.games else {
            throw .init(which: "leaderboardGames", limit: limits.games)
        }
        let before = run.games.last?.seq ?? 0
        let timed = selection.timed.flatMap(states.firstIndex(of:))
        var time: Int64 = 0
        for visit in run.visits.past where visit.seq > before {
            guard selection.timed == nil ? visit.state != run.opening : visit.state == timed else {
                continue
            }
            let (sum, overflow) = time.addingReportingOverflow(visit.time)
            time = overflow ? .max : sum
        }
        gameCount += 1
        open[step.session]?.games.append(
            Game(seq: step.seq, at: step.at, state: step.state, time: .nanoseconds(time)))
    }

    /// Notes labels and data, also those that came after a game's end, such as a team's name or a corrected score.
    private mutating func update(_ changed: SessionRecord.Changed, _ name: SessionName) {
        guard let run = open[name] else { return }
        open[name]?.labels = changed.status.labels
        guard let game = run.games.last, run.visits.present?.seq == game.seq,
            let place = changed.did.step.to, place.state == game.state
        else { return }
        let data = visible(place, FlowVersion(changed.status))
        open[name]?.games[run.games.count - 1].data = data
    }

    private mutating func close(_ name: SessionName) {
        guard var run = open.removeValue(forKey: name), !run.games.isEmpty else { return }
        run.visits = SessionVisits()
        closed.append(run)
    }

    private mutating func ends(_ step: VisitStep) -> Bool {
        if let end = selection.end { return step.state == end }
        return flow(step.version)?.finals.contains(step.state) == true
    }

    /// The data that name the players.
    private static let names = ["team", "player"]

    /// The data of a state that players may see and that a row can show: numbers, tallies and who played; none if the flow is
    /// not known.
    private mutating func visible(_ place: StateRecord, _ version: FlowVersion) -> [Member] {
        guard let flow = flow(version) else { return [] }
        return (flow.hidden?.visible(place) ?? place).data.filter { datum in
            switch datum.value {
            case .int, .object: true
            case .string: Self.names.contains(datum.name)
            case .null, .bool, .array, .unfit: false
            }
        }
    }

    private mutating func flow(_ version: FlowVersion) -> AnyFlow? {
        if let flow = known[version] { return flow }
        let flow = flows(version)
        known[version] = .some(flow)
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
        /// The largest number first. If the datum is a tally, each of its entries is a row.
        case datum(String)
    }

    /// The games that are shown.
    package struct Filter {
        /// Only games of sessions that were opened at this instant or later; nil for all.
        package var since: Instant?
        /// Leaves out games with a label of this name.
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

    package struct Row: Equatable, Sendable {
        /// From 1; equal values have the same rank.
        package internal(set) var rank: Int
        package let session: SessionName
        /// The state in which the game ended, and when.
        package let state: String
        package let at: Instant
        /// Who played; nil if nothing says it.
        package let name: String?
        /// The session's label `title`.
        package let title: String?
        /// Milliseconds, or the number of the datum.
        package let value: Int
    }

    /// The best games, at most `limit`. Of equal ones the earlier is first.
    package func rows(by order: Order, _ filter: Filter, limit: Int) -> [Row] {
        let shown = (closed + open.values).filter { run in
            filter.since.map { run.openedAt >= $0 } ?? true
                && !run.labels.contains { $0.name == filter.without }
                && filter.mayShow(run.session)
        }
        // The loop's thread does this for each request, so all games are not sorted, only compared with the last of the best.
        var best: [Row] = []
        for run in shown {
            for game in run.games {
                for row in Self.rows(of: game, run, order) {
                    guard
                        best.count < limit
                            || best.last.map({ Self.precedes(row, $0, order) }) == true
                    else { continue }
                    let place = best.firstIndex { Self.precedes(row, $0, order) } ?? best.count
                    best.insert(row, at: place)
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

    /// Whether a row comes before another one. Of rows with equal values the earlier one does.
    private static func precedes(_ one: Row, _ other: Row, _ order: Order) -> Bool {
        if one.value != other.value { return (one.value < other.value) == (order == .time) }
        return (one.at, one.session.text, one.name ?? "")
            < (other.at, other.session.text, other.name ?? "")
    }

    private static func rows(of game: Game, _ run: Run, _ order: Order) -> [Row] {
        func row(_ name: String?, _ value: Int) -> Row {
            Row(
                rank: 0, session: run.session, state: game.state, at: game.at, name: name,
                title: run.labels["title"]?.text, value: value)
        }
        let team =
            run.labels["team"]?.text ?? names.lazy.compactMap { game.data[$0]?.text }.first
        switch order {
        case .time: return [row(team, Int(game.time.milliseconds))]
        case .datum(let name):
            switch game.data[name] {
            case .int(let number)?: return [row(team, number)]
            case .object(let entries)?:
                return entries.compactMap { entry in
                    if case .int(let number) = entry.value { row(entry.name, number) } else { nil }
                }
            default: return []
            }
        }
    }
}
