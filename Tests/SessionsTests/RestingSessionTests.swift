import JSONCoding
import Sessions
import TestSupport
import Testing
import Timers

@testable import GameFlow

/// Sessions whose newest change has left the ring of the newest changes.
@Suite struct RestingSessionTests {
    private let fixture = SessionsFixture(limits: Self.limits(ring: 4))

    private static func limits(ring: Int) -> Limits {
        var limits = Limits()
        limits.ring = ring
        return limits
    }

    /// Opens a session in a state with data, and lets its change leave the ring.
    private func openAndRest() throws {
        try fixture.open(
            "resting", "playingLevel", [Member("episode", 2), Member("level", 3)])
        try fixture.open("other")
        for _ in 1...2 {
            try fixture.send("displayHelp", to: "other")
            try fixture.send("dismissHelp", to: "other")
        }
    }

    @Test func `a session that rests has its state, its numbers and its timers`() throws {
        try openAndRest()
        let session = try fixture.session("resting")
        #expect((session.seq, session.entry, session.lastPos) == (1, 1, 1))
        #expect(
            try fixture.status("resting").contains(#""data":{"episode":2,"level":3}"#))
        #expect(session.machine.liveTimers.count == 2)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `a list shows the state of a session that rests and keeps nothing of it in memory`()
        throws
    {
        try openAndRest()
        let session = try fixture.session("resting")
        #expect(session.shownState == "playingLevel")
        #expect(session.machine.cachedRecord == nil)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `the refusal of a late event says what a session that rests did last`() throws {
        try openAndRest()
        let error = fixture.refusal { () throws(RequestError) in
            try fixture.send("startPlaying", to: "resting")
        }
        let data = JSONWriter.text(ofData: try #require(error))
        #expect(data.contains(#""last":{"event":null"#), "\(data)")
        #expect(data.contains(#""pid":11"#) && data.contains(#""seq":1,"atMs":0"#), "\(data)")
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `the next change of a session that rests has the state before it`() throws {
        try openAndRest()
        let change = try fixture.send("returnHome", to: "resting")
        #expect((change.seq, change.entry) == (2, change.pos))
        #expect(change.step.from?.data == [Member("episode", 2), Member("level", 3)])
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `the history of a session that rests has its newest change`() throws {
        try openAndRest()
        let page = fixture.sessions.history(of: try fixture.session("resting"), limit: 10)
        #expect(page.records.count == 1)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `a watcher that has seen the newest change of a session that rests misses nothing`()
        throws
    {
        try openAndRest()
        let watcher = RecordingWatcher()
        let result = try fixture.sessions.watch(
            .session(SessionName("resting")!), since: 1, .changes, by: watcher)
        guard case .nothing = result.missed else {
            Issue.record("\(result.missed)")
            return
        }
        try fixture.sessions.unwatch(.session(SessionName("resting")!), by: watcher)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test(arguments: seeds(4, long: 40))
    func `random requests get the same answers when the ring is small`(seed: UInt64) throws {
        let (small, large) = (
            SessionsFixture(limits: Self.limits(ring: 3)),
            SessionsFixture(limits: Self.limits(ring: 65_536))
        )
        var random = SeededRandom(seed)
        for number in 0..<600 {
            let name = random.pick(["a", "b", "c", "d", "e"])
            let request = random.below(12)
            let events = [
                "startPlaying", "displayHelp", "dismissHelp", "returnHome", "pause", "resume",
            ]
            let event = random.pick(events)
            let answers = [small, large].map { fixture in
                Self.answer(fixture, request, event, name)
            }
            #expect(answers[0] == answers[1], "seed \(seed), request \(number)")
        }
        small.closeAllAndExpectNoTimers()
        large.closeAllAndExpectNoTimers()
    }

    /// Makes a request, and describes the answer and then the session.
    private static func answer(
        _ fixture: SessionsFixture, _ request: Int, _ event: String, _ name: String
    ) -> String {
        do throws(RequestError) {
            switch request {
            case 0: fixture.time.advance(by: .seconds(7))
            case 1:
                _ = try fixture.sessions.close(
                    fixture.session(name), RequestContext(from: SessionsFixture.player))
            case 2:
                try fixture.sessions.goto(
                    "playingLevel", [Member("episode", 1), Member("level", 2)],
                    fixture.session(name), RequestContext(from: SessionsFixture.player))
            case 3: try fixture.open(name)
            default: return try fixture.send(event, to: name).text
            }
        } catch { return "\(error) \(JSONWriter.text(ofData: error))" }
        return (try? fixture.status(name)) ?? "no session"
    }
}
