import GameFlow
import Testing
import Timers

/// `can` asks in a trial what an event would do. The trial changes nothing, also if a step of the same machine asks.
@Suite struct TrialTests {
    private enum State: String { case start, middle, end }
    private enum Event: String, CaseIterable { case go, ask, due }

    private let clock = VirtualClock()

    @Test func `a selector that asks can goes on setting timers`() throws {
        weak var asked: StateMachine<State, Event>?
        let machine = StateMachine<State, Event>(
            initial: { _ in .start }, on: clock,
            select: { _, event, entry throws(Reason) in
                guard event == .go else {
                    _ = entry.countdown(.seconds(1), sends: .due)
                    return .enter(.end)
                }
                let first = entry.countdown(.seconds(5), sends: .due)
                #expect(asked?.can(.ask) == true)
                let second = entry.countdown(.seconds(7), sends: .due)
                #expect(first.isLive && second.isLive)
                return .enter(.middle)
            })
        asked = machine
        #expect(try machine.send(.go) == .middle)
        #expect(machine.timers.map(\.remaining) == [.seconds(5), .seconds(7)])
        #expect(clock.pending.count == 2)
    }

    @Test func `a state that asks can while it is entered again gets its timers as they were`()
        throws
    {
        let flow = Asking()
        let machine = StateMachine(flow, on: clock)
        flow.asks = { [unowned machine] in #expect(machine.can(.back)) }
        try machine.send(.away)
        clock.advance(by: .seconds(4))
        try machine.send(.back)
        #expect(flow.wasRestoring == [true, true])
        #expect(machine.timers.map(\.remaining) == [.seconds(20)])
    }

    @Test func `a step that asks can after a draw is reported`() throws {
        let (flow, steps) = (Asking(), Steps())
        let machine = StateMachine(flow, on: clock, hooks: [steps])
        flow.asks = { [unowned machine] in #expect(machine.can(.draw)) }
        try machine.send(.draw)
        #expect(steps.events.last == "draw")
    }

    private final class Steps: StepHook {
        let name = "steps"
        var events: [String] = []
        func after(_ step: Step, at now: Instant) { events.append(step.event?.name ?? "") }
    }

    /// A flow whose transitions call `asks`, each once.
    private final class Asking: Flow {
        enum StateName: String, CaseIterable, Sendable { case home, away }
        typealias State = StateName
        enum Signal: UInt8, CaseIterable { case over }
        enum Event: FlowEvent, CaseIterable {
            typealias Signal = Asking.Signal
            static var allCases: [Event] { [.away, .back, .draw] }
            case away, back, draw
            case due(Signal)
        }
        var statesWithBack: [StateName] { [.away] }
        var asks: (() -> Void)?
        private(set) var wasRestoring: [Bool] = []

        private func ask() {
            let asks = asks
            self.asks = nil
            asks?()
            self.asks = asks
        }

        func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Asking> {
            switch (state, event) {
            case (.home, .away), (.away, .away): return enter { _ in .away }
            case (.away, .back): return back()
            case (_, .draw):
                return Transition(enters: false, effects: []) { [self] entry in
                    entry.recordDraw()
                    ask()
                    return state
                }
            default: throw .noTransition
            }
        }

        func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Asking> {
            enter { [self] entry in
                guard name == .home else { return name }
                if asks != nil { wasRestoring.append(entry.isRestoring) }
                ask()
                if asks != nil { wasRestoring.append(entry.isRestoring) }
                _ = entry.countdown(.seconds(20), .over)
                return name
            }
        }
    }
}
