import GameFlow
import JSONCoding
import Sessions
import TestSupport
import Testing
import Timers

@Suite struct SessionsTests {
    let house = SessionsFixture()

    @Test func `a change is encoded exactly as documented`() throws {
        try house.open("room-1", "choosingEpisode")
        house.time.advance(by: .milliseconds(1500))
        let change = try house.send("chooseEpisode", [Member("episode", 2)], to: "room-1")
        #expect(
            change.text
                == #"{"session":"room-1","seq":2,"pos":2,"entry":2,"kind":"enter","event":{"name":"chooseEpisode","args":{"episode":2}},"source":{"kind":"unix","peer":{"pid":11,"uid":22,"gid":33}},"from":{"state":"choosingEpisode","data":{}},"to":{"state":"choosingLevel","data":{"episode":2}},"effects":[{"name":"presentLevelChooser","entry":2}],"atMs":1500,"time":"1970-01-01T00:00:01.500Z"}"#
        )
        house.expectNothingLeft()
    }

    @Test func `a status is encoded exactly as documented`() throws {
        try house.open("main", "playingLevel", [Member("episode", 1), Member("level", 3)])
        house.time.advance(by: .milliseconds(1600))
        #expect(
            try house.status()
                == #"{"session":"main","flow":"game","state":"playingLevel","data":{"episode":1,"level":3},"final":false,"seq":1,"entry":1,"openedMs":0,"version":1,"timers":[{"fires":"timeUp","kind":"countdown","remainingMs":88400,"totalMs":90000,"paused":false},{"fires":"tick","kind":"pendulum","remainingMs":400,"totalMs":1000,"paused":false}],"deferred":0,"accepts":["completeLevel","returnHome","pause","controllerLost"],"settings":{"help":"30s","choosing":"1m","level":"1m30s","tick":"1s","paused":"5m","score":"15s","catalog":"5,5,5"}}"#
        )
        house.expectNothingLeft()
    }

    @Test func `a change has a number in its session and a position in the daemon`() throws {
        try house.open("a")
        try house.open("b")
        let first = try house.send("displayHelp", to: "a")
        let second = try house.send("displayHelp", to: "b")
        #expect((first.seq, first.pos) == (2, 3))
        #expect((second.seq, second.pos) == (2, 4))
        house.time.advance(by: .seconds(30))
        #expect(try house.session("a").seq == 3)
        #expect(house.sessions.pos == 6)
        #expect(try house.session("a").last?.step.source.kind == .timer)
        house.expectNothingLeft()
    }

    @Test func `a session name is unique and can be used again after closing`() throws {
        try house.open("a", "help")
        guard case .exists("a") = house.refusal({ () throws(RequestError) in try house.open("a") })
        else {
            Issue.record("opened twice")
            return
        }
        try house.sessions.close(house.session("a"), RequestContext(from: SessionsFixture.player))
        #expect(house.time.pending.isEmpty)
        guard
            case .unknownSession("a", _) = house.refusal({ () throws(RequestError) in
                _ = try house.session("a")
            })
        else {
            Issue.record("is still there")
            return
        }
        #expect(try house.open("a").seq == 1)
        house.expectNothingLeft()
    }

    @Test func `a session whose initial state is refused leaves nothing in memory`() throws {
        let wrong: [(String, [Member], RequestError)] = [
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
        for (state, data, error) in wrong {
            #expect(
                house.refusal { () throws(RequestError) in try house.open("a", state, data) }
                    == error)
        }
        #expect(house.sessions.count == 0)
        #expect(house.sessions.pos == 0)
        house.expectNothingLeft()
    }

    @Test func `sessions are listed by name, page by page`() throws {
        let names = (0..<2500).map { "s\($0 * 7919 % 2500)" }
        for name in names { try house.open(name) }
        var listed: [String] = []
        var after: SessionName?
        while true {
            let (page, more) = house.sessions.list(after: after, limit: 300)
            listed += page.map(\.name.text)
            after = page.last?.name
            if !more { break }
        }
        #expect(listed == names.sorted())
        for name in names where name.hasSuffix("3") {
            try house.sessions.close(
                house.session(name), RequestContext(from: SessionsFixture.player))
        }
        let rest = house.sessions.list(limit: 3000).sessions.map(\.name.text)
        #expect(rest == names.sorted().filter { !$0.hasSuffix("3") })
        #expect(house.sessions.list(after: SessionName("zzz"), limit: 5).sessions.isEmpty)
        house.expectNothingLeft()
    }

    @Test func `opening more sessions than the limit is an error with the limit's name`() throws {
        var limits = Limits()
        limits.sessions = 2
        let house = SessionsFixture(limits: limits)
        try house.open("a")
        try house.open("b")
        guard
            case .limit("sessions", 2) = house.refusal({ () throws(RequestError) in
                try house.open("c")
            })
        else {
            Issue.record("a third one fits")
            return
        }
        house.expectNothingLeft()
    }

    @Test func `a refusal leaves the status unchanged, byte for byte`() throws {
        let events = house.flow.events.map(\.name) + house.flow.signals + ["nonsense", "", "Pause"]
        for seed in seeds(20, long: 500) {
            var random = SeededRandom(seed)
            let house = SessionsFixture()
            try house.open()
            for step in 0..<80 {
                let arguments: [[Member]] = [
                    [], [Member("episode", 1)], [Member("level", 2)], [Member("score", 3)],
                    [Member("episode", 99)], [Member("level", "2")], [Member("score", .null)],
                    [Member("x", true)],
                ]
                house.time.advance(by: .milliseconds(Int64(random.below(20_000))))
                let before = try house.status()
                let event = random.pick(events)
                let refusal = house.refusal { () throws(RequestError) in
                    try house.send(event, random.pick(arguments))
                }
                let after = try house.status()
                #expect(
                    (refusal == nil) != (before == after), "seed \(seed), step \(step), \(event)")
            }
            house.expectNothingLeft()
        }
    }

    @Test func `goto enters any state from any other with a reason and without effects`() throws {
        try house.open("main", "help")
        let change = try house.sessions.goto(
            "finishedLevel", [Member("episode", 1), Member("level", 2), Member("score", 3)],
            house.session(),
            RequestContext(from: SessionsFixture.player, reason: "the lock was stuck")
        ).value
        #expect(change.kind == .goto)
        #expect(change.text.contains(#""effects":[],"reason":"the lock was stuck","atMs""#))
        #expect(change.step.event == nil)
        #expect(try house.session().machine.liveTimers.count == 1)
        #expect(try !house.send("dismissFinishedLevel").text.contains("reason"))
        let before = try house.status()
        let wrong: [(String, [Member], RequestError)] = [
            ("nowhere", [], .unknownState("nowhere", didYouMean: [])),
            ("paused", [], .invalid(.state("paused"), argument: "episode", why: "missing")),
            (
                "paused", [Member("episode", 1)],
                .invalid(.state("paused"), argument: "level", why: "missing")
            ),
        ]
        for (state, data, error) in wrong {
            #expect(
                house.refusal { () throws(RequestError) in
                    _ = try house.sessions.goto(
                        state, data, house.session(), RequestContext(from: SessionsFixture.player))
                } == error)
        }
        #expect(try house.status() == before)
        house.expectNothingLeft()
    }

    @Test
    func
        `an event older than its source's limit is stale, and sources without a limit accept any age`()
        throws
    {
        try house.open()
        let button = Source(Source.Kind("bluetooth"), peer: .device("iTag"))
        guard
            case .stale(3001, 3000) = house.refusal({ () throws(RequestError) in
                try house.send("displayHelp", ageMs: 3001, from: button)
            })
        else {
            Issue.record("taken")
            return
        }
        #expect(try house.session().machine.place.state == "introduction")
        try house.send("displayHelp", ageMs: 3000, from: button)
        try house.send("dismissHelp", ageMs: 99_999_999)
        house.expectNothingLeft()
    }

    @Test func `a second event gets the source of the first one`() throws {
        try house.open("main", "choosingLevel", [Member("episode", 2)])
        try house.send("chooseLevel", [Member("level", 4)])
        let error = house.refusal { () throws(RequestError) in
            try house.send("chooseLevel", [Member("level", 5)])
        }
        #expect(
            error.map(JSONWriter.text(ofData:))
                == #"{"event":"chooseLevel","state":"playingLevel","accepts":["completeLevel","returnHome","pause","controllerLost"],"last":{"event":"chooseLevel","args":{"level":4},"source":{"kind":"unix","peer":{"pid":11,"uid":22,"gid":33}},"seq":2,"atMs":0}}"#
        )
        house.expectNothingLeft()
    }

    @Test func `an error about an unknown name suggests similar names`() throws {
        try house.open("room-1")
        try house.open("room-2")
        func meant(_ work: () throws(RequestError) -> Void) -> [String] {
            switch house.refusal(work) {
            case .unknownEvent(_, let near), .unknownSession(_, let near),
                .unknownState(_, let near), .unknownFlow(_, let near):
                near
            default: []
            }
        }
        #expect(
            meant { () throws(RequestError) in try house.send("displayhelp", to: "room-1") } == [
                "displayHelp"
            ])
        #expect(
            meant { () throws(RequestError) in try house.send("startPlayign", to: "room-1") } == [
                "startPlaying"
            ])
        #expect(
            meant { () throws(RequestError) in _ = try house.session("room1") } == [
                "room-1", "room-2",
            ])
        #expect(
            meant { () throws(RequestError) in try house.open("x", "introdction") } == [
                "introduction"
            ])
        #expect(
            meant { () throws(RequestError) in _ = try house.sessions.flow("gmae") } == ["game"])
        #expect(meant { () throws(RequestError) in try house.send("xyzzy", to: "room-1") } == [])
        house.expectNothingLeft()
    }

    @Test func `two changes in one millisecond have different instants`() throws {
        let house = SessionsFixture()
        try house.open()
        house.time.advance(by: Duration.nanoseconds(300))
        let first = try house.send("displayHelp")
        house.time.advance(by: Duration.nanoseconds(400))
        let second = try house.send("dismissHelp")
        #expect([first.at, second.at].map(\.nanoseconds) == [300, 700])
        house.expectNothingLeft()
    }
}
