import GameFlow
import Sessions
import Testing
import Timers

/// A flow that counts without a limit, but refuses to enter its state with a number above 3. A session with a greater
/// number cannot be restored.
private struct ThreeAtMost: ValueFlow {
    var name: String { "three" }
    var initial: StateName { .counting }

    enum StateName: String, CaseIterable { case counting }
    typealias State = Int
    enum Event: FlowEvent {
        case count
        case due(Signal)
    }
    enum Signal: UInt8, CaseIterable { case over }

    var events: [EventSchema<Event>] { [EventSchema(.count)] }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<ThreeAtMost> {
        keep(nil, state + 1)
    }

    func describe(_ state: State) -> StateDescription<StateName> {
        StateDescription(.counting, [Member("number", state)])
    }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<ThreeAtMost> {
        let number: Int = try data.optional("number") ?? 0
        guard number <= 3 else { throw .invalid("number", "not within 0…3") }
        return enter(number)
    }
}

@Suite struct UnrestorableTests {
    @Test
    func
        `a change that a restart would refuse is reported with the state, the data and the reason`()
        throws
    {
        let flow = AnyFlow(ThreeAtMost())
        #expect(flow.mistakes == [])
        let sessions = Sessions([flow], on: VirtualClock())
        var reported: [String] = []
        sessions.reportUnrestorable = { reported.append($0.sentence) }
        let session = try sessions.open(.main, flow, RequestContext(from: SessionsFixture.player))
        for _ in 1...3 {
            _ = try sessions.send(
                "count", [], to: session, RequestContext(from: SessionsFixture.player))
        }
        #expect(reported == [])
        _ = try sessions.send(
            "count", [], to: session, RequestContext(from: SessionsFixture.player))
        #expect(
            reported == [
                #"session main would be lost at a restart: flow three refuses to enter counting with {"number":4}: invalid: number: not within 0…3"#
            ])
        try sessions.close(session, RequestContext(from: SessionsFixture.player))
    }
}
