import GameFlow
import Testing
import Timers

/// A flow that can go back: a game with a pause.
private struct BackFlow: Flow {
    enum State {
        case playing(score: Int)
        case paused
    }
    enum StateName: String, CaseIterable { case playing, paused }
    enum Signal: UInt8, CaseIterable { case timeUp, beat }
    enum Effect: String, FlowEffect { case click }
    enum Event: FlowEvent {
        typealias Signal = BackFlow.Signal
        typealias Effect = BackFlow.Effect
        case score, pause, resume
        case due(Signal)
    }

    var events: [EventSchema<Event>] {
        [EventSchema(.score), EventSchema(.pause), EventSchema(.resume)]
    }
    var statesWithBack: [StateName] { [.paused] }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<BackFlow> {
        switch (state, event) {
        case (.playing(let score), .score): keep(nil, .playing(score: score + 1))
        case (.playing, .pause): enter { _ in .paused }
        case (.playing, .due(.beat)): .keep
        case (.paused, .resume): back(.click)
        case (.paused, .due(.timeUp)): back()
        default: throw .noTransition
        }
    }

    func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .playing(let score): StateDescription(.playing, [Member("score", score)])
        case .paused: StateDescription(.paused)
        }
    }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<BackFlow> {
        switch name {
        case .playing:
            let score: Int = try data.optional("score") ?? 0
            return enter { entry in
                _ = entry.countdown(.seconds(60), .timeUp)
                _ = entry.pendulum(.seconds(7), .beat)
                return .playing(score: score)
            }
        case .paused: return enter { _ in .paused }
        }
    }
}

/// Going back in flows written in Swift.
@Suite struct BackTransitionTests {
    @Test func `the state is entered again as it was`() throws {
        let clock = VirtualClock()
        let machine = StateMachine(BackFlow(), on: clock)
        try machine.send(.score)
        clock.advance(by: .seconds(10))
        try machine.send(.pause)
        #expect(machine.can(.resume))
        clock.advance(by: .seconds(100))
        try machine.send(.resume)
        guard case .playing(score: 1) = machine.state else {
            Issue.record("\(machine.state)")
            return
        }
        #expect(machine.timers.map(\.remaining) == [.seconds(50), .seconds(4)])
        #expect(machine.moments == [])
    }

    @Test func `without a moment the event is refused`() throws {
        let clock = VirtualClock()
        let machine = StateMachine(BackFlow(), on: clock)
        machine.start(at: .paused)
        #expect(!machine.can(.resume))
        #expect(machine.sendIfAccepted(.resume) == nil)
    }

    @Test func `a signal that only goes back is not a mistake`() {
        #expect(AnyFlow(BackFlow()).mistakes == [])
    }
}
