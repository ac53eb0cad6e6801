import GameFlow
import Sessions
import Testing
import Timers

/// A flow with a hook that refuses each transition.
private struct Door: ValueFlow {
    var name: String { "door" }
    var initial: StateName { .shut }
    enum StateName: String, CaseIterable { case shut, open }
    typealias State = StateName
    enum Event: FlowEvent {
        typealias Effect = Door.Effect
        case push
        case due(Signal)
    }
    enum Signal: UInt8, CaseIterable { case slam }
    enum Effect: String, FlowEffect { case creak }

    var events: [EventSchema<Event>] { [EventSchema(.push)] }
    func hooks() -> [Hook<State, Event>] {
        [Hook("bolt", will: { _, _, _ in throw HookError("the door is bolted") })]
    }
    func timers(_ state: State) -> [TimerDeclaration<Signal>] {
        state == .open ? [.countdown(.seconds(1), sends: .slam)] : []
    }
    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Door> {
        switch (state, event) {
        case (.shut, .push): enter(.creak, .open)
        case (.open, .due(.slam)): enter(.shut)
        default: throw .noTransition
        }
    }
}

@Suite struct HookRefusalTests {
    @Test func `a refusal by a hook is an error with the hook's name and reason`() throws {
        let time = VirtualClock()
        let flow = AnyFlow(Door())
        let sessions = Sessions([flow], on: time)
        let session = try sessions.open(.main, flow, RequestContext(from: SessionsFixture.player))
        #expect(throws: RequestError.hookRefused(hook: "bolt", why: "the door is bolted")) {
            try sessions.send("push", to: session, RequestContext(from: SessionsFixture.player))
        }
        #expect(session.seq == 1)
        #expect(time.timerQueue.count == 0)
    }

    @Test func `a signal that a hook refuses is reported as refused, and the state is unchanged`()
        throws
    {
        let time = VirtualClock()
        let flow = AnyFlow(Door())
        let sessions = Sessions([flow], on: time)
        let session = try sessions.open(
            .main, flow, state: "open", RequestContext(from: SessionsFixture.player))
        time.advance(by: .seconds(1))
        #expect(session.machine.place.state == "open")
        let page = sessions.history(of: session, limit: 10)
        guard case .refusal(let refused)? = page.records.first else {
            Issue.record("the history does not contain the refusal")
            return
        }
        #expect(refused.seq == 1)
        try sessions.close(session, RequestContext(from: SessionsFixture.player))
        #expect(time.timerQueue.count == 0)
    }
}
