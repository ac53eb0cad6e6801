public import GameFlow
public import Timers

/// First buzzer wins: a question to all, an answer by the first player, and the points.
public struct Quiz: DefaultFlow {
    public var name: String { "quiz" }
    public var initial: StateName { .lobby }
    public var finals: [StateName] { [.finished] }

    public var times = Times()

    public init() {}

    /// How long states last, and the period of the tick; see `settings`.
    public struct Times {
        public var question = Duration.seconds(20)
        public var tick = Duration.seconds(1)
        public var answer = Duration.seconds(8)
        public var reveal = Duration.seconds(5)
    }

    public var settings: [FlowSetting<Quiz>] {
        [
            FlowSetting("question", \.times.question), FlowSetting("tick", period: \.times.tick),
            FlowSetting("answer", \.times.answer), FlowSetting("reveal", \.times.reveal),
        ]
    }

    enum Limits {
        static let rounds = 1...20
        /// The length of a player's name in Unicode scalars.
        static let playerLength = 1...32
        /// The maximum number of players in `Turn.out`.
        static let playersOut = 256
    }

    public enum StateName: String, CaseIterable, Sendable {
        case lobby, question, locked, reveal, finished
    }

    /// The round of a question, the scores, and the players who are out because they answered wrongly or too late.
    public struct Turn: Equatable, Sendable {
        /// Counted from 1.
        var round: Int
        /// The number of rounds of the game.
        let rounds: Int
        var scores: Tally
        var out: [String] = []
    }

    public enum State: Sendable {
        /// → question
        case lobby
        /// → locked, reveal, lobby
        case question(Turn, clock: Countdown, Pendulum)
        /// A player answers. `left` is the time that the question had left when the player pressed the buzzer.
        /// → reveal, question, lobby
        case locked(Turn, player: String, left: Duration, Countdown)
        /// → question, finished, lobby
        case reveal(Turn, player: String?, correct: Bool, Countdown)
        /// The end.
        case finished(Tally)
    }

    public enum Event: FlowEvent, Equatable, Sendable {
        public typealias Effect = Quiz.Effect
        case start(rounds: Int)
        case buzz(player: String)
        case judge(correct: Bool)
        case proceed, abandon
        case due(Signal)
    }

    public enum Signal: UInt8, CaseIterable, Sendable { case timeUp, tick, answerTimedOut, next }

    public enum Effect: String, FlowEffect, Sendable { case ask, lock, reveal, finish }

    public var events: [EventSchema<Event>] {
        [
            EventSchema(Event.start, samples: [1, 2]),
            EventSchema(Event.buzz, samples: ["x", "y"]), EventSchema(Event.judge),
            EventSchema(.proceed), EventSchema(.abandon),
        ]
    }

    // swift-format-ignore: a table
    public func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Quiz> {
        switch (state, event) {
        case (.lobby, .start(let rounds)): try start(rounds)
        case (.question(let turn, let clock, _), .buzz(let player)):
            try lock(turn, player, clock.remaining)
        case (.question(let turn, _, _), .due(.timeUp)): reveal(turn, player: nil, correct: false)
        case (.question, .due(.tick)): .keep
        case (.locked(let turn, let player, let left, _), .judge(let correct)):
            correct
                ? reveal(turn, player: player, correct: true)
                : askAgain(turn, without: player, left)
        case (.locked(let turn, let player, let left, _), .due(.answerTimedOut)):
            askAgain(turn, without: player, left)
        case (.reveal(let turn, _, _, _), .proceed), (.reveal(let turn, _, _, _), .due(.next)):
            askNextOrFinish(turn)
        case (.question, .abandon), (.locked, .abandon), (.reveal, .abandon):
            enter { _ in .lobby }
        default: throw .noTransition
        }
    }

    // MARK: transitions

    private func start(_ rounds: Int) throws(Reason) -> Transition<Quiz> {
        guard Limits.rounds ~= rounds else { throw .invalid("rounds", "not within 1…20") }
        return ask(Turn(round: 1, rounds: rounds, scores: Tally()))
    }

    private func ask(_ turn: Turn, _ left: Duration? = nil) -> Transition<Quiz> {
        enter(.ask) {
            .question(
                turn,
                clock: $0.countdown(
                    $0.flow.times.question, remaining: left, .timeUp, afterRestart: .remaining),
                $0.pendulum($0.flow.times.tick, .tick, afterRestart: .remaining))
        }
    }

    private func lock(_ turn: Turn, _ player: String, _ left: Duration) throws(Reason)
        -> Transition<Quiz>
    {
        try check(player: player, in: turn)
        // A duration in a state's data has whole milliseconds, at least one.
        return enter(.lock) {
            .locked(
                turn, player: player, left: max(left.roundedUp, .milliseconds(1)),
                $0.countdown($0.flow.times.answer, .answerTimedOut, afterRestart: .remaining))
        }
    }

    private func askAgain(_ turn: Turn, without player: String, _ left: Duration)
        -> Transition<Quiz>
    {
        var turn = turn
        turn.out.append(player)
        return ask(turn, left)
    }

    private func reveal(_ turn: Turn, player: String?, correct: Bool) -> Transition<Quiz> {
        // Nobody is out after the question.
        var newTurn = Turn(round: turn.round, rounds: turn.rounds, scores: turn.scores)
        if let player, correct { newTurn.scores.add(1, to: player) }
        return show(newTurn, player, correct: correct)
    }

    private func show(_ turn: Turn, _ player: String?, correct: Bool) -> Transition<Quiz> {
        enter(.reveal) {
            .reveal(
                turn, player: player, correct: correct, $0.countdown($0.flow.times.reveal, .next))
        }
    }

    private func askNextOrFinish(_ turn: Turn) -> Transition<Quiz> {
        guard turn.round < turn.rounds else {
            return enter(.finish) { _ in .finished(turn.scores) }
        }
        let nextTurn = Turn(round: turn.round + 1, rounds: turn.rounds, scores: turn.scores)
        return ask(nextTurn)
    }

    private func check(player: String, in turn: Turn) throws(Reason) {
        guard Limits.playerLength ~= player.unicodeScalars.count else {
            throw .invalid("player", "expected 1…32 characters")
        }
        guard !turn.out.contains(where: { $0.utf8.elementsEqual(player.utf8) }) else {
            throw .invalid("player", "out at this question")
        }
        guard turn.out.count < Limits.playersOut else {
            throw .invalid("player", "\(Limits.playersOut) players are out at this question")
        }
    }

    // MARK: names and data

    public func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .lobby: StateDescription(.lobby)
        case .question(let turn, _, _):
            StateDescription(.question, data(turn) + [Member("out", turn.out.value)])
        case .locked(let turn, let player, let left, _):
            StateDescription(
                .locked,
                data(turn) + [
                    Member("out", turn.out.value), Member("player", player),
                    Member("remainingMs", left.value),
                ])
        case .reveal(let turn, let player, let correct, _):
            StateDescription(
                .reveal,
                data(turn) + (player.map { [Member("player", $0)] } ?? [])
                    + [Member("correct", correct)])
        case .finished(let scores): StateDescription(.finished, [Member("scores", scores.value)])
        }
    }

    private func data(_ turn: Turn) -> [Member] {
        [
            Member("round", turn.round), Member("rounds", turn.rounds),
            Member("scores", turn.scores.value),
        ]
    }

    public func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Quiz> {
        switch name {
        case .lobby: return enter { _ in .lobby }
        case .question:
            return ask(try turn(data, hasOut: true))
        case .locked:
            let turn = try turn(data, hasOut: true)
            return try lock(turn, try data("player"), try data("remainingMs"))
        case .reveal:
            let turn = try turn(data, hasOut: false)
            let player: String? = try data.optional("player")
            let correct: Bool = try data("correct")
            if let player { try check(player: player, in: turn) }
            if player == nil, correct { throw .invalid("correct", "nobody answered") }
            return show(turn, player, correct: correct)
        case .finished:
            let scores: Tally = try data("scores")
            return enter { _ in .finished(scores) }
        }
    }

    /// Reads a turn from a state's data. `hasOut` says whether the state's data contain the players who are out.
    private func turn(_ data: Arguments, hasOut: Bool) throws(Reason) -> Turn {
        let turn = Turn(
            round: try data("round"), rounds: try data("rounds", samples: [1, 2]),
            scores: try data("scores"), out: hasOut ? try data("out") : [])
        guard Limits.rounds ~= turn.rounds else { throw .invalid("rounds", "not within 1…20") }
        guard 1...turn.rounds ~= turn.round else {
            throw .invalid("round", "not within 1…\(turn.rounds)")
        }
        guard turn.out.count <= Limits.playersOut,
            Set(turn.out.map { Array($0.utf8) }).count == turn.out.count,
            turn.out.allSatisfy({ Limits.playerLength ~= $0.unicodeScalars.count })
        else { throw .invalid("out", "expected at most \(Limits.playersOut) different players") }
        return turn
    }
}
