import GameFlow
import ShippedFlows
import TestSupport
import Testing
import Timers

@Suite struct StateMachineTests {
    private let clock = VirtualClock()

    @Test func `events are sent and states are read as the flow's own types`() throws {
        let game = StateMachine(Game(), on: clock)
        guard case .introduction = game.state else { return recordUnexpectedStep() }
        try game.send(.startPlaying)
        let state = try game.send(.chooseEpisode(episode: 2))
        guard case .choosingLevel(let episode, _) = state, episode == 2 else {
            return recordUnexpectedStep()
        }
        try game.send(.chooseLevel(level: 3))
        guard case .playingLevel(_, let countdown, _) = game.state else {
            return recordUnexpectedStep()
        }
        #expect(countdown.remaining == .seconds(90))
        clock.advance(by: .seconds(90))
        guard case .finishedLevel(_, let score, _) = game.state else {
            return recordUnexpectedStep()
        }
        #expect(score == 0)
        try game.send(.returnHome)
        #expect(clock.pending.isEmpty)
    }

    @Test
    func `a refusal contains the reason, the state, the event and the last accepted event`() throws
    {
        let game = StateMachine(Game(), on: clock)
        do throws(Refusal<Game.State, Game.Event>) {
            try game.send(.pause)
            recordUnexpectedStep()
        } catch {
            #expect(error.reason == .noTransition)
            #expect(error.last == nil)
        }
        clock.advance(by: .seconds(7))
        try game.send(.startPlaying)
        do throws(Refusal<Game.State, Game.Event>) {
            try game.send(.chooseEpisode(episode: 9))
            recordUnexpectedStep()
        } catch {
            #expect(error.reason == .invalid("episode", "not in the catalog"))
            guard case .choosingEpisode = error.state else { return recordUnexpectedStep() }
            guard case .chooseEpisode(9) = error.event else { return recordUnexpectedStep() }
            guard case .startPlaying? = error.last?.event else { return recordUnexpectedStep() }
            #expect(error.last?.at == Instant(nanoseconds: 7_000_000_000))
        }
        try game.send(.returnHome)
        #expect(clock.pending.isEmpty)
    }

    @Test func `can(…) asks the selector and changes nothing`() throws {
        let game = StateMachine(Game(), on: clock)
        try startLevel(game)
        let before = game.timers.map(\.remaining)
        #expect(game.can(.completeLevel(score: 10)))
        #expect(!game.can(.completeLevel(score: -1)))
        #expect(!game.can(.startPlaying))
        #expect(game.timers.map(\.remaining) == before)
        #expect(clock.timerQueue.count == 2)
        #expect(game.accepts.contains("completeLevel"))
        try game.send(.returnHome)
        #expect(clock.pending.isEmpty)
    }

    @Test func `live timers have their signals and the time left`() throws {
        let game = StateMachine(Game(), on: clock)
        try startLevel(game)
        clock.advance(by: .milliseconds(2500))
        let timers = game.timers
        #expect(timers.map(\.kind) == [.countdown, .pendulum])
        guard case .due(.timeUp) = timers[0].signal, case .due(.tick) = timers[1].signal else {
            return recordUnexpectedStep()
        }
        #expect(timers.map(\.remaining) == [.milliseconds(87_500), .milliseconds(500)])
        #expect(timers.map(\.total) == [.seconds(90), .seconds(1)])
        #expect(timers.map(\.paused) == [false, false])
        try game.send(.returnHome)
        #expect(game.timers.isEmpty)
        #expect(clock.pending.isEmpty)
    }

    @Test func `an event that is sent from inside a step is posted`() throws {
        let game = StateMachine(Game(), on: clock)
        try game.send(.startPlaying)
        var seen: [String] = []
        let observation = game.observe { [unowned game] old, new in
            seen.append(game.place.state)
            if old != nil, case .introduction = new { _ = try? game.send(.displayHelp) }
        }
        try game.send(.returnHome)
        #expect(seen == ["choosingEpisode", "introduction", "help"])
        observation.end()
        try game.send(.dismissHelp)
        #expect(clock.pending.isEmpty)
    }

    @Test func `the refusal of a posted event goes to didRefuse`() throws {
        let game = StateMachine(Game(), on: clock)
        var refused: [Reason] = []
        game.didRefuse = { refused.append($0.reason) }
        let observation = game.observe { [unowned game] _, new in
            if case .help = new { _ = try? game.send(.pause) }
        }
        try game.send(.displayHelp)
        #expect(refused == [.noTransition])
        observation.end()
        try game.send(.dismissHelp)
        #expect(clock.pending.isEmpty)
    }

    @Test func `a released machine leaves no timer`() throws {
        do {
            let game = StateMachine(Game(), on: clock)
            try startLevel(game)
            #expect(clock.timerQueue.count == 2)
        }
        #expect(clock.pending.isEmpty)
    }

    @Test func `a send from inside a step does not fire the timers that are due`() throws {
        let manual = ManualClock()
        let game = StateMachine(Game(), on: TaskClock(manual, isolation: nil))
        let log = StepLog()
        var refused: [Reason] = []
        game.didRefuse = { refused.append($0.reason) }
        let observation = game.observe { [unowned game] _, new in
            log.places.append(game.place)
            guard case .help = new else { return }
            manual.advance(by: .seconds(40))  // past the time-out of help
            do throws(Refusal<Game.State, Game.Event>) {
                guard case .help = try game.send(.dismissHelp) else {
                    return recordUnexpectedStep()
                }
            } catch { recordUnexpectedStep() }
        }
        try game.send(.displayHelp)
        #expect(log.places.map(\.state) == ["introduction", "help", "introduction"])
        #expect(refused.isEmpty)
        #expect(game.timers.isEmpty)
        observation.end()
    }

    @Test @MainActor func `a machine without a clock uses a real clock on its actor`() throws {
        let game = StateMachine(Game())
        try startLevel(game)
        #expect(game.timers.count == 2)
        guard case .playingLevel(_, let countdown, _) = game.state else {
            return recordUnexpectedStep()
        }
        #expect(countdown.remaining <= .seconds(90))
        try game.send(.returnHome)
        #expect(!countdown.isLive)
    }

    @Test func `two machines can share an engine and a clock`() throws {
        let engine = Engine(Game())
        // The interface to the flow by names. It uses the same engine as the machines.
        let flowByName = AnyFlow(Game(), engine)
        let (startedGame, otherGame) = (
            StateMachine(flowByName, engine, on: clock), StateMachine(flowByName, engine, on: clock)
        )
        try startLevel(startedGame)
        guard case .introduction = otherGame.state else { return recordUnexpectedStep() }
        #expect(clock.timerQueue.count == 2)
        try startedGame.send(.returnHome)
        #expect(clock.pending.isEmpty)
    }

    @Test func `typed events and events by name lead to the same states and timers`() throws {
        let steps: [(typed: Game.Event, name: String, arguments: [Member])] = [
            (.startPlaying, "startPlaying", []),
            (.chooseEpisode(episode: 2), "chooseEpisode", [Member("episode", 2)]),
            (.chooseLevel(level: 3), "chooseLevel", [Member("level", 3)]),
            (.completeLevel(score: 70), "completeLevel", [Member("score", 70)]),
            (.dismissFinishedLevel, "dismissFinishedLevel", []),
            (.returnHome, "returnHome", []),
        ]
        let log = StepLog()
        let game = StateMachine(Game(), on: clock)
        let observation = game.observe { [unowned game] _, _ in log.places.append(game.place) }
        let fixture = try MachineFixture(AnyFlow(Game()), on: clock)
        for step in steps {
            try game.send(step.typed)
            try fixture.send(step.name, step.arguments)
            #expect(game.place == fixture.machine.place)
            #expect(
                game.timers.map(\.remaining) == fixture.machine.liveTimers.map(\.info.remaining))
        }
        // Both lists begin with the initial state.
        #expect(log.places.dropFirst() == ArraySlice(fixture.steps.dropFirst().compactMap(\.to)))
        observation.end()
        fixture.expectOnlyItsOwnTimers()
    }

    // MARK: helpers

    private final class StepLog { var places: [StateRecord] = [] }

    private func startLevel(_ game: StateMachine<Game.State, Game.Event>) throws {
        try game.send(.startPlaying)
        try game.send(.chooseEpisode(episode: 1))
        try game.send(.chooseLevel(level: 1))
    }

    private func recordUnexpectedStep(sourceLocation: SourceLocation = #_sourceLocation) {
        Issue.record("the machine did something else", sourceLocation: sourceLocation)
    }
}
