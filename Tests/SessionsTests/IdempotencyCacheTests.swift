import GameFlow
import Sessions
import Testing
import Timers

@Suite struct IdempotencyCacheTests {
    @Test func `a repeated id gets the first reply and changes nothing`() throws {
        let house = SessionsFixture()
        try house.open()
        let first = try house.send("displayHelp", id: "k1")
        let before = try house.status()
        #expect(try house.send("displayHelp", id: "k1") === first)
        #expect(try house.send("whatever", [Member("x", 1)], id: "k1") === first)
        #expect(try house.status() == before)
        house.expectNothingLeft()
    }

    @Test func `a refused request with a repeated id is evaluated again`() throws {
        let house = SessionsFixture()
        try house.open()
        #expect(
            try house.refusal { () throws(RequestError) in try house.send("dismissHelp", id: "k") }
                == house.noTransition("dismissHelp", in: "introduction"))
        try house.send("displayHelp")
        #expect(try house.send("dismissHelp", id: "k").seq == 3)
        house.expectNothingLeft()
    }

    @Test func `ids belong to their session and are removed with it`() throws {
        let house = SessionsFixture()
        try house.open("a")
        try house.open("b")
        try house.send("displayHelp", to: "a", id: "k")
        #expect(try house.send("displayHelp", to: "b", id: "k").session.text == "b")
        try house.sessions.close(house.session("a"), RequestContext(from: SessionsFixture.player))
        try house.open("a")
        #expect(try house.send("displayHelp", to: "a", id: "k").seq == 2)
        house.expectNothingLeft()
    }

    @Test func `the oldest ids of a session are removed first`() throws {
        var limits = Limits()
        limits.idsPerSession = 4
        let house = SessionsFixture(limits: limits)
        try house.open()
        for number in 1...6 {
            try house.send(number % 2 == 1 ? "displayHelp" : "dismissHelp", id: "k\(number)")
        }
        #expect(try house.send("displayHelp", id: "k3").seq == 4)
        #expect(try house.send("displayHelp", id: "k2").seq == 8)
        house.expectNothingLeft()
    }

    @Test func `the oldest ids of all sessions are removed first`() throws {
        var limits = Limits()
        limits.ids = 5
        let house = SessionsFixture(limits: limits)
        for name in ["a", "b", "c", "d", "e", "f"] {
            try house.open(name)
            try house.send("displayHelp", to: name, id: "k")
        }
        #expect(try house.send("pause", to: "b", id: "k").seq == 2)
        #expect(
            try house.refusal { () throws(RequestError) in
                try house.send("pause", to: "a", id: "k")
            } == house.noTransition("pause", in: "help", of: "a"))
        house.expectNothingLeft()
    }

    @Test func `an id removed as the oldest of all is removed from its session`() throws {
        var limits = Limits()
        (limits.ids, limits.idsPerSession) = (2, 4)
        let house = SessionsFixture(limits: limits)
        for name in ["a", "b", "c"] { try house.open(name) }
        for round in 0..<20 {
            for name in ["a", "b", "c"] {
                try house.send(
                    round % 2 == 0 ? "displayHelp" : "dismissHelp", to: name, id: "k\(round)")
            }
        }
        // The last two of all are there, and nothing else is.
        #expect(try house.send("pause", to: "c", id: "k19").seq == 21)
        #expect(try house.send("pause", to: "b", id: "k19").seq == 21)
        #expect(
            try house.refusal { () throws(RequestError) in
                try house.send("pause", to: "a", id: "k19")
            } == house.noTransition("pause", in: "introduction", of: "a"))
        house.expectNothingLeft()
    }

    @Test func `closed sessions leave no ids in memory`() throws {
        var limits = Limits()
        limits.ids = 10
        let house = SessionsFixture(limits: limits)
        for round in 0..<200 {
            try house.open("a")
            try house.send("displayHelp", to: "a", id: "k\(round)")
            try house.sessions.close(
                house.session("a"), RequestContext(from: SessionsFixture.player))
        }
        try house.open("a")
        #expect(try house.send("displayHelp", to: "a", id: "k199").seq == 2)
        house.expectNothingLeft()
    }
}
