import GameFlow
import ShippedFlows
import Testing
import Timers

/// One definition for all machines of a flow.
@Suite struct DefinitionTests {
    @Test func `machines of one definition have states and clocks of their own`() throws {
        let definition = FlowDefinition(Game())
        let clock = VirtualClock()
        let (a, b) = (definition.machine(on: clock), definition.machine(on: clock))
        try a.send(.startPlaying)
        #expect(a.place.state == "choosingEpisode")
        #expect(b.place.state == "introduction")
        clock.advance(by: .seconds(60))
        #expect(a.place.state == "introduction")
    }

    @Test func `a definition passes hooks, validators and the policy on`() throws {
        var entered: [String] = []
        let hook = Hook<Game.State, Game.Event>(
            "log", did: { _, event, _ in entered.append("\(event)") })
        let machine = FlowDefinition(Game()).machine(
            on: VirtualClock(), hooks: [hook], validators: [{ _, _, _ in true }],
            unhandled: .ignore)
        try machine.send(.startPlaying)
        try machine.send(.pause)
        #expect(entered == ["startPlaying"])
    }

    @MainActor @Test func `without a clock the timers fire on the caller's actor`() async throws {
        let machine = FlowDefinition(Game()).machine()
        try machine.send(.startPlaying)
        #expect(machine.timers.count == 1)
    }
}

/// Article D's machine: a throwing selector whose states contain their timers, without a flow type.
@Suite struct SelectorMachineTests {
    private enum GameState {
        case introduction
        case choosingLevel(Int)
        case playingLevel(Int, Int, Countdown, Pendulum)
        case finished(Int)
    }

    private enum GameEvent: Equatable {
        case chooseEpisode(Int)
        case chooseLevel(Int)
        case timeUp, tick, again, nothing
    }

    private let clock = VirtualClock()

    private func machine(ticks: @escaping () -> Void = {}) -> StateMachine<GameState, GameEvent> {
        // swift-format-ignore: OnlyOneTrailingClosureArgument
        StateMachine<GameState, GameEvent>(initial: { _ in .introduction }, on: clock) {
            state, event, entry throws(Reason) in
            switch (state, event) {
            case (.introduction, .chooseEpisode(let episode)):
                return .enter(.choosingLevel(episode))
            case (.choosingLevel(let episode), .chooseLevel(let level)),
                (.playingLevel(let episode, let level, _, _), .again) where level > 0:
                return .enter(
                    .playingLevel(
                        episode, level, entry.countdown(.seconds(90), sends: .timeUp),
                        entry.pendulum(.seconds(1), sends: .tick)))
            case (.playingLevel, .tick):
                ticks()
                return .keep
            case (.playingLevel(_, let level, _, _), .timeUp): return .enter(.finished(level))
            default: throw .noTransition
            }
        }
    }

    @Test func `the state's timers send their events, and end with the state`() throws {
        var ticks = 0
        let game = machine { ticks += 1 }
        try game.send(.chooseEpisode(2))
        try game.send(.chooseLevel(3))
        guard case .playingLevel(2, 3, let countdown, _) = game.state else {
            Issue.record("\(game.state)")
            return
        }
        #expect(countdown.remaining == .seconds(90))
        clock.advance(by: .seconds(89))
        #expect(ticks == 89)
        #expect(countdown.remaining == .seconds(1))
        clock.advance(by: .seconds(1))
        guard case .finished(3) = game.state else {
            Issue.record("\(game.state)")
            return
        }
        #expect(clock.timerQueue.count == 0)
    }

    @Test func `a refused event and a question set no timer`() throws {
        let game = machine()
        try game.send(.chooseEpisode(1))
        #expect(game.can(.chooseLevel(1)))
        #expect(!game.can(.timeUp))
        #expect(clock.timerQueue.count == 0)
        #expect(throws: Refusal<GameState, GameEvent>.self) { try game.send(.nothing) }
        #expect(game.sendIfAccepted(.nothing) == nil)
        #expect(clock.timerQueue.count == 0)
        try game.send(.chooseLevel(1))
        clock.advance(by: .seconds(30))
        try game.send(.again)
        #expect(clock.timerQueue.count == 2)
        clock.advance(by: .seconds(89))
        guard case .playingLevel = game.state else {
            Issue.record("\(game.state)")
            return
        }
    }

    @Test func `a state can be kept with other data`() throws {
        // swift-format-ignore: OnlyOneTrailingClosureArgument
        let counter = StateMachine<(Int, Countdown?), Int>(
            initial: { ($0.pendulum(.seconds(1), sends: 1), (0, nil)).1 }, on: clock
        ) { state, event, _ throws(Reason) in
            event > 10 ? .keep : .keep((state.0 + event, state.1))
        }
        clock.advance(by: .seconds(5))
        #expect(counter.state.0 == 5)
        try counter.send(20)
        #expect(counter.state.0 == 5)
    }
}

/// Effects with their types, and values that leave the isolation of a machine.
@Suite struct TypedEffectTests {
    private nonisolated struct KYC: ValueFlow {
        enum StateName: String, CaseIterable, Sendable {
            case start, first, second, third, done, failed
        }
        typealias State = StateName
        enum Event: FlowEvent, Equatable, Sendable {
            case begin, uploaded, failed

            enum Effect: FlowEffect, Equatable, Sendable {
                case upload(documents: Int, attempt: Int)
                case showHome

                var arguments: [Member] {
                    switch self {
                    case .upload(let documents, let attempt):
                        [Member("documents", documents), Member("attempt", attempt)]
                    case .showHome: []
                    }
                }
            }
        }

        var events: [EventSchema<Event>] { EventSchema.plain(.begin, .uploaded, .failed) }

        func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Self> {
            switch (state, event) {
            case (.start, .begin): enter(.upload(documents: 2, attempt: 1), .first)
            case (.first, .failed): enter(.upload(documents: 2, attempt: 2), .second)
            case (.second, .failed): enter(.upload(documents: 2, attempt: 3), .third)
            case (.third, .failed): enter(.failed)
            case (.first, .uploaded), (.second, .uploaded), (.third, .uploaded):
                enter(.showHome, .done)
            default: throw .noTransition
            }
        }
    }

    @MainActor @Test func `one switch handles all effects`() async throws {
        let machine = StateMachine(KYC(), on: VirtualClock())
        machine.handle { effect in
            switch effect {
            case .upload(_, let attempt): attempt < 3 ? .failed : .uploaded
            case .showHome: nil
            }
        }
        try machine.send(.begin)
        await machine.finishHandlers()
        #expect(machine.state == .done)
    }

    @MainActor @Test func `the handler of one effect takes precedence`() async throws {
        let machine = StateMachine(KYC(), on: VirtualClock())
        machine.handle { _ in .failed }
        machine.handle(.upload(documents: 2, attempt: 1)) { .uploaded }
        try machine.send(.begin)
        await machine.finishHandlers()
        #expect(machine.state == .done)
    }

    @MainActor @Test func `another actor reads the states`() async throws {
        let machine = StateMachine(KYC(), on: VirtualClock())
        let states = machine.stream()
        let reader = Task.detached {
            var seen: [KYC.State] = []
            for await state in states {
                seen.append(state)
                if state == .done { break }
            }
            return seen
        }
        try machine.send(.begin)
        try machine.send(.uploaded)
        #expect(await reader.value == [.start, .first, .done])
    }

    @MainActor @Test func `a derived value of a derived value is a stream, too`() async throws {
        var machine: StateMachine? = StateMachine(KYC(), on: VirtualClock())
        let attempt = machine!.derive { state in
            switch state {
            case .first: 1
            case .second: 2
            case .third: 3
            default: 0
            }
        }
        let text = attempt.map { "attempt \($0)" }
        #expect(text.value == "attempt 0")
        let texts = text.stream()
        try machine!.send(.begin)
        try machine!.send(.failed)
        try machine!.send(.uploaded)
        machine = nil
        var seen: [String] = []
        for await text in texts { seen.append(text) }
        #expect(seen == ["attempt 0", "attempt 1", "attempt 2", "attempt 0"])
    }
}
