import GameFlow
import ShippedFlows
import Testing
import Timers

/// A machine with a flow in a program without a daemon, as the documentation of the library shows it (`make docs`).
@Suite struct MachineListingTests {
    private let clock = VirtualClock()

    @Test
    func `a machine accepts events, says which events it accepts, and refuses with full details`()
        throws
    {
        let game = StateMachine(Game(), on: clock)
        try game.send(.startPlaying)
        let state = try game.send(.chooseEpisode(episode: 2))
        guard case .choosingLevel(let episode, _) = state, episode == 2 else {
            Issue.record("\(state)")
            return
        }
        try game.send(.chooseLevel(level: 3))
        guard case .playingLevel(_, let countdown, _) = game.state else {
            Issue.record("\(game.state)")
            return
        }
        #expect(countdown.remaining == .seconds(90))
        #expect(game.can(.completeLevel(score: 10)))
        #expect(!game.can(.completeLevel(score: -1)))
        #expect(
            game.accepts == ["completeLevel", "returnHome", "pause", "controllerLost"])
        #expect(game.timers.map(\.signal) == [.due(.timeUp), .due(.tick)])
        clock.advance(by: .seconds(90))
        guard case .finishedLevel(_, let score, _) = game.state else {
            Issue.record("\(game.state)")
            return
        }
        #expect(score == 0)

        do { try game.send(.pause) } catch {
            #expect(error.reason == .noTransition)
            guard case .finishedLevel = error.state else {
                Issue.record("\(error.state)")
                return
            }
            #expect(error.event == .pause)
            #expect(error.last?.event == .due(.timeUp))
            #expect(error.last?.at == .zero + .seconds(90))
        }
        try game.send(.returnHome)
        #expect(clock.pending.isEmpty)
    }

    @Test func `in a closure, do throws(…) states the type of the error`() throws {
        let game = StateMachine(Game(), on: clock)
        let press = {
            do throws(Refusal<Game.State, Game.Event>) {
                try game.send(.pause)
                return nil as Reason?
            } catch { return error.reason }
        }
        #expect(press() == .noTransition)
        #expect(clock.pending.isEmpty)
    }

    @Test func `timers outside a machine run as long as their handle exists`() {
        var fired = 0
        var timer: ScopedCountdown? = ScopedCountdown(on: clock, .minutes(5)) { fired += 1 }
        clock.advance(by: .minutes(4))
        #expect(timer?.remaining == .minutes(1))
        timer = nil
        clock.advance(by: .minutes(4))
        #expect(fired == 0)
        #expect(clock.pending.isEmpty)
    }

    @Test
    func `a hook may call can(…), and the timers of the new entry go on`()
        throws
    {
        var machine: StateMachine<Game.State, Game.Event>?
        var answers: [Bool] = []
        let hook = Hook<Game.State, Game.Event>(will: { _, _, _ in
            answers.append(machine?.can(.displayHelp) ?? false)
        })
        let game = StateMachine(
            Game(), on: clock, hooks: [hook], validators: [{ _, event, _ in event != .pause }])
        machine = game
        try game.send(.displayHelp)
        #expect(answers == [true])
        #expect(game.timers.map(\.signal) == [.due(.helpTimedOut)])
        #expect(clock.pending.count == 1)
        clock.advance(by: .seconds(30))
        #expect(game.place.state == "introduction")
        machine = nil
        #expect(clock.pending.isEmpty)
    }
}
