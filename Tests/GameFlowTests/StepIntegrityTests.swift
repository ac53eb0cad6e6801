import GameFlow
import ShippedFlows
import TestSupport
import Testing
import Timers

/// Nothing disturbs a step while it is made: a timer of the machine that is due meanwhile, a command, or an entry that was kept.
@Suite struct StepIntegrityTests {
    private enum State: String { case start, middle, end, wrong }
    private enum Event: String { case go, due, other }
    private struct No: Error {}

    private let clock = VirtualClock()

    /// A machine that goes from `start` to `middle` with `go`, and from there to `end` when its timer is due. The timer of `start`
    /// leads to `wrong`.
    private func machine(middle: Duration, _ hook: Hook<State, Event>) -> StateMachine<State, Event>
    {
        let machine = StateMachine<State, Event>(
            initial: .start, on: clock,
            reduce: { state, event in
                switch (state, event) {
                case (.start, .go): .middle
                case (.start, .due): .wrong
                case (.middle, .due): .end
                default: nil
                }
            }, hooks: [hook])
        machine.timers { state in
            switch state {
            case .start: [.countdown(.seconds(2), sends: .due)]
            case .middle: [.countdown(middle, sends: .due)]
            default: []
            }
        }
        return machine
    }

    @Test func `a timer that is due while a hook runs does not fire if the step leaves the state`()
        throws
    {
        let clock = clock
        var steps: [String] = []
        let machine = machine(
            middle: .seconds(5),
            Hook(
                will: { _, event, _ in if event == .go { clock.advance(by: .seconds(3)) } },
                did: { steps.append("\($0) \($1) \($2)") }))
        #expect(try machine.send(.go) == .middle)
        #expect(machine.timers.map(\.signal) == [.due])
        clock.advance(by: .seconds(5))
        #expect(steps == ["start go middle", "middle due end"])
    }

    @Test func `a timer that is due while a hook runs fires after a step that is refused`() {
        let clock = clock
        let machine = machine(
            middle: .seconds(5),
            Hook(will: { _, event, _ in
                guard event == .go else { return }
                clock.advance(by: .seconds(3))
                throw No()
            }))
        #expect(machine.sendIfAccepted(.go) == nil)
        #expect(machine.state == .wrong)
    }

    @Test(arguments: [Duration.zero, .seconds(1), .seconds(3)])
    func `a timer of the new state that is due while a hook runs fires after the step`(
        _ middle: Duration
    ) throws {
        let clock = clock
        let machine = machine(
            middle: middle,
            Hook(will: { _, event, _ in if event == .go { clock.advance(by: .seconds(3)) } }))
        #expect(try machine.send(.go) == .end)
        #expect(clock.pending.isEmpty)
    }

    @Test func `a timer of a state that was refused does not fire`() {
        let clock = clock
        let machine = machine(
            middle: .seconds(1),
            Hook(will: { _, event, _ in
                guard event == .go else { return }
                clock.advance(by: .milliseconds(1500))
                throw No()
            }))
        #expect(machine.sendIfAccepted(.go) == nil)
        clock.advance(by: .zero)
        #expect(machine.state == .start)
        #expect(machine.timers.map(\.remaining) == [.milliseconds(500)])
    }

    @Test func `a validator that uses the clock does not make can change anything`() {
        let clock = clock
        let machine = StateMachine<State, Event>(
            initial: { entry in
                _ = entry.countdown(.seconds(100), sends: .due)
                return .start
            }, on: clock,
            validators: [
                { _, _, _ in
                    clock.advance(by: .seconds(3))
                    return true
                }
            ],
            select: { state, event, entry throws(Reason) in
                guard event == .go else { throw .noTransition }
                _ = entry.countdown(.seconds(1), sends: .due)
                return .enter(.middle)
            })
        #expect(machine.can(.go))
        #expect(machine.state == .start && machine.timers.map(\.remaining) == [.seconds(97)])
    }

    /// Goes to the same state after each step.
    private final class Restless: StepHook {
        let name = "restless"
        var machine: AnyMachine?
        private(set) var steps = 0

        func before(_ step: Step, at instant: Instant) {}
        func after(_ step: Step, at instant: Instant) {
            steps += 1
            try? machine?.goto("lobby", [], from: .program)
        }
    }

    @Test func `a hook that goes to a state after each step without end is stopped`() throws {
        let restless = Restless()
        let quiz = StateMachine(Quiz(), on: clock, hooks: [restless])
        restless.machine = quiz
        try quiz.goto("lobby", [], from: .program)
        #expect((2...EventQueue.postLimit + 2).contains(restless.steps))
        restless.machine = nil
    }

    @Test func `all observers see the steps in their order, also if one lets timers fire`() throws {
        let machine = machine(middle: .zero, Hook())
        var seen: [[State]] = [[], []]
        let first = machine.observe { [clock] _, new in
            seen[0].append(new)
            clock.advance(by: .zero)
        }
        let second = machine.observe { seen[1].append($1) }
        #expect(try machine.send(.go) == .end)
        #expect(seen == [[.start, .middle, .end], [.start, .middle, .end]])
        withExtendedLifetime((first, second)) {}
    }

    @Test func `a state that a hook enters is entered after the step, with its timers`() throws {
        weak var entered: StateMachine<Game.State, Game.Event>?
        let game = StateMachine(
            Game(), on: clock,
            hooks: [
                Hook(will: { _, event, _ in
                    guard case .chooseLevel = event else { return }
                    try entered?.goto("help", [], from: .program)
                })
            ])
        entered = game
        var states: [String] = []
        let token = game.observe { [unowned game] _, _ in states.append(game.place.state) }
        try game.send(.startPlaying)
        try game.send(.chooseEpisode(episode: 1))
        try game.send(.chooseLevel(level: 1))
        #expect(states.suffix(2) == ["playingLevel", "help"])
        #expect(game.timers.map(\.signal) == [.due(.helpTimedOut)])
        withExtendedLifetime(token) {}
    }

    // MARK: entries that were kept

    @Test func `a timer that is set with an entry after its closure has ended`() throws {
        var kept: PlainEntry<State, Event>?
        var machine: StateMachine<State, Event>? = StateMachine(
            initial: { _ in .start }, on: clock,
            select: { _, _, entry throws(Reason) in
                kept = entry
                return .enter(.middle)
            })
        try machine?.send(.go)
        let timer = try #require(kept).countdown(.seconds(1), sends: .due)
        #expect(!timer.isLive && clock.pending.isEmpty)
        #expect(kept?.pendulum(.seconds(1), sends: .due).isLive == false)
        // Nor during another step.
        let observed = try #require(machine)
        var timers: [Countdown] = []
        let token = observed.observe { _, _ in
            if let kept { timers.append(kept.countdown(.seconds(1), sends: .due)) }
        }
        try observed.send(.go)
        #expect(!timers.isEmpty && timers.allSatisfy { !$0.isLive } && clock.pending.isEmpty)
        withExtendedLifetime(token) {}
        kept = nil
        machine = nil
        clock.advance(by: .seconds(2))
    }

    @Test func `a state has at most 256 timers, and further ones have ended`() {
        let machine = StateMachine<State, Event>(
            initial: { entry in
                for _ in 0..<PlainEntry<State, Event>.limit {
                    _ = entry.countdown(.seconds(1), sends: .due)
                }
                #expect(!entry.countdown(.seconds(1), sends: .due).isLive)
                return .start
            }, on: clock,
            select: { _, _, _ throws(Reason) in throw .noTransition })
        #expect(machine.timers.count == 256)
    }

    // MARK: times

    @Test func `a negative countdown fires at once, and a pendulum beats each millisecond at most`()
        throws
    {
        let machine = StateMachine<State, Event>(
            initial: { _ in .start }, on: clock,
            select: { state, event, entry throws(Reason) in
                switch (state, event) {
                case (.start, .go):
                    _ = entry.countdown(.seconds(-5), sends: .due)
                    return .enter(.middle)
                case (.middle, .due):
                    _ = entry.countdown(.seconds(1), remaining: .seconds(-1), sends: .due)
                    _ = entry.pendulum(.zero, sends: .other)
                    return .enter(.end)
                case (.end, .other), (.end, .due): return .keep
                default: throw .noTransition
                }
            })
        try machine.send(.go)
        clock.advance(by: .milliseconds(3))
        #expect(machine.state == .end)
        #expect(machine.timers.map(\.signal) == [.other])
        #expect(machine.timers.map(\.total) == [.milliseconds(1)])
        var fired = 0
        let timer = ScopedCountdown(on: clock, .seconds(-1)) { fired += 1 }
        clock.advance(by: .zero)
        #expect(fired == 1)
        withExtendedLifetime(timer) {}
    }

    // MARK: declared timers

    @Test func `declared timers replace each other, and leave those of the entry`() throws {
        let machine = StateMachine<State, Event>(
            initial: { entry in
                _ = entry.countdown(.seconds(5), sends: .due)
                return .start
            }, on: clock,
            select: { state, event, _ throws(Reason) in
                switch (state, event) {
                case (.start, .other): .keep
                case (.start, .due): .enter(.end)
                default: throw .noTransition
                }
            })
        machine.timers { _ in [.countdown(.seconds(9), sends: .go)] }
        machine.timers { _ in [.countdown(.seconds(1), sends: .other)] }
        #expect(machine.timers.map(\.signal) == [.due, .other])
        clock.advance(by: .seconds(2))
        #expect(machine.timers.map(\.signal) == [.due])
        clock.advance(by: .seconds(3))
        #expect(machine.state == .end)
    }

    @Test func `a step that is refused leaves the timers of the entry apart from declared ones`()
        throws
    {
        let machine = StateMachine<State, Event>(
            initial: { entry in
                _ = entry.countdown(.seconds(5), sends: .due)
                return .start
            }, on: clock, validators: [{ _, event, _ in event != .go }],
            select: { _, event, _ throws(Reason) in
                event == .go ? .enter(.middle) : .enter(.end)
            })
        #expect(machine.sendIfAccepted(.go) == nil)
        machine.timers { _ in [.countdown(.seconds(9), sends: .other)] }
        #expect(machine.timers.map(\.signal) == [.due, .other])
    }

    @Test func `a flow declares its timers itself`() throws {
        let game = StateMachine(Game(), on: clock)
        try game.send(.displayHelp)
        game.timers { _ in [.countdown(.seconds(1), sends: .pause)] }
        #expect(game.timers.map(\.signal) == [.due(.helpTimedOut)])
    }

    // MARK: can

    @Test func `can says what send does, also of a step that keeps the state`() throws {
        let refusing: Validator<State, Event> = { _, event, _ in event == .other }
        let machine = StateMachine<State, Event>(
            initial: { _ in .start }, on: clock, validators: [refusing],
            select: { state, event, _ throws(Reason) in
                switch event {
                case .go: .keep
                case .due: .keep(.start)
                case .other: .keep(.middle)
                }
            })
        for event in [Event.go, .due, .other] {
            #expect(machine.can(event) == (machine.sendIfAccepted(event) != nil), "\(event)")
        }
        // A state that is kept is the same case: its timers run on.
        #expect(machine.state == .start && !machine.can(.other) && machine.can(.go))
    }

    @Test
    func `can says that the queue of deferred events is full, and that a state cannot be made`()
        throws
    {
        let lamp = StateMachine(Defers(), on: clock)
        #expect(!lamp.can(.fail) && lamp.sendIfAccepted(.fail) == nil)
        for _ in 0..<16 { #expect(lamp.can(.wait) && lamp.sendIfAccepted(.wait) != nil) }
        #expect(!lamp.can(.wait) && lamp.sendIfAccepted(.wait) == nil)
        let strict = StateMachine(Defers(), on: clock, validators: [{ _, _, _ in false }])
        #expect(!strict.can(.ring) && strict.sendIfAccepted(.ring) == nil)
    }

    private struct Defers: Flow {
        enum StateName: String, CaseIterable, Sendable { case only }
        typealias State = StateName
        enum Effect: String, FlowEffect { case bell }
        enum Event: FlowEvent {
            typealias Effect = Defers.Effect
            case wait, fail, ring
        }
        var events: [EventSchema<Event>] { EventSchema.plain(.wait, .fail, .ring) }

        func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Self> {
            enter { _ in name }
        }

        func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Self> {
            switch event {
            case .wait: .deferred
            case .fail: enter { _ throws(Reason) in throw .invalid("state", "cannot be made") }
            case .ring: keep(.bell)
            }
        }
    }

    // MARK: other ordinary values

    @Test func `an event that the flow does not have is refused`() throws {
        let quiz = AnyFlow(Quiz())
        let other = try AnyFlow(Game()).event("controllerFound")
        let machine = StateMachine(Quiz(), on: clock)
        #expect(quiz.events.count < 11)
        #expect(throws: Reason.unknownEvent) { try machine.send(other, [], from: .program) }
        var chance = Chance(seed: 1)
        #expect(chance.next(below: 0) == 0)
    }

    @Test func `an empty list of hooks is not ambiguous`() {
        _ = StateMachine(Game(), on: clock, hooks: [])
    }

    // MARK: machines without an actor

    @Test func `a machine that nothing wakes fires its due timers before it is read`() throws {
        let source = ManualClock()
        func machine() -> StateMachine<State, Event> {
            let clock = TaskClock(source, isolation: nil)
            let machine = StateMachine<State, Event>(
                initial: .start, on: clock,
                reduce: { state, event in
                    state == .start && event == .due ? .middle : state == .start ? .end : nil
                })
            machine.timers { $0 == .start ? [.countdown(.seconds(1), sends: .due)] : [] }
            return machine
        }
        let machines = (0..<4).map { _ in machine() }
        source.advance(by: .seconds(2))
        #expect(machines[0].state == .middle)
        #expect(machines[1].timers.isEmpty)
        #expect(!machines[2].can(.go))
        var seen: [State] = []
        let token = machines[3].observe { seen.append($1) }
        #expect(seen == [.middle])
        withExtendedLifetime(token) {}
    }
}
