public import GameFlow
public import Timers

/// An escape room: a team has an hour for three puzzles, and may ask for three hints. The puzzles are solved in a fixed order.
///
/// The clock runs through all puzzles, because solving a puzzle keeps the state and changes its data. One race cannot be
/// avoided: a team may solve the third puzzle at the very instant at which the time is up. A due timer fires before a request
/// is handled, so the team then loses.
public struct HeistFlow: Flow {
    public var name: String { "heist" }
    public init() {}

    enum Times {
        static let game = Duration.seconds(3600)
        /// The time between two announcements of the remaining time.
        static let announcement = Duration.seconds(600)
        /// How long the result is shown before the room is ready for the next team.
        static let result = Duration.seconds(300)
    }

    enum Limits {
        static let teamLength = 1...32
        static let hints = 3
    }

    /// The puzzles, in their order.
    public enum Puzzle: String, CaseIterable, Argument, Sendable {
        case keypad, lasers, safe

        /// The code that solves the puzzle.
        var code: String {
            switch self {
            case .keypad: "4711"
            case .lasers: "NORTH"
            case .safe: "RUBY"
            }
        }
        var next: Puzzle? {
            switch self {
            case .keypad: .lasers
            case .lasers: .safe
            case .safe: nil
            }
        }
    }

    // MARK: states

    public enum StateName: String, CaseIterable, Sendable { case lobby, playing, won, lost }

    /// The game of one team.
    public struct Run: Equatable, Sendable {
        let team: String
        var puzzle: Puzzle
        var hints: Int

        var data: [Member] {
            [Member("team", team), Member("puzzle", puzzle.rawValue), Member("hints", hints)]
        }
    }

    public enum State {
        /// → playing
        case lobby
        /// → won, lost, lobby
        case playing(Run, clock: Countdown, announcements: Pendulum)
        /// → lobby
        case won(team: String, left: Duration, hints: Int, Countdown)
        /// → lobby
        case lost(team: String, at: Puzzle, Countdown)

        var hints: Int {
            switch self {
            case .lobby, .lost: 0
            case .playing(let run, _, _): run.hints
            case .won(_, _, let hints, _): hints
            }
        }
    }

    // MARK: events

    public enum Event: FlowEvent, Equatable, Sendable {
        case start(team: String)
        case solve(code: String)
        case hint, reset
        case due(Signal)

        public enum Signal: UInt8, CaseIterable, Sendable { case timeUp, announce, showedResult }

        /// The actions of lights, loudspeakers and locks, which clients carry out.
        public enum Effect: FlowEffect, Equatable {
            case begin, announceTime, fanfare, alarm, clear
            case unlock(Puzzle)
            case showHint(Puzzle, number: Int)

            public var arguments: [Member] {
                switch self {
                case .begin, .announceTime, .fanfare, .alarm, .clear: []
                case .unlock(let puzzle): [Member("puzzle", puzzle.rawValue)]
                case .showHint(let puzzle, let number):
                    [Member("puzzle", puzzle.rawValue), Member("number", number)]
                }
            }
        }
    }

    /// The codes are secret samples: lint, races and scenarios send them, but no client sees them.
    public var events: [EventSchema<Event>] {
        [
            EventSchema(Event.start),
            EventSchema(Event.solve, secretSamples: Puzzle.allCases.map(\.code) + ["wrong"]),
            EventSchema(.hint), EventSchema(.reset),
        ]
    }

    // MARK: the selector

    public func select(_ state: State, _ event: Event) throws(Reason) -> Transition<HeistFlow> {
        switch (state, event) {
        case (.lobby, .start(let team)): try start(team)
        case (.playing(let run, let clock, let announcements), .solve(let code)):
            try solve(run, code, clock, announcements)
        case (.playing(let run, let clock, let announcements), .hint):
            hint(run, clock, announcements)
        case (.playing, .due(.announce)): keep(.announceTime)
        case (.playing(let run, _, _), .due(.timeUp)): lose(run)
        case (.playing, .reset), (.won, .reset), (.lost, .reset): clear()
        case (.won, .due(.showedResult)), (.lost, .due(.showedResult)): clear()
        default: throw .noTransition
        }
    }

    /// A fourth hint is refused as invalid, because the next state would have more than three hints.
    public func validators() -> [Validator<State, Event>] {
        [{ _, _, to in to.hints <= Limits.hints }]
    }

    public var invariants: [Invariant<State>] {
        [Invariant("a team has at most three hints") { $0.hints <= Limits.hints }]
    }

    // MARK: transitions

    private func start(_ team: String) throws(Reason) -> Transition<HeistFlow> {
        try check(team)
        return play(Run(team: team, puzzle: .keypad, hints: 0))
    }

    /// With `afterRestart: .remaining`, the time during which the daemon is down does not count.
    private func play(_ run: Run) -> Transition<HeistFlow> {
        enter(.begin) {
            .playing(
                run, clock: $0.countdown(Times.game, .timeUp, afterRestart: .remaining),
                announcements: $0.pendulum(
                    Times.announcement, .announce, afterRestart: .remaining))
        }
    }

    private func solve(
        _ run: Run, _ code: String, _ clock: Countdown, _ announcements: Pendulum
    ) throws(Reason) -> Transition<HeistFlow> {
        guard code == run.puzzle.code else { throw .invalid("code", "wrong") }
        guard let next = run.puzzle.next else { return win(run, clock.remaining) }
        let solved = run.puzzle
        var run = run
        run.puzzle = next
        return keep(
            .unlock(solved), .playing(run, clock: clock, announcements: announcements))
    }

    private func hint(_ run: Run, _ clock: Countdown, _ announcements: Pendulum)
        -> Transition<HeistFlow>
    {
        var run = run
        run.hints += 1
        return keep(
            .showHint(run.puzzle, number: run.hints),
            .playing(run, clock: clock, announcements: announcements))
    }

    private func win(_ run: Run, _ left: Duration) -> Transition<HeistFlow> {
        enterWon(team: run.team, left: max(left.roundedUp, .milliseconds(1)), hints: run.hints)
    }

    /// The safe opens, and then the fanfare plays: the two effects of the transition are in this order.
    private func enterWon(team: String, left: Duration, hints: Int) -> Transition<HeistFlow> {
        enter(.unlock(.safe), .fanfare) {
            .won(
                team: team, left: left, hints: hints, $0.countdown(Times.result, .showedResult))
        }
    }

    private func lose(_ run: Run) -> Transition<HeistFlow> {
        enterLost(team: run.team, at: run.puzzle)
    }

    private func enterLost(team: String, at puzzle: Puzzle) -> Transition<HeistFlow> {
        enter(.alarm) {
            .lost(team: team, at: puzzle, $0.countdown(Times.result, .showedResult))
        }
    }

    private func clear() -> Transition<HeistFlow> { enter(.clear) { _ in .lobby } }

    private func check(_ team: String) throws(Reason) {
        guard Limits.teamLength ~= team.unicodeScalars.count else {
            throw .invalid("team", "expected 1…32 characters")
        }
    }

    // MARK: names and data

    public func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .lobby: StateDescription(.lobby)
        case .playing(let run, _, _): StateDescription(.playing, run.data)
        case .won(let team, let left, let hints, _):
            StateDescription(
                .won,
                [Member("team", team), Member("leftMs", left.value), Member("hints", hints)])
        case .lost(let team, let puzzle, _):
            StateDescription(.lost, [Member("team", team), Member("puzzle", puzzle.rawValue)])
        }
    }

    public func entering(_ name: StateName, _ data: Arguments) throws(Reason)
        -> Transition<HeistFlow>
    {
        switch name {
        case .lobby: return clear()
        case .playing:
            return play(
                Run(team: try team(data), puzzle: try data("puzzle"), hints: try hints(data)))
        case .won:
            return enterWon(
                team: try team(data), left: try data("leftMs"), hints: try hints(data))
        case .lost: return enterLost(team: try team(data), at: try data("puzzle"))
        }
    }

    private func team(_ data: Arguments) throws(Reason) -> String {
        let team: String = try data("team")
        try check(team)
        return team
    }

    private func hints(_ data: Arguments) throws(Reason) -> Int {
        let hints: Int = try data("hints", samples: [0, Limits.hints])
        guard 0...Limits.hints ~= hints else { throw .invalid("hints", "not within 0…3") }
        return hints
    }
}
