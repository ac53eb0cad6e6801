package import GameFlow
package import Sessions
package import Timers

/// Statistics of the games in a journal, counted from its records in order.
///
/// A game is one session from its opening to its closing. If the selection includes a game, all of its records count. The
/// same records give the same report.
package struct GameStatistics {
    /// The games that are counted.
    package struct Selection: Equatable, Sendable {
        /// Only games of this flow; nil for all.
        package var flow: String?
        /// Only games that were opened at this instant or later; nil for all.
        package var since: Instant?
        /// Leaves out games whose latest labels include one with this name; nil leaves out no game.
        package var without: String?

        package init(flow: String? = nil, since: Instant? = nil, without: String? = nil) {
            (self.flow, self.since, self.without) = (flow, since, without)
        }

        /// The members of a result that say from when games were counted, and in which time zone dates were read; none if all games
        /// were counted.
        package func members(zone: String) -> [Member] {
            since.map { [Member("sinceMs", Int($0.milliseconds)), Member("zone", zone)] } ?? []
        }
    }

    /// The limits on what the statistics hold in memory.
    package struct StatisticsLimits: Sendable {
        /// The maximum number of visits of states in all selected games.
        package var visits = 4_000_000
        /// The maximum number of selected games that are open at the same time.
        package var games = 1_048_576
        /// The maximum number of states of all flows together. A state that several versions of a flow have counts once
        /// for each version.
        package var states = 10_000

        package init() {}
    }

    /// A limit was reached: its name in the protocol, and its value.
    package struct LimitError: Error, Equatable {
        package let which: String
        package let limit: Int

        package init(which: String, limit: Int) { (self.which, self.limit) = (which, limit) }
    }

    /// Returns the names of the events that a version of a flow calls hints.
    package typealias HintEvents = (FlowVersion) -> Set<String>

    /// The counts of one game.
    private struct Game {
        var visits = SessionVisits()
        var tally = GameTally()
        var version: FlowVersion
        /// The latest state.
        var state: String
        var isLeftOut = false
    }

    private let selection: Selection
    private let limits: StatisticsLimits
    private let hintEvents: HintEvents
    /// The results of `hintEvents` for the versions that the records contain.
    private var hintEventsByVersion: [FlowVersion: Set<String>] = [:]
    private var clock = UptimeClock()
    private var stateNumbers: StateNumbers
    /// The open games. Their order does not affect the report, which only adds them up.
    private var games: [SessionName: Game] = [:]
    /// The number of visits in `games` and `totals`.
    private var visitCount = 0
    private var totals = FlowTotals()
    /// Whether the journal contains refused events.
    private var hasRefusals = false

    package init(
        _ selection: Selection = Selection(), limits: StatisticsLimits = StatisticsLimits(),
        hintEvents: @escaping HintEvents
    ) {
        (self.selection, self.limits, self.hintEvents) = (selection, limits, hintEvents)
        stateNumbers = StateNumbers(limit: limits.states)
    }

    /// Begins another journal, for example the journal of the next shard of a database. Call this function before you add the
    /// journal's first record, because each journal records its own starts of the daemon.
    package mutating func beginJournal() { clock = UptimeClock() }

    /// Counts the next record. Throws if a limit is reached; the statistics must not be used afterwards.
    package mutating func add(_ record: SessionRecord) throws(LimitError) {
        if case .start(let start) = record.body {
            clock.addPause(before: start)
        }
        if record.kind == .refusal { hasRefusals = true }
        guard let name = record.session else { return }
        if case .change(let recorded) = record.body, recorded.kind == .open {
            finish(name)
        }
        if let status = record.status { try updateGame(status, record, name) }
        guard let version = games[name]?.version else { return }
        try countVisit(record, name)
        let hintEvents = hintEvents(of: version)
        games[name]?.tally.add(record, hintEvents: hintEvents)
        switch record.body {
        case .quarantineGivenUp: finish(name)
        case .change(let recorded) where recorded.kind == .close:
            finish(name)
        default: break
        }
    }

    /// Begins the game if this is its first record, and updates its labels, version and state.
    private mutating func updateGame(
        _ status: SessionRecord.Status, _ record: SessionRecord, _ name: SessionName
    ) throws(LimitError) {
        guard selection.flow == nil || selection.flow == status.flow,
            selection.since.map({ status.openedAt >= $0 }) ?? true
        else { return }
        let version = FlowVersion(status)
        let newState = record.change?.step.to ?? record.change?.step.from
        if games[name] == nil {
            guard games.count < limits.games else {
                throw LimitError(which: "statisticsGames", limit: limits.games)
            }
            games[name] = Game(version: version, state: newState?.state ?? "")
        }
        if games[name]?.version != version { games[name]?.version = version }
        if let newState { games[name]?.state = newState.state }
        if let label = selection.without {
            games[name]?.isLeftOut = status.labels.contains { $0.name == label }
        }
    }

    private mutating func hintEvents(of version: FlowVersion) -> Set<String> {
        if let known = hintEventsByVersion[version] { return known }
        let events = hintEvents(version)
        hintEventsByVersion[version] = events
        return events
    }

    /// Updates the visits of the session, if the record affects them. A record can begin, end or undo a visit, or move the
    /// session to another version of its flow.
    private mutating func countVisit(_ record: SessionRecord, _ name: SessionName)
        throws(LimitError)
    {
        guard case .change(let recorded) = record.body, let visit = recorded.visit else { return }
        let version = FlowVersion(recorded)
        guard let state = stateNumbers.number(of: visit.state, in: version) else {
            throw LimitError(which: "statisticsStates", limit: limits.states)
        }
        let time = clock.time(of: record.at)
        switch visit.effect {
        case .begins:
            if games[name]?.visits.enter(state, seq: record.seq, at: time) != nil {
                visitCount += 1
            }
        case .undoes(let first):
            let removed = games[name]?.visits.undo(
                from: first, into: state, seq: record.seq, at: time)
            visitCount -= removed?.count ?? 0
        case .continues: games[name]?.visits.continuePresent(in: state)
        case .ends:
            if games[name]?.visits.end(at: time) != nil { visitCount += 1 }
        }
        guard visitCount <= limits.visits else {
            throw LimitError(which: "statisticsVisits", limit: limits.visits)
        }
    }

    /// Adds a game that has ended to the totals.
    private mutating func finish(_ name: SessionName) {
        guard let game = games.removeValue(forKey: name) else { return }
        if game.isLeftOut {
            visitCount -= game.visits.past.count
        } else {
            totals.add(
                game.tally, game.visits.past, of: game.version, in: game.state, isOpen: false)
        }
    }

    /// The result. `flow` returns a version of a flow; nil for an unknown flow.
    package func report(_ flow: (FlowVersion) -> AnyFlow?) -> StatisticsReport {
        var totals = totals
        for game in games.values where !game.isLeftOut {
            totals.add(
                game.tally, game.visits.past, of: game.version, in: game.state, isOpen: true)
        }
        return StatisticsReport(
            flows: totals.rows(stateNumbers.states, flow), hasRefusals: hasRefusals)
    }
}
