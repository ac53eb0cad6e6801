import GameFlow
import Sessions
import ShippedFlows
import Testing

/// Links between sessions: a change of one session causes a step of another.
@Suite struct SessionLinksTests {
    /// Links two sessions of the flow `game`, so that each change of one causes a change of the other, endlessly: when `a`
    /// shows or hides its help, `b` does the same, and then `a` does the opposite.
    private final class Echo: SessionLinks {
        /// The steps for the session `elsewhere`, which has another owner.
        private(set) var remote: [LinkedStep] = []
        private(set) var refusals: [RequestError] = []
        private let elsewhere: String

        init(elsewhere: String = "") { self.elsewhere = elsewhere }

        func steps(after change: Change, of session: Session) -> [LinkedStep] {
            guard change.kind == .enter, let state = change.step.to?.state else { return [] }
            let isFirst = change.session.text == "a"
            let event = (state == "help") == isFirst ? "displayHelp" : "dismissHelp"
            let step = LinkedStep(
                SessionName(isFirst ? "b" : "a")!, .send(event: event, []), after: change,
                id: "\(change.session.text)-\(change.pos)")
            guard step.target.text != elsewhere else {
                remote.append(step)
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
        let seqs = [try fixture.session("a").seq, try fixture.session("b").seq]
        #expect(seqs == [2 + 32, 1 + 32])
        #expect(echo.refusals == [Self.chainTooLong])
        fixture.sessions.links = nil
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `a chain of steps between sessions of two owners also ends after 64 steps`() throws {
        let (ownerOfA, ownerOfB) = (SessionsFixture(), SessionsFixture())
        let echoes = [Echo(elsewhere: "b"), Echo(elsewhere: "a")]
        try ownerOfA.open("a")
        try ownerOfB.open("b")
        (ownerOfA.sessions.links, ownerOfB.sessions.links) = (echoes[0], echoes[1])
        try ownerOfA.send("displayHelp", to: "a")
        var (sent, refusal): (Int, RequestError?) = (0, nil)
        // The loop sends far more steps than the limit allows, so the test fails if the chain has no limit.
        while refusal == nil, sent < 1000, let step = echoes[sent % 2].remote.last {
            let owner = sent % 2 == 0 ? ownerOfB : ownerOfA
            guard case .send(let event, let arguments) = step.action else { break }
            refusal = owner.refusal { () throws(RequestError) in
                try owner.send(event, arguments, to: step.target.text, from: step.source)
            }
            sent += 1
        }
        #expect(refusal == Self.chainTooLong && sent == 65)
        let seqs = [try ownerOfA.session("a").seq, try ownerOfB.session("b").seq]
        #expect(seqs == [2 + 32, 1 + 32])
        for fixture in [ownerOfA, ownerOfB] {
            fixture.sessions.links = nil
            fixture.closeAllAndExpectNoTimers()
        }
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
