public import GameFlow
public import Timers

/// Pick an episode, pick a level, play against the clock.
///
/// One race is inherent: a level may be completed at the very instant at which its time is up. A due timer
/// fires before a request is handled, so the completion is refused.
public struct Game: DefaultFlow {
    /// Three episodes with five levels each.
    public var catalog = Catalog(5, 5, 5)
    public var times = Times()

    public init() {}

    public typealias Level = Catalog.Level

    /// How long states last, and the period of the tick. Game+Settings.swift makes each of them a setting.
    public struct Times {
        public var help = Duration.seconds(30)
        /// For `choosingEpisode` and `choosingLevel`.
        public var choosing = Duration.seconds(60)
        public var level = Duration.seconds(90)
        public var tick = Duration.seconds(1)
        public var paused = Duration.seconds(300)
        /// For `finishedLevel`, which shows the score.
        public var score = Duration.seconds(15)
    }

    public enum StateName: String, CaseIterable, Sendable {
        case introduction, help, choosingEpisode, choosingLevel, playingLevel, paused, finishedLevel
    }

    /// The states with their data and timers. `→` lists the states that may follow; a test compares the lists with `select`.
    public enum State: Sendable {
        /// → help, choosingEpisode
        case introduction
        /// → introduction
        case help(Countdown)
        /// → choosingLevel, introduction
        case choosingEpisode(Countdown)
        /// → playingLevel, introduction
        case choosingLevel(episode: Int, Countdown)
        /// → finishedLevel, paused, introduction
        case playingLevel(Level, clock: Countdown, Pendulum)
        /// `left` is the remaining time of the level.
        /// → playingLevel, introduction
        case paused(Level, left: Duration, Countdown)
        /// → choosingLevel, introduction
        case finishedLevel(Level, score: Int, Countdown)

        /// Whether a level is being played.
        public var isPlaying: Bool { if case .playingLevel = self { true } else { false } }
    }

    public enum Event: FlowEvent, Hashable, Sendable {
        case displayHelp, dismissHelp, startPlaying
        case chooseEpisode(episode: Int)
        case chooseLevel(level: Int)
        case completeLevel(score: Int)
        case dismissFinishedLevel, returnHome, pause, resume, controllerLost, controllerFound
        case due(Signal)

        /// `idle`: no player has chosen, or dismissed the score, in time. `abandoned`: no player has resumed in time.
        public enum Signal: UInt8, CaseIterable, Sendable {
            case helpTimedOut, idle, timeUp, tick, abandoned
        }

        public enum Effect: String, FlowEffect, Sendable {
            case presentHelp, dismissHelp, presentEpisodeChooser, presentLevelChooser, presentScore
            case popToIntroduction, presentGamePlay, dismissScore, presentPause, dismissPause
        }
    }

    public var events: [EventSchema<Event>] {
        EventSchema.plain(.displayHelp, .dismissHelp, .startPlaying)
            + [.init(Event.chooseEpisode), .init(Event.chooseLevel), .init(Event.completeLevel)]
            + EventSchema.plain(.dismissFinishedLevel, .returnHome, .pause, .resume)
            + EventSchema.plain(.controllerLost, .controllerFound)
    }

    // The daemon sends these events when it loses the link to an input device of the session, and when the link is back.
    public var deviceLost: EventSchema<Event>? { EventSchema(.controllerLost) }
    public var deviceFound: EventSchema<Event>? { EventSchema(.controllerFound) }

    public func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Game> {
        switch (state, event) {
        case (.introduction, .displayHelp): presentHelp()
        case (.introduction, .startPlaying): presentEpisodeChooser()
        case (.help, .dismissHelp), (.help, .returnHome): goHome(.dismissHelp)
        case (.help, .due(.helpTimedOut)): goHome(.dismissHelp)
        case (.choosingEpisode, .chooseEpisode(let episode)): try presentLevelChooser(episode)
        case (.choosingEpisode, .returnHome), (.choosingEpisode, .due(.idle)): goHome()
        case (.choosingLevel, .returnHome), (.choosingLevel, .due(.idle)): goHome()
        case (.choosingLevel(let episode, _), .chooseLevel(let level)):
            try presentGamePlay(episode, level)
        case (.playingLevel(let level, _, _), .completeLevel(let score)):
            try presentScore(level, score: score)
        case (.playingLevel(let level, _, _), .due(.timeUp)): try presentScore(level, score: 0)
        case (.playingLevel, .due(.tick)): .keep
        case (.playingLevel(let level, let clock, _), .pause): presentPause(level, clock.remaining)
        case (.playingLevel(let level, let clock, _), .controllerLost):
            presentPause(level, clock.remaining)
        case (.playingLevel, .returnHome), (.finishedLevel, .returnHome): goHome()
        case (.paused(let level, let left, _), .resume): dismissPause(level, left)
        case (.paused(let level, let left, _), .controllerFound): dismissPause(level, left)
        case (.paused, .returnHome), (.paused, .due(.abandoned)): goHome()
        case (.finishedLevel(let level, _, _), .dismissFinishedLevel): dismissScore(level)
        case (.finishedLevel(let level, _, _), .due(.idle)): dismissScore(level)
        default: throw .noTransition
        }
    }

    // MARK: transitions; the argument of each closure is the entry of the new state

    func presentHelp() -> Transition<Game> {
        enter(.presentHelp) { .help($0.countdown($0.flow.times.help, .helpTimedOut)) }
    }

    func goHome(_ effect: Effect = .popToIntroduction) -> Transition<Game> {
        enter(effect) { _ in .introduction }
    }

    func presentEpisodeChooser() -> Transition<Game> {
        enter(.presentEpisodeChooser) { entry in
            .choosingEpisode(entry.countdown(entry.flow.times.choosing, .idle))
        }
    }

    func presentLevelChooser(_ episode: Int) throws(Reason) -> Transition<Game> {
        try catalog.check(episode)
        return enter(.presentLevelChooser) { Self.choosingLevel(episode, $0) }
    }

    func presentGamePlay(_ episode: Int, _ level: Int) throws(Reason) -> Transition<Game> {
        let level = try catalog.level(episode, level)
        return enter(.presentGamePlay) { Self.playing(level, left: nil, $0) }
    }

    func presentScore(_ level: Level, score: Int) throws(Reason) -> Transition<Game> {
        guard 0...1_000_000 ~= score else { throw .invalid("score", "not within 0…1000000") }
        return enter(.presentScore) {
            .finishedLevel(level, score: score, $0.countdown($0.flow.times.score, .idle))
        }
    }

    /// Rounds the remaining time up to a time that the state's data can hold: whole milliseconds, at least one. The level
    /// then continues with the same time whether or not the session was restored from its data meanwhile.
    func presentPause(_ level: Level, _ left: Duration) -> Transition<Game> {
        let left = max(left.roundedUp, .milliseconds(1))
        return enter(.presentPause) {
            .paused(level, left: left, $0.countdown($0.flow.times.paused, .abandoned))
        }
    }

    func dismissPause(_ level: Level, _ left: Duration) -> Transition<Game> {
        enter(.dismissPause) { Self.playing(level, left: left, $0) }
    }

    func dismissScore(_ level: Level) -> Transition<Game> {
        enter(.dismissScore) { Self.choosingLevel(level.episode, $0) }
    }

    // The two functions below are static and take the flow from the entry. The closures above therefore do not capture the
    // flow; a capture would retain and release the array in the flow's catalog.
    private static func choosingLevel(_ episode: Int, _ entry: Entry<Game>) -> State {
        .choosingLevel(episode: episode, entry.countdown(entry.flow.times.choosing, .idle))
    }

    /// Starts the level's timers. `left` is the remaining time of a level that was paused; nil for a new level. After a restart
    /// of the daemon, the timers continue with their remaining time, so that no playing time is lost.
    private static func playing(_ level: Level, left: Duration?, _ entry: Entry<Game>) -> State {
        let times = entry.flow.times
        let clock = entry.countdown(
            times.level, remaining: left, .timeUp, afterRestart: .remaining)
        let tick = entry.pendulum(times.tick, .tick, afterRestart: .remaining)
        return .playingLevel(level, clock: clock, tick)
    }

    // MARK: names and data

    public func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .introduction: .init(.introduction)
        case .help: .init(.help)
        case .choosingEpisode: .init(.choosingEpisode)
        case .choosingLevel(let episode, _): .init(.choosingLevel, [Member("episode", episode)])
        case .playingLevel(let level, _, _): .init(.playingLevel, level.data)
        case .paused(let level, let left, _):
            .init(.paused, level.data + [Member("remainingMs", left)])
        case .finishedLevel(let level, let score, _):
            .init(.finishedLevel, level.data + [Member("score", score)])
        }
    }

    public func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Game> {
        switch name {
        case .introduction: goHome()
        case .help: presentHelp()
        case .choosingEpisode: presentEpisodeChooser()
        case .choosingLevel: try presentLevelChooser(data("episode"))
        case .playingLevel: try presentGamePlay(data("episode"), data("level"))
        case .paused: try presentPause(catalog.level(data), data("remainingMs"))
        case .finishedLevel: try presentScore(catalog.level(data), score: data("score"))
        }
    }
}
