import GameFlow
import OtherFramework
import ShippedFlows
import Testing
import Timers

private final class Model {
    @Published var title = "a"
}
private struct Fade: Transition {}

private enum Lamp: CaseIterable { case off, on }
private enum Press: CaseIterable { case on, off }
private struct NotMyTurn: Error {}

/// Counts the calls of `didTransition`.
private final class Rule: MachineDelegate {
    private(set) var calls = 0
    func shouldTransition(from: Permissions.State, to: Permissions.State) -> Bool { true }
    func didTransition(from: Permissions.State, to: Permissions.State) { calls += 1 }
}

/// What the author of an app sees of the library.
@Suite struct SurfaceTests {
    private let clock = VirtualClock()

    @Test func `names of other frameworks are not ambiguous`() {
        let model = Model()
        model.title = "b"
        #expect(model.title == "b")
        _ = Fade()
    }

    @Test func `a hook that works with names is given to a machine like any other hook`() throws {
        let times = StateTimes()
        let game = StateMachine(Game(), on: clock, hooks: [times])
        clock.advance(by: .seconds(2))
        try game.send(.displayHelp)
        clock.advance(by: .seconds(3))
        #expect(times.time(in: "help", at: clock.now) == .seconds(3))
    }

    @Test func `a button sends an event without caring for a refusal`() {
        let game = StateMachine(Game(), on: clock)
        game.sendIfAccepted(.displayHelp)
        #expect(game.sendIfAccepted(.pause) == nil)
        guard case .help = game.state else {
            Issue.record("not in help")
            return
        }
        let table = StateMachine<Lamp, Press>(initial: .off, on: clock)
        table[.off] = [.on: .on]
        table.transition(.on)
        #expect(table.state == .on)
    }

    @Test func `a refusal speaks`() throws {
        let quiz = StateMachine(Quiz(), on: clock)
        func words(_ event: Quiz.Event) -> String {
            do throws(Refusal<Quiz.State, Quiz.Event>) {
                try quiz.send(event)
                return "accepted"
            } catch { return "\(error)" }
        }
        #expect(words(.judge(correct: true)) == "lobby does not take judge; it accepts start")
        try quiz.send(.start(rounds: 2))
        try quiz.send(.buzz(player: "ann"))
        #expect(
            words(.buzz(player: "bob"))
                == "locked does not take buzz; it accepts judge, abandon; ann was first")
    }

    @Test func `a refusal names the state and the event for logs`() {
        let quiz = StateMachine(Quiz(), on: clock)
        do throws(Refusal<Quiz.State, Quiz.Event>) {
            try quiz.send(.buzz(player: "ann"))
            Issue.record("accepted")
        } catch { #expect([error.stateName, error.eventName] == ["lobby", "buzz"]) }
    }

    @Test func `a handler's own error is no hook's`() {
        let machine = StateMachine<Lamp, Press>(initial: .off, on: clock) { state, event in
            if event == .off { throw NotMyTurn() }
            state = .on
        }
        do throws(Refusal<Lamp, Press>) {
            try machine.send(.off)
            Issue.record("accepted")
        } catch {
            #expect(error.reason.code == .handlerRefused)
            #expect("\(error)" == "handler refuses off: NotMyTurn()")
        }
    }

    @Test func `a machine without a flow type lists what it accepts, if its events can be listed`()
    {
        let machine = StateMachine<Lamp, Press>(initial: .off, on: clock)
        machine[.off] = [.on: .on]
        #expect(machine.accepts == ["on"])
        machine.transition(.on)
        #expect(machine.accepts == [])
    }

    @Test func `a delegate's hook can stand among other hooks`() throws {
        let rule = Rule()
        let hook: Hook<Permissions.State, Permissions.Event> = rule.hook()
        let machine = StateMachine(Permissions(), on: clock, hooks: [hook])
        try machine.send(.go(to: .pushNotificationsAsk))
        #expect(rule.calls == 1)
    }
}
