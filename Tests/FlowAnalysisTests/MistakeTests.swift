import FlowAnalysis
import GameFlow
import ShippedFlows
import Testing
import Timers

/// Flows with one mistake each: the mistake is reported, and nothing traps.
private struct Slip: ValueFlow {
    var name: String { "slip" }
    var initial: StateName { .a }

    enum StateName: String, CaseIterable { case a, b }
    enum State {
        case a
        case b(Int)
    }
    enum Event: FlowEvent {
        case go
        case due(Signal)
    }
    enum Signal: UInt8, CaseIterable { case over }

    var beginsWithData = false
    var refusesSamples = false
    var forgetsItself = false
    var showsOtherData = false
    var throwsInMaking = false
    var hasTwoOfASignal = false
    var passesThrough = false
    var answersItself = false

    var events: [EventSchema<Event>] { [EventSchema(.go)] }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Slip> {
        switch (state, event) {
        case (_, .go) where answersItself:
            enter {
                $0.post("go")
                return .a
            }
        case (.a, .go): enter(nil, .b(1))
        case (.b, .go), (.b, .due(.over)): enter(nil, .a)
        default: throw .noTransition
        }
    }

    func timers(_ state: State) -> [TimerDeclaration<Signal>] {
        guard case .b = state else { return [] }
        let one = TimerDeclaration.countdown(.seconds(1), sends: Signal.over)
        return hasTwoOfASignal ? [one, .pendulum(.seconds(3), sends: .over)] : [one]
    }

    func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .a: StateDescription(.a)
        case .b(let number):
            StateDescription(
                forgetsItself ? .a : .b, [Member(showsOtherData ? "left" : "number", number)])
        }
    }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Slip> {
        switch name {
        case .a:
            if beginsWithData { let _: Int = try data("tries") }
            return enter(nil, .a)
        case .b:
            let number: Int = try data("number")
            if refusesSamples { throw .invalid("number", "not within 2…3") }
            if throwsInMaking { return enter { _ throws(Reason) in throw .invalid("b", "no") } }
            if passesThrough {
                return enter {
                    $0.post("go")
                    return .b(number)
                }
            }
            return enter(nil, .b(number))
        }
    }

    static func with(_ change: (inout Slip) -> Void) -> AnyFlow {
        var slip = Slip()
        change(&slip)
        return AnyFlow(slip)
    }
}

@Suite struct MistakeTests {
    @Test func `a sound flow has no mistakes`() {
        #expect(AnyFlow(Slip()).mistakes == [])
        for flow in AnyFlow.shipped() { #expect(flow.mistakes == [], "\(flow.name)") }
    }

    @Test func `an initial state that needs data is a mistake`() {
        let flow = Slip.with { $0.beginsWithData = true }
        #expect(
            flow.mistakes.first == "it cannot begin in a, without data: invalid: tries: missing")
        expectNoTrap(flow)
    }

    @Test func `a state that refuses all samples is a mistake`() {
        let flow = Slip.with { $0.refusesSamples = true }
        #expect(
            flow.mistakes
                == ["b refuses every sample of its data: invalid: number: not within 2…3"])
        expectNoTrap(flow)
    }

    @Test func `a state with another state's scene is a mistake`() {
        let flow = Slip.with { $0.forgetsItself = true }
        #expect(flow.mistakes == ["entering b shows a"])
        expectNoTrap(flow)
    }

    @Test func `data that do not restore the state are a mistake`() {
        let flow = Slip.with { $0.showsOtherData = true }
        #expect(
            flow.mistakes
                == ["b cannot be entered with the data it shows: invalid: left: unknown"])
        expectNoTrap(flow)
    }

    @Test func `a state that cannot be constructed is a mistake`() {
        let flow = Slip.with { $0.throwsInMaking = true }
        #expect(flow.mistakes == ["b cannot be entered: invalid: b: no"])
        expectNoTrap(flow)
    }

    @Test func `two timers with one signal are a mistake`() {
        let flow = Slip.with { $0.hasTwoOfASignal = true }
        #expect(flow.mistakes == ["b has two timers that send over"])
        expectNoTrap(flow)
    }

    @Test func `a state that posts an event is no mistake`() {
        #expect(Slip.with { $0.passesThrough = true }.mistakes == [])
    }

    @Test(.timeLimit(.minutes(1))) func `a flow that posts events for ever is stopped`() {
        let flow = Slip.with { $0.answersItself = true }
        #expect(flow.mistakes == [])
        #expect(Lint(flow).findings.contains(.unreachableState("b")))
    }

    /// A broken flow still answers.
    private func expectNoTrap(_ flow: AnyFlow) {
        #expect(flow.survey.count == 2)
        #expect(Lint(flow).findings == flow.mistakes.map { .mistake($0) })
    }
}
