public import GameFlow
public import Timers

/// Pick an episode, pick a level, play against the clock.
///
/// One race is inherent: a level may be completed at the very instant its time is up. Time comes before
/// requests, so at that instant the time is up and the completion is refused.
public struct Game: Flow {
    public var name: String { "game" }
    public var initial: StateName { .introduction }

    /// How many levels each episode has.
    public var catalog = [1: 5, 2: 5, 3: 5]

    public init() {}

    enum Times {
        static let help = Duration.seconds(30)
        static let choosing = Duration.seconds(60)
        static let level = Duration.seconds(90)
        static let tick = Duration.seconds(1)
        static let paused = Duration.seconds(300)
        static let score = Duration.seconds(15)
    }

    public struct Level: Equatable, Sendable {
        let episode: Int
        let number: Int
    }

    public enum StateName: String, CaseIterable, Sendable {
        case introduction, help, choosingEpisode, choosingLevel, playingLevel, paused, finishedLevel
    }

    public enum State {
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
        /// → playingLevel, introduction
        case paused(Level, left: Duration, Countdown)
        /// → choosingLevel, introduction
        case finishedLevel(Level, score: Int, Countdown)
    }

    public enum Event: FlowEvent {
        public typealias Effect = Game.Effect
        case displayHelp, dismissHelp, startPlaying
        case chooseEpisode(episode: Int)
        case chooseLevel(level: Int)
        case completeLevel(score: Int)
        case dismissFinishedLevel, returnHome
        case pause, resume, controllerLost, controllerFound
        case due(Signal)
    }

    public enum Signal: UInt8, CaseIterable {
        case helpTimedOut, idle, timeUp, tick, abandoned
    }

    public enum Effect: String, FlowEffect {
        case presentHelp, dismissHelp, presentEpisodeChooser, presentLevelChooser, popToIntroduction
        case presentGamePlay, presentScore, dismissScore, presentPause, dismissPause
    }

    public var events: [EventSchema<Event>] {
        [
            EventSchema(.displayHelp), EventSchema(.dismissHelp), EventSchema(.startPlaying),
            EventSchema(Event.chooseEpisode), EventSchema(Event.chooseLevel),
            EventSchema(Event.completeLevel), EventSchema(.dismissFinishedLevel),
            EventSchema(.returnHome), EventSchema(.pause), EventSchema(.resume),
            EventSchema(.controllerLost), EventSchema(.controllerFound),
        ]
    }

    // swift-format-ignore: a table
    public func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Game> {
        switch (state, event) {
        case (.introduction, .displayHelp): presentHelp()
        case (.introduction, .startPlaying): presentEpisodeChooser()
        case (.help, .dismissHelp), (.help, .returnHome), (.help, .due(.helpTimedOut)):
            dismissHelp()
        case (.choosingEpisode, .chooseEpisode(let episode)): try presentLevelChooser(episode)
        case (.choosingEpisode, .returnHome), (.choosingEpisode, .due(.idle)): popToIntroduction()
        case (.choosingLevel, .returnHome), (.choosingLevel, .due(.idle)): popToIntroduction()
        case (.choosingLevel(let episode, _), .chooseLevel(let level)):
            try presentGamePlay(episode, level)
        case (.playingLevel(let at, _, _), .completeLevel(let score)): try presentScore(at, score)
        case (.playingLevel(let at, _, _), .due(.timeUp)): try presentScore(at, 0)
        case (.playingLevel, .due(.tick)): .keep
        case (.playingLevel(let at, let clock, _), .pause): presentPause(at, clock.remaining)
        case (.playingLevel(let at, let clock, _), .controllerLost):
            presentPause(at, clock.remaining)
        case (.playingLevel, .returnHome), (.paused, .returnHome), (.finishedLevel, .returnHome):
            popToIntroduction()
        case (.paused(let at, let left, _), .resume): dismissPause(at, left)
        case (.paused(let at, let left, _), .controllerFound): dismissPause(at, left)
        case (.paused, .due(.abandoned)): popToIntroduction()
        case (.finishedLevel(let at, _, _), .dismissFinishedLevel): dismissScore(at)
        case (.finishedLevel(let at, _, _), .due(.idle)): dismissScore(at)
        default: throw .noTransition
        }
    }
}
