import GameFlow
import Sessions
import ShippedFlows
import Testing

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
