import GameFlow
import Sessions
import ShippedFlows
import Testing
import Timers

/// A flow that takes each event. `ring` enters the only state again; `peal` does so, too, and posts itself.
private struct Bell: ValueFlow {
    var name: String { "bell" }
    var initial: StateName { .hanging }

    enum StateName: String, CaseIterable { case hanging }
    typealias State = Int
    enum Event: FlowEvent {
        case ring, peal
        case due(Signal)
    }
    enum Signal: UInt8, CaseIterable { case over }

    var events: [EventSchema<Event>] { [EventSchema(.ring), EventSchema(.peal)] }

    func select(_ state: State, _ event: Event) throws(Reason) -> Transition<Bell> {
        guard case .peal = event else { return enter(state + 1) }
        return enter {
            $0.post("peal")
            return state + 1
        }
    }

    func describe(_ state: State) -> StateDescription<StateName> {
        StateDescription(.hanging, [Member("number", state)])
    }

    func entering(_ name: StateName, _ data: Arguments) throws(Reason) -> Transition<Bell> {
        enter(try data.optional("number") ?? 0)
    }
}

/// Links between sessions: a change of one session causes a step of another.
@Suite struct SessionLinksTests {
    /// Links two sessions of the flow `game`, so that each change of a session causes a change of the other session, endlessly.
    /// When `a` shows or hides its help, `b` does the same. Then `a` does the opposite.
    private final class Echo: SessionLinks {
        /// The steps for `remoteSession`. The test sends them to the owner of that session.
        private(set) var remoteSteps: [LinkedStep] = []
        private(set) var refusals: [RequestError] = []
        /// The session that has another owner; empty if both sessions have one owner.
        private let remoteSession: String

        init(remoteSession: String = "") { self.remoteSession = remoteSession }

        func steps(after change: Change, of session: Session) -> [LinkedStep] {
            guard change.kind == .enter, let state = change.step.to?.state else { return [] }
            let isFromA = change.session.text == "a"
            let event = (state == "help") == isFromA ? "displayHelp" : "dismissHelp"
            let step = LinkedStep(
                SessionName(isFromA ? "b" : "a")!, .send(event: event, []), after: change,
                id: "\(change.session.text)-\(change.pos)")
            guard step.target.text != remoteSession else {
                remoteSteps.append(step)
                return []
            }
            return [step]
        }

        func refused(_ step: LinkedStep, from session: SessionName, _ error: RequestError) {
            refusals.append(error)
        }
    }

    private static let chainTooLong = RequestError.limit(which: "linkedSteps", limit: 64)

    @Test func `a chain of steps that cause each other ends after 64 steps`() throws {
        let fixture = SessionsFixture()
        let echo = Echo()
        try fixture.open("a")
        try fixture.open("b")
        fixture.sessions.links = echo
        try fixture.send("displayHelp", to: "a")
        // `a` has the opening and the first displayHelp, `b` the opening. Each has half of the 64 steps.
        let seqs = [try fixture.session("a").seq, try fixture.session("b").seq]
        #expect(seqs == [2 + 32, 1 + 32])
        #expect(echo.refusals == [Self.chainTooLong])
        fixture.sessions.links = nil
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `a chain of steps between sessions of two owners also ends after 64 steps`() throws {
        let (ownerOfA, ownerOfB) = (SessionsFixture(), SessionsFixture())
        let echoes = [Echo(remoteSession: "b"), Echo(remoteSession: "a")]
        try ownerOfA.open("a")
        try ownerOfB.open("b")
        (ownerOfA.sessions.links, ownerOfB.sessions.links) = (echoes[0], echoes[1])
        try ownerOfA.send("displayHelp", to: "a")
        var (sent, refusal): (Int, RequestError?) = (0, nil)
        // The loop sends far more steps than the limit allows, so the test fails if the chain has no limit.
        while refusal == nil, sent < 1000, let step = echoes[sent % 2].remoteSteps.last {
            let owner = sent % 2 == 0 ? ownerOfB : ownerOfA
            guard case .send(let event, let arguments) = step.action else { break }
            refusal = owner.refusal { () throws(RequestError) in
                try owner.send(event, arguments, to: step.target.text, from: step.source)
            }
            sent += 1
        }
        // The 65th step is sent and refused.
        #expect(refusal == Self.chainTooLong && sent == 65)
        let seqs = [try ownerOfA.session("a").seq, try ownerOfB.session("b").seq]
        #expect(seqs == [2 + 32, 1 + 32])
        for fixture in [ownerOfA, ownerOfB] {
            fixture.sessions.links = nil
            fixture.closeAllAndExpectNoTimers()
        }
    }

    /// Links a hub and two other sessions of the flow `Bell`: each change of the hub causes a change of both others, and each of
    /// their changes a change of the hub. Within a chain of 64 steps these would be 2^32 changes of the hub.
    private final class FanOut: SessionLinks {
        var errors: [String: [RequestError]] = [:]

        func steps(after change: Change, of session: Session) -> [LinkedStep] {
            guard change.kind == .enter else { return [] }
            return (change.session.text == "hub" ? ["b", "c"] : ["hub"]).map { target in
                LinkedStep(
                    SessionName(target)!, .send(event: "ring", []), after: change,
                    id: "\(change.session.text)-\(change.pos)-\(target)")
            }
        }

        func refused(_ step: LinkedStep, from session: SessionName, _ error: RequestError) {
            errors[step.target.text, default: []].append(error)
        }
    }

    private static let tooManySteps = RequestError.limit(which: "linkedSteps", limit: 1000)

    /// `ring` is one step, `peal` posts a `ring` that posts the next one, and so on.
    @Test(arguments: ["ring", "peal"])
    func `all steps that one request causes, in all sessions, are at most 1000`(_ event: String)
        throws
    {
        let flow = AnyFlow(Bell())
        #expect(flow.mistakes == [])
        let sessions = Sessions([flow], on: VirtualClock())
        let context = RequestContext(from: SessionsFixture.player)
        for name in ["hub", "b", "c"] {
            _ = try sessions.open(SessionName(name)!, flow, context)
        }
        let links = FanOut()
        sessions.links = links
        // Each request has a count of its own.
        for _ in 1...2 {
            let first = sessions.pos
            try sessions.send(event, to: sessions.session(SessionName("hub")!), context)
            #expect(sessions.pos - first == (event == "ring" ? 1000 : 1001))
            for errors in links.errors.values {
                // A session is refused once, besides what a chain of 64 steps ends.
                #expect(errors.count { $0 == Self.tooManySteps } <= 1)
            }
            #expect(links.errors.values.joined().contains(Self.tooManySteps))
            links.errors = [:]
        }
        sessions.links = nil
        for session in sessions.all { try sessions.close(session, context) }
    }

    @Test func `the steps of one change share the number of steps that it may cause`() throws {
        let fixture = SessionsFixture()
        try fixture.open("a")
        func steps(_ share: Int, _ count: Int) throws -> LinkedStep {
            let source = Source(.session, peer: .device("x"), linkedSteps: 1, linkedShare: share)
            let event =
                try fixture.session("a").machine.place.state == "help"
                ? "dismissHelp" : "displayHelp"
            let change = try fixture.send(event, to: "a", from: source)
            return LinkedStep(
                SessionName("b")!, .open(flow: nil), after: change, id: "1", count: count)
        }
        #expect(try steps(1000, 1).source.linkedShare == 999)
        #expect(try steps(1000, 9).source.linkedShare == 111)
        #expect(try steps(3, 2).remoteSource.linkedSteps == 2)
        // Nothing is left for the steps: another owner refuses them, as it refuses a chain that is too long.
        let last = try steps(2, 2)
        #expect(last.source.linkedShare == 0 && last.remoteSource.linkedSteps == 65)
        #expect(try steps(0, 0).source.linkedShare == 0)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `a request of another owner's session has only its share of steps`() throws {
        let flow = AnyFlow(Bell())
        let sessions = Sessions([flow], on: VirtualClock())
        let context = RequestContext(from: SessionsFixture.player)
        for name in ["hub", "b", "c"] { _ = try sessions.open(SessionName(name)!, flow, context) }
        let links = FanOut()
        sessions.links = links
        let first = sessions.pos
        let source = Source(.session, peer: .device("x"), linkedSteps: 1, linkedShare: 20)
        try sessions.send(
            "ring", to: sessions.session(SessionName("hub")!), RequestContext(from: source))
        #expect(sessions.pos - first == 20)
        sessions.links = nil
        for session in sessions.all { try sessions.close(session, context) }
    }

    @Test func `opening a session as the 65th step of a chain is refused`() throws {
        let fixture = SessionsFixture()
        let source = Source(.session, peer: .device("a"), linkedSteps: 65)
        let refusal = fixture.refusal { () throws(RequestError) in
            _ = try fixture.sessions.open(
                SessionName("b")!, fixture.flow, RequestContext(from: source))
        }
        #expect(refusal == Self.chainTooLong && fixture.sessions.count == 0)
    }
}
