import GameFlow
import Testing
import Timers

/// A flow with a mistake: a `keep` returns a value of another state.
private struct DifferentStateFlow: Flow {
    var name: String { "slippery" }
    var initial: StateName { .here }
    enum StateName: String, CaseIterable { case here, there }
    enum State {
        case here(Countdown)
        case there
    }
    enum Event: FlowEvent {
        case slip
        case due(Signal)
    }
    enum Signal: UInt8, CaseIterable { case over }

    var events: [EventSchema<Event>] { [EventSchema(.slip)] }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<DifferentStateFlow> {
        switch (state, event) {
        case (.here, .slip): keep(nil, .there)
        case (.here, .due(.over)): enter { _ in .there }
        default: throw .noTransition
        }
    }

    func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .here: StateDescription(.here)
        case .there: StateDescription(.there)
        }
    }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<
        DifferentStateFlow
    > {
        switch name {
        case .here: enter { .here($0.countdown(.seconds(1), .over)) }
        case .there: enter { _ in .there }
        }
    }
}

@Suite struct KeepTests {
    @Test func `keeping a different state is refused and changes nothing`() throws {
        let fixture = try MachineFixture(DifferentStateFlow())
        let before = fixture.summary
        #expect(fixture.refusal("slip") == .invalid("state", "here is kept as there"))
        #expect(fixture.summary == before)
        fixture.time.advance(by: .seconds(1))
        #expect(fixture.state == "there")
        fixture.expectOnlyItsOwnTimers()
    }
}
