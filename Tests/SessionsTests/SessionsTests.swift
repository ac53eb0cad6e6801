import GameFlow
import JSONCoding
import Sessions
import TestSupport
import Testing
import Timers

@Suite struct SessionsTests {
    let fixture = SessionsFixture()

    @Test func `a change is encoded exactly as documented`() throws {
        try fixture.open("room-1", "choosingEpisode")
        fixture.time.advance(by: .milliseconds(1500))
        let change = try fixture.send("chooseEpisode", [Member("episode", 2)], to: "room-1")
        #expect(
            change.text
                == #"{"session":"room-1","seq":2,"pos":2,"entry":2,"kind":"enter","event":{"name":"chooseEpisode","args":{"episode":2}},"source":{"kind":"unix","peer":{"pid":11,"uid":22,"gid":33}},"from":{"state":"choosingEpisode","data":{}},"to":{"state":"choosingLevel","data":{"episode":2}},"effects":[{"name":"presentLevelChooser","entry":2}],"atMs":1500,"time":"1970-01-01T00:00:01.500Z"}"#
        )
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `a status is encoded exactly as documented`() throws {
        try fixture.open("main", "playingLevel", [Member("episode", 1), Member("level", 3)])
        fixture.time.advance(by: .milliseconds(1600))
        #expect(
            try fixture.status()
                == #"{"session":"main","flow":"game","state":"playingLevel","data":{"episode":1,"level":3},"final":false,"seq":1,"entry":1,"openedMs":0,"version":1,"timers":[{"fires":"timeUp","kind":"countdown","remainingMs":88400,"totalMs":90000,"paused":false},{"fires":"tick","kind":"pendulum","remainingMs":400,"totalMs":1000,"paused":false}],"deferred":0,"accepts":["completeLevel","returnHome","pause","controllerLost"],"settings":{"help":"30s","choosing":"1m","level":"1m30s","tick":"1s","paused":"5m","score":"15s","catalog":"5,5,5"}}"#
        )
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `a change has a number in its session and a position in the daemon`() throws {
        try fixture.open("a")
        try fixture.open("b")
        let first = try fixture.send("displayHelp", to: "a")
        let second = try fixture.send("displayHelp", to: "b")
        #expect((first.seq, first.pos) == (2, 3))
        #expect((second.seq, second.pos) == (2, 4))
        fixture.time.advance(by: .seconds(30))
        #expect(try fixture.session("a").seq == 3)
        #expect(fixture.sessions.pos == 6)
        #expect(try fixture.session("a").last?.step.source.kind == .timer)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `a session name is unique and can be used again after closing`() throws {
        try fixture.open("a", "help")
        guard
            case .exists("a") = fixture.refusal({ () throws(RequestError) in try fixture.open("a") }
            )
        else {
            Issue.record("a session was opened twice")
            return
        }
        try fixture.sessions.close(
            fixture.session("a"), RequestContext(from: SessionsFixture.player))
        #expect(fixture.time.pending.isEmpty)
        guard
            case .unknownSession("a", _) = fixture.refusal({ () throws(RequestError) in
                _ = try fixture.session("a")
            })
        else {
            Issue.record("the session is still open")
            return
        }
        #expect(try fixture.open("a").seq == 1)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `a session whose initial state is refused leaves nothing in memory`() throws {
        let refusedStates: [(String, [Member], RequestError)] = [
            ("nowhere", [], .unknownState("nowhere", didYouMean: [])),
            (
                "choosingLevel", [],
                .invalid(.state("choosingLevel"), argument: "episode", why: "missing")
            ),
            (
                "choosingLevel", [Member("episode", 9)],
                .invalid(.state("choosingLevel"), argument: "episode", why: "not in the catalog")
            ),
            ("help", [Member("x", 1)], .invalid(.state("help"), argument: "x", why: "unknown")),
        ]
        for (state, data, error) in refusedStates {
            #expect(
                fixture.refusal { () throws(RequestError) in try fixture.open("a", state, data) }
                    == error)
        }
        #expect(fixture.sessions.count == 0)
        #expect(fixture.sessions.pos == 0)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `sessions are listed by name, page by page`() throws {
        // 2500 different names, not in the order of their numbers.
        let names = (0..<2500).map { "s\($0 * 7919 % 2500)" }
        for name in names { try fixture.open(name) }
        var listed: [String] = []
        var after: SessionName?
        while true {
            let (page, more) = fixture.sessions.list(after: after, limit: 300)
            listed += page.map(\.name.text)
            after = page.last?.name
            if !more { break }
        }
        #expect(listed == names.sorted())
        for name in names where name.hasSuffix("3") {
            try fixture.sessions.close(
                fixture.session(name), RequestContext(from: SessionsFixture.player))
        }
        let remaining = fixture.sessions.list(limit: 3000).sessions.map(\.name.text)
        #expect(remaining == names.sorted().filter { !$0.hasSuffix("3") })
        #expect(fixture.sessions.list(after: SessionName("zzz"), limit: 5).sessions.isEmpty)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `opening more sessions than the limit is an error with the limit's name`() throws {
        var limits = Limits()
        limits.sessions = 2
        let fixture = SessionsFixture(limits: limits)
        try fixture.open("a")
        try fixture.open("b")
        guard
            case .limit("sessions", 2) = fixture.refusal({ () throws(RequestError) in
                try fixture.open("c")
            })
        else {
            Issue.record("a third session was opened")
            return
        }
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `no further session is closed while too many closed ones are kept for a watcher`()
        throws
    {
        var limits = Limits()
        limits.closedSessions = 2
        let fixture = SessionsFixture(limits: limits)
        let sessions = fixture.sessions
        sessions.keepsClosedSessions = true
        func close(_ name: String) throws(RequestError) {
            try sessions.close(fixture.session(name), RequestContext(from: SessionsFixture.player))
        }
        for name in ["a", "b", "c"] { try fixture.open(name) }
        try close("a")
        try close("b")
        let status = try fixture.session("c").status
        #expect(
            fixture.refusal { () throws(RequestError) in try close("c") }
                == .limit(which: "closedSessions", limit: 2))
        // The session is open as before, and can be opened again only when the watcher has seen the others.
        #expect(try fixture.session("c").status.seq == status.seq)
        sessions.forgetClosedSessions()
        try close("c")
        #expect(sessions.count == 0)
    }

    @Test func `a refusal leaves the status unchanged, byte for byte`() throws {
        let events =
            fixture.flow.events.map(\.name) + fixture.flow.signals + ["nonsense", "", "Pause"]
        for seed in seeds(20, long: 500) {
            var random = SeededRandom(seed)
            let fixture = SessionsFixture()
            try fixture.open()
            for step in 0..<80 {
                let arguments: [[Member]] = [
                    [], [Member("episode", 1)], [Member("level", 2)], [Member("score", 3)],
                    [Member("episode", 99)], [Member("level", "2")], [Member("score", .null)],
                    [Member("x", true)],
                ]
                fixture.time.advance(by: .milliseconds(Int64(random.below(20_000))))
                let before = try fixture.status()
                let event = random.pick(events)
                let refusal = fixture.refusal { () throws(RequestError) in
                    try fixture.send(event, random.pick(arguments))
                }
                let after = try fixture.status()
                #expect(
                    (refusal == nil) != (before == after), "seed \(seed), step \(step), \(event)")
            }
            fixture.closeAllAndExpectNoTimers()
        }
    }

    @Test func `goto enters any state from any other with a reason and without effects`() throws {
        try fixture.open("main", "help")
        let change = try fixture.sessions.goto(
            "finishedLevel", [Member("episode", 1), Member("level", 2), Member("score", 3)],
            fixture.session(),
            RequestContext(from: SessionsFixture.player, reason: "the lock was stuck")
        ).value
        #expect(change.kind == .goto)
        #expect(change.text.contains(#""effects":[],"reason":"the lock was stuck","atMs""#))
        #expect(change.step.event == nil)
        #expect(try fixture.session().machine.liveTimers.count == 1)
        #expect(try !fixture.send("dismissFinishedLevel").text.contains("reason"))
        let before = try fixture.status()
        let refusedStates: [(String, [Member], RequestError)] = [
            ("nowhere", [], .unknownState("nowhere", didYouMean: [])),
            ("paused", [], .invalid(.state("paused"), argument: "episode", why: "missing")),
            (
                "paused", [Member("episode", 1)],
                .invalid(.state("paused"), argument: "level", why: "missing")
            ),
        ]
        for (state, data, error) in refusedStates {
            #expect(
                fixture.refusal { () throws(RequestError) in
                    _ = try fixture.sessions.goto(
                        state, data, fixture.session(), RequestContext(from: SessionsFixture.player)
                    )
                } == error)
        }
        #expect(try fixture.status() == before)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test
    func
        `an event older than its source's limit is stale, and sources without a limit accept any age`()
        throws
    {
        try fixture.open()
        let button = Source(Source.Kind("bluetooth"), peer: .device("iTag"))
        guard
            case .stale(3001, 3000) = fixture.refusal({ () throws(RequestError) in
                try fixture.send("displayHelp", ageMs: 3001, from: button)
            })
        else {
            Issue.record("the event was accepted")
            return
        }
        #expect(try fixture.session().machine.place.state == "introduction")
        try fixture.send("displayHelp", ageMs: 3000, from: button)
        try fixture.send("dismissHelp", ageMs: 99_999_999)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `the refusal of a later event contains the first event and its source`() throws {
        try fixture.open("main", "choosingLevel", [Member("episode", 2)])
        try fixture.send("chooseLevel", [Member("level", 4)])
        let error = fixture.refusal { () throws(RequestError) in
            try fixture.send("chooseLevel", [Member("level", 5)])
        }
        #expect(
            error.map(JSONWriter.text(ofData:))
                == #"{"event":"chooseLevel","state":"playingLevel","accepts":["completeLevel","returnHome","pause","controllerLost"],"last":{"event":"chooseLevel","args":{"level":4},"source":{"kind":"unix","peer":{"pid":11,"uid":22,"gid":33}},"seq":2,"atMs":0}}"#
        )
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `an error about an unknown name suggests similar names`() throws {
        try fixture.open("room-1")
        try fixture.open("room-2")
        func suggestions(_ work: () throws(RequestError) -> Void) -> [String] {
            switch fixture.refusal(work) {
            case .unknownEvent(_, let near), .unknownSession(_, let near),
                .unknownState(_, let near), .unknownFlow(_, let near):
                near
            default: []
            }
        }
        #expect(
            suggestions { () throws(RequestError) in try fixture.send("displayhelp", to: "room-1") }
                == [
                    "displayHelp"
                ])
        #expect(
            suggestions { () throws(RequestError) in try fixture.send("startPlayign", to: "room-1")
            } == [
                "startPlaying"
            ])
        #expect(
            suggestions { () throws(RequestError) in _ = try fixture.session("room1") } == [
                "room-1", "room-2",
            ])
        #expect(
            suggestions { () throws(RequestError) in try fixture.open("x", "introdction") } == [
                "introduction"
            ])
        #expect(
            suggestions { () throws(RequestError) in _ = try fixture.sessions.flow("gmae") } == [
                "game"
            ])
        #expect(
            suggestions { () throws(RequestError) in try fixture.send("xyzzy", to: "room-1") } == []
        )
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `two changes in one millisecond have different instants`() throws {
        let fixture = SessionsFixture()
        try fixture.open()
        fixture.time.advance(by: Duration.nanoseconds(300))
        let first = try fixture.send("displayHelp")
        fixture.time.advance(by: Duration.nanoseconds(400))
        let second = try fixture.send("dismissHelp")
        #expect([first.at, second.at].map(\.nanoseconds) == [300, 700])
        fixture.closeAllAndExpectNoTimers()
    }
}
