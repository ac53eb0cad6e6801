import GameFlow
import Sessions
import ShippedFlows
import Testing

/// Steps of sessions that follow from changes of other ones.
@Suite struct SessionLinksTests {
    /// Links two sessions of the flow `game`, so that each change of one causes a change of the other, without an end: when `a`
    /// shows or hides its help, `b` does the same, and then `a` does the opposite.
    private final class Echo: SessionLinks {
        /// The sends to a session that is not among these sessions.
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

    private static let tooLong = RequestError.limit(which: "linkedSteps", limit: 64)

    @Test func `a chain of sends ends after 64 steps`() throws {
        let fixture = SessionsFixture()
        let echo = Echo()
        try fixture.open("a")
        try fixture.open("b")
        fixture.sessions.links = echo
        try fixture.send("displayHelp", to: "a")
        let seqs = [try fixture.session("a").seq, try fixture.session("b").seq]
        #expect(seqs == [2 + 32, 1 + 32])
        #expect(echo.refusals == [Self.tooLong])
        fixture.sessions.links = nil
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `a chain between sessions of two owners ends after as many steps`() throws {
        let (first, second) = (SessionsFixture(), SessionsFixture())
        let echoes = [Echo(elsewhere: "b"), Echo(elsewhere: "a")]
        try first.open("a")
        try second.open("b")
        (first.sessions.links, second.sessions.links) = (echoes[0], echoes[1])
        try first.send("displayHelp", to: "a")
        var (sent, refusal): (Int, RequestError?) = (0, nil)
        // Far more than the limit, so that a chain without one fails.
        while refusal == nil, sent < 1000, let step = echoes[sent % 2].remote.last {
            let owner = sent % 2 == 0 ? second : first
            guard case .send(let event, let arguments) = step.action else { break }
            refusal = owner.refusal { () throws(RequestError) in
                try owner.send(event, arguments, to: step.target.text, from: step.source)
            }
            sent += 1
        }
        #expect(refusal == Self.tooLong && sent == 65)
        let seqs = [try first.session("a").seq, try second.session("b").seq]
        #expect(seqs == [2 + 32, 1 + 32])
        for fixture in [first, second] {
            fixture.sessions.links = nil
            fixture.closeAllAndExpectNoTimers()
        }
    }

    @Test func `opening a session at the end of such a chain is refused, and opens nothing`() throws
    {
        let fixture = SessionsFixture()
        let source = Source(.session, peer: .device("a"), linkedSteps: 65)
        let refusal = fixture.refusal { () throws(RequestError) in
            _ = try fixture.sessions.open(
                SessionName("b")!, fixture.flow, RequestContext(from: source))
        }
        #expect(refusal == Self.tooLong && fixture.sessions.count == 0)
    }
}
