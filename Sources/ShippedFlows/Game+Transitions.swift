public import GameFlow
import Timers

extension Game {
    // MARK: transitions

    func presentHelp() -> Transition<Game> {
        enter(.presentHelp) { .help($0.countdown(Times.help, .helpTimedOut)) }
    }

    func dismissHelp() -> Transition<Game> { enter(.dismissHelp) { _ in .introduction } }

    func popToIntroduction() -> Transition<Game> {
        enter(.popToIntroduction) { _ in .introduction }
    }

    func presentEpisodeChooser() -> Transition<Game> {
        enter(.presentEpisodeChooser) { .choosingEpisode($0.countdown(Times.choosing, .idle)) }
    }

    func presentLevelChooser(_ episode: Int) throws(Reason) -> Transition<Game> {
        try check(episode: episode)
        return enter(.presentLevelChooser) { Self.choosingLevel(episode, $0) }
    }

    func presentGamePlay(_ episode: Int, _ level: Int) throws(Reason) -> Transition<Game> {
        let level = try check(episode: episode, level: level)
        return enter(.presentGamePlay) { Self.playing(level, Times.level, $0) }
    }

    func presentScore(_ level: Level, _ score: Int) throws(Reason) -> Transition<Game> {
        guard 0...1_000_000 ~= score else { throw .invalid("score", "not within 0…1000000") }
        return enter(.presentScore) {
            .finishedLevel(level, score: score, $0.countdown(Times.score, .idle))
        }
    }

    /// What is left is kept in whole milliseconds, as the state's data shows it, so that a session
    /// restored from its data goes on with exactly the same.
    func presentPause(_ level: Level, _ left: Duration) -> Transition<Game> {
        enter(.presentPause) {
            let left = max(left.roundedUp, .milliseconds(1))
            return .paused(level, left: left, $0.countdown(Times.paused, .abandoned))
        }
    }

    func dismissPause(_ level: Level, _ left: Duration) -> Transition<Game> {
        enter(.dismissPause) { Self.playing(level, left, $0) }
    }

    func dismissScore(_ level: Level) -> Transition<Game> {
        enter(.dismissScore) { Self.choosingLevel(level.episode, $0) }
    }

    // Static: a closure that captures the flow counts the references to its catalog.
    private static func choosingLevel(_ episode: Int, _ entry: Entry<Game>) -> State {
        .choosingLevel(episode: episode, entry.countdown(Times.choosing, .idle))
    }

    private static func playing(_ level: Level, _ left: Duration, _ entry: Entry<Game>) -> State {
        .playingLevel(
            level,
            clock: entry.countdown(
                Times.level, remaining: left, .timeUp, afterRestart: .remaining),
            entry.pendulum(Times.tick, .tick, afterRestart: .remaining))
    }

    // MARK: validators

    private func check(episode: Int) throws(Reason) {
        guard catalog[episode] != nil else { throw .invalid("episode", "not in the catalog") }
    }

    @discardableResult private func check(episode: Int, level: Int) throws(Reason) -> Level {
        guard let levels = catalog[episode] else { throw .invalid("episode", "not in the catalog") }
        guard level >= 1, level <= levels else {
            throw .invalid("level", "not one of the episode's")
        }
        return Level(episode: episode, number: level)
    }

    // MARK: names and data

    public func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .introduction: StateDescription(.introduction)
        case .help: StateDescription(.help)
        case .choosingEpisode: StateDescription(.choosingEpisode)
        case .choosingLevel(let episode, _):
            StateDescription(.choosingLevel, [Member("episode", episode)])
        case .playingLevel(let at, _, _): StateDescription(.playingLevel, data(at))
        case .paused(let at, let left, _):
            StateDescription(.paused, data(at) + [Member("remainingMs", left.value)])
        case .finishedLevel(let at, let score, _):
            StateDescription(.finishedLevel, data(at) + [Member("score", score)])
        }
    }

    private func data(_ level: Level) -> [Member] {
        [Member("episode", level.episode), Member("level", level.number)]
    }

    public func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Game> {
        switch name {
        case .introduction: return popToIntroduction()
        case .help: return presentHelp()
        case .choosingEpisode: return presentEpisodeChooser()
        case .choosingLevel: return try presentLevelChooser(try data("episode"))
        case .playingLevel: return try presentGamePlay(try data("episode"), try data("level"))
        case .paused:
            let (episode, level, left): (Int, Int, Duration) = try (
                data("episode"), data("level"), data("remainingMs")
            )
            return presentPause(try check(episode: episode, level: level), left)
        case .finishedLevel:
            let (episode, level, score): (Int, Int, Int) = try (
                data("episode"), data("level"), data("score")
            )
            return try presentScore(check(episode: episode, level: level), score)
        }
    }
}
