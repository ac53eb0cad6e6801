import GameFlow
import ShippedFlows
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

    @Test func `two ids that are canonically equivalent are two ids`() throws {
        let fixture = SessionsFixture()
        try fixture.open()
        let first = try fixture.send("displayHelp", id: "caf\u{E9}")
        let second = try fixture.send("dismissHelp", id: "cafe\u{301}")
        #expect(second.seq == first.seq + 1)
        #expect(try fixture.send("whatever", id: "caf\u{E9}") === first)
        #expect(try fixture.send("whatever", id: "cafe\u{301}") === second)
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

    /// The time of the forgotten answer with which a request is refused as stale; nil if it is not.
    private func forgottenMs(
        _ fixture: SessionsFixture, _ event: String, to name: String = "main", id: String,
        sentSince: Instant? = nil
    ) throws -> Int? {
        let refusal = fixture.refusal { () throws(RequestError) in
            _ = try fixture.sessions.send(
                event, to: fixture.session(name),
                RequestContext(from: SessionsFixture.player, id: id, sentSince: sentSince))
        }
        guard case .staleID(id, let forgottenMs) = refusal else { return nil }
        return forgottenMs
    }

    @Test func `an id of a closed session is refused in a new session of that name`() throws {
        let fixture = SessionsFixture()
        try fixture.open("a")
        try fixture.open("b")
        try fixture.send("displayHelp", to: "a", id: "k")
        #expect(try fixture.send("displayHelp", to: "b", id: "k").session.text == "b")
        try fixture.sessions.close(
            fixture.session("a"), RequestContext(from: SessionsFixture.player))
        try fixture.open("a")
        fixture.time.advance(by: .seconds(1))
        #expect(try forgottenMs(fixture, "displayHelp", to: "a", id: "k") == 0)
        #expect(try fixture.session("a").seq == 1)
        fixture.time.advance(by: .milliseconds(fixture.sessions.limits.idMs))
        #expect(try fixture.send("displayHelp", to: "a", id: "k").seq == 2)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `the error says which id and when it was answered`() {
        let error = RequestError.staleID("k", forgottenMs: 7)
        #expect(error.name.description == "stale" && error.number == 8)
        #expect(error.data == [Member("id", "k"), Member("forgottenMs", 7)])
    }

    @Test func `the oldest ids of a session are removed first`() throws {
        var limits = Limits()
        limits.idsPerSession = 4
        let fixture = SessionsFixture(limits: limits)
        try fixture.open()
        for number in 1...6 {
            try fixture.send(number % 2 == 1 ? "displayHelp" : "dismissHelp", id: "k\(number)")
        }
        // The answers to k3 to k6 are remembered. Those to k1 and k2 are forgotten, but their ids are known.
        #expect(try fixture.send("displayHelp", id: "k3").seq == 4)
        #expect(try forgottenMs(fixture, "displayHelp", id: "k2") == 0)
        #expect(try fixture.session().seq == 7)
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
            } == .staleID("k", forgottenMs: 0))
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
            } == .staleID("k19", forgottenMs: 0))
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `closed sessions leave only the hashes of their newest ids in memory`() throws {
        var limits = Limits()
        (limits.ids, limits.oldIDs) = (10, 20)
        let fixture = SessionsFixture(limits: limits)
        for round in 0..<200 {
            try fixture.open("a")
            try fixture.send("displayHelp", to: "a", id: "k\(round)")
            try fixture.sessions.close(
                fixture.session("a"), RequestContext(from: SessionsFixture.player))
        }
        try fixture.open("a")
        #expect(fixture.sessions.idempotencyCache.count == 0)
        #expect(fixture.sessions.idempotencyCache.forgotten.count == 20)
        #expect(try forgottenMs(fixture, "displayHelp", to: "a", id: "k199") == 0)
        #expect(try fixture.send("displayHelp", to: "a", id: "k100").seq == 2)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test
    func `if not even the hash is left, the time at which a request may have been sent decides`()
        throws
    {
        var limits = Limits()
        (limits.idsPerSession, limits.oldIDs) = (1, 0)
        let clock = ReplayClock(startingAt: Instant.zero + .seconds(100))
        let flow = AnyFlow(Game())
        let sessions = Sessions([flow], on: clock, limits: limits)
        let session = try sessions.open(
            .main, flow, RequestContext(from: SessionsFixture.player))
        func send(_ event: String, _ id: String, since seconds: Int64?) -> RequestError? {
            do throws(RequestError) {
                _ = try sessions.send(
                    event, to: session,
                    RequestContext(
                        from: SessionsFixture.player, id: id,
                        sentSince: seconds.map { .zero + .seconds($0) }))
                return nil
            } catch { return error }
        }
        #expect(send("displayHelp", "k1", since: 99) == nil)
        clock.move(to: .zero + .seconds(110))
        #expect(send("dismissHelp", "k2", since: 109) == nil)
        // The answer to k1, of the second 100, is lost.
        #expect(send("displayHelp", "k1", since: 99) == .staleID("k1", forgottenMs: 100_000))
        #expect(send("displayHelp", "k3", since: 99) == .staleID("k3", forgottenMs: 100_000))
        #expect(session.seq == 3)
        #expect(send("displayHelp", "k4", since: 100) == nil)
        // Events of devices and of other sessions have no such time.
        #expect(send("dismissHelp", "k5", since: nil) == nil)
        session.machine.end()
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
        let answer = CachedAnswer(change: change, content: .change, row: 0, at: .zero)
        var cache = IdempotencyCache(limits)
        cache.remember(answer, as: "a", now: .zero)
        for _ in 0..<10 { cache.remember(answer, as: "b", now: .zero) }
        #expect(cache.answer("a", of: .main) != nil && cache.answer("b", of: .main) != nil)
        fixture.closeAllAndExpectNoTimers()
    }
}
