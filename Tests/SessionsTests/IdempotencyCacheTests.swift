import GameFlow
import Testing
import Timers

@testable import Sessions

@Suite struct IdempotencyCacheTests {
    @Test func `a repeated id gets the first reply and changes nothing`() throws {
        let fixture = SessionsFixture()
        try fixture.open()
        let first = try fixture.send("displayHelp", id: "k1")
        let before = try fixture.status()
        #expect(try fixture.send("displayHelp", id: "k1") === first)
        #expect(try fixture.send("whatever", [Member("x", 1)], id: "k1") === first)
        #expect(try fixture.status() == before)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `a refused request with a repeated id is evaluated again`() throws {
        let fixture = SessionsFixture()
        try fixture.open()
        #expect(
            try fixture.refusal { () throws(RequestError) in
                try fixture.send("dismissHelp", id: "k")
            }
                == fixture.noTransition("dismissHelp", in: "introduction"))
        try fixture.send("displayHelp")
        #expect(try fixture.send("dismissHelp", id: "k").seq == 3)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `request ids belong to a session and are removed with the session`() throws {
        let fixture = SessionsFixture()
        try fixture.open("a")
        try fixture.open("b")
        try fixture.send("displayHelp", to: "a", id: "k")
        #expect(try fixture.send("displayHelp", to: "b", id: "k").session.text == "b")
        try fixture.sessions.close(
            fixture.session("a"), RequestContext(from: SessionsFixture.player))
        try fixture.open("a")
        #expect(try fixture.send("displayHelp", to: "a", id: "k").seq == 2)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `the oldest ids of a session are removed first`() throws {
        var limits = Limits()
        limits.idsPerSession = 4
        let fixture = SessionsFixture(limits: limits)
        try fixture.open()
        for number in 1...6 {
            try fixture.send(number % 2 == 1 ? "displayHelp" : "dismissHelp", id: "k\(number)")
        }
        // The answers to k3 to k6 are remembered. The id k2 was removed, so its event makes a new change.
        #expect(try fixture.send("displayHelp", id: "k3").seq == 4)
        #expect(try fixture.send("displayHelp", id: "k2").seq == 8)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `if all sessions have too many ids together, the oldest are removed first`() throws {
        var limits = Limits()
        limits.ids = 5
        let fixture = SessionsFixture(limits: limits)
        for name in ["a", "b", "c", "d", "e", "f"] {
            try fixture.open(name)
            try fixture.send("displayHelp", to: name, id: "k")
        }
        // A remembered id gets the answer to displayHelp, although the event is now pause. The id of `a` was removed.
        #expect(try fixture.send("pause", to: "b", id: "k").seq == 2)
        #expect(
            try fixture.refusal { () throws(RequestError) in
                try fixture.send("pause", to: "a", id: "k")
            } == fixture.noTransition("pause", in: "help", of: "a"))
        fixture.closeAllAndExpectNoTimers()
    }

    @Test
    func `an id that the limit of all sessions removed leaves room in its own session`()
        throws
    {
        var limits = Limits()
        (limits.ids, limits.idsPerSession) = (2, 4)
        let fixture = SessionsFixture(limits: limits)
        for name in ["a", "b", "c"] { try fixture.open(name) }
        for round in 0..<20 {
            for name in ["a", "b", "c"] {
                try fixture.send(
                    round % 2 == 0 ? "displayHelp" : "dismissHelp", to: name, id: "k\(round)")
            }
        }
        // Only the answers to the two newest requests, k19 to `b` and k19 to `c`, are remembered.
        #expect(try fixture.send("pause", to: "c", id: "k19").seq == 21)
        #expect(try fixture.send("pause", to: "b", id: "k19").seq == 21)
        #expect(
            try fixture.refusal { () throws(RequestError) in
                try fixture.send("pause", to: "a", id: "k19")
            } == fixture.noTransition("pause", in: "introduction", of: "a"))
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `closed sessions leave no ids in memory`() throws {
        var limits = Limits()
        limits.ids = 10
        let fixture = SessionsFixture(limits: limits)
        for round in 0..<200 {
            try fixture.open("a")
            try fixture.send("displayHelp", to: "a", id: "k\(round)")
            try fixture.sessions.close(
                fixture.session("a"), RequestContext(from: SessionsFixture.player))
        }
        try fixture.open("a")
        #expect(try fixture.send("displayHelp", to: "a", id: "k199").seq == 2)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `an answer that replaces another answer does not count twice`() throws {
        var limits = Limits()
        limits.ringBytes = 1000
        let fixture = SessionsFixture()
        try fixture.open()
        // The size of an answer includes its change's reason, 300 bytes. All answers together may have 1000 bytes, so three fit.
        let change = try fixture.sessions.goto(
            "help", [], fixture.session(),
            RequestContext(
                from: SessionsFixture.player, reason: String(repeating: "x", count: 300))
        ).value
        var cache = IdempotencyCache(limits)
        cache.remember(CachedAnswer(change: change, content: .change), as: "a", of: .main)
        for _ in 0..<10 {
            cache.remember(CachedAnswer(change: change, content: .change), as: "b", of: .main)
        }
        #expect(cache.answer("a", of: .main) != nil && cache.answer("b", of: .main) != nil)
        fixture.closeAllAndExpectNoTimers()
    }
}
