import GameFlow
import RPC
import Sessions
import Testing
import Timers

@Suite struct WatchTests {
    let house = SessionsFixture()
    let listener = Listener()

    private func watch(
        _ name: String? = "main", since: Int? = nil, _ topics: Topics = .changes,
        _ listener: Listener? = nil
    ) throws -> Sessions.Watched {
        let target = name.map { WatchTarget.session(SessionName($0)!) } ?? .all
        return try house.sessions.watch(target, since: since, topics, by: listener ?? self.listener)
    }

    /// The seqs of what was missed; nil for a gap.
    private func seqs(_ missed: Sessions.Missed, _ house: SessionsFixture? = nil) -> [Int]? {
        switch missed {
        case .nothing: return []
        case .gap: return nil
        case .changes(var replay):
            var seqs: [Int] = []
            while case .change(let change)? = (house ?? self.house).sessions.piece(of: &replay) {
                seqs.append(change.seq)
            }
            return seqs
        }
    }

    @Test func `a subscriber gets each change once, even if it subscribes repeatedly`() throws {
        try house.open()
        _ = try watch()
        _ = try watch(nil)
        try house.send("displayHelp")
        #expect(listener.methods == ["change"])
        try house.sessions.unwatch(.all, by: listener)
        try house.send("dismissHelp")
        try house.sessions.unwatch(.session(.main), by: listener)
        try house.send("displayHelp")
        #expect(listener.methods == ["change", "change"])
        house.expectNothingLeft()
    }

    @Test(arguments: [Int.max, .max - 1, 1 << 53, 2, -1, .min])
    func `a position beyond the last one gets a gap`(_ pos: Int) throws {
        try house.open()
        let (sessions, main) = (house.sessions, WatchTarget.session(.main))
        #expect(seqs(try watch(nil, since: pos).missed) == nil)
        #expect(seqs(try watch("main", since: pos).missed) == nil)
        #expect(seqs(try sessions.watch(main, after: pos, .changes, by: listener).missed) == nil)
        house.expectNothingLeft()
    }

    @Test func `beats and refusals go to the subscribers of these topics`() throws {
        try house.open("main", "playingLevel", [Member("episode", 1), Member("level", 1)])
        let (all, plain) = (Listener(), Listener())
        _ = try watch("main", [.changes, .beats, .refusals], all)
        _ = try watch("main", .changes, plain)
        house.time.advance(by: .seconds(2))
        #expect(
            try house.refusal { () throws(RequestError) in try house.send("resume") }
                == house.noTransition("resume", in: "playingLevel"))
        try house.send("pause")
        #expect(all.methods == ["beat", "beat", "refused", "change"])
        #expect(plain.methods == ["change"])
        house.expectNothingLeft()
    }

    @Test func `a beat has no sequence number, and contains the timers`() throws {
        try house.open("main", "playingLevel", [Member("episode", 1), Member("level", 1)])
        _ = try watch("main", .beats)
        house.time.advance(by: .seconds(1))
        #expect(
            listener.lines == [
                #"{"jsonrpc":"2.0","method":"beat","params":{"session":"main","entry":1,"kind":"keep","event":{"name":"tick","args":{}},"source":{"kind":"timer"},"from":{"state":"playingLevel","data":{"episode":1,"level":1}},"to":{"state":"playingLevel","data":{"episode":1,"level":1}},"missed":0,"timers":[{"fires":"timeUp","kind":"countdown","remainingMs":89000,"totalMs":90000,"paused":false},{"fires":"tick","kind":"pendulum","remainingMs":1000,"totalMs":1000,"paused":false}],"atMs":1000,"time":"1970-01-01T00:00:01.000Z"}}"#
                    + "\n"
            ])
        #expect(try house.session().seq == 1)
        house.expectNothingLeft()
    }

    @Test func `a refusal contains the source, the event and the reason`() throws {
        try house.open()
        _ = try watch("main", .refusals)
        #expect(
            house.refusal { () throws(RequestError) in try house.send("tick") }
                == .forbidden(.event("tick"), source: Source.Kind("unix"), needs: .timer))
        #expect(
            listener.lines == [
                #"{"jsonrpc":"2.0","method":"refused","params":{"session":"main","event":{"name":"tick","args":{}},"source":{"kind":"unix","peer":{"pid":11,"uid":22,"gid":33}},"error":{"code":4,"message":"forbidden","data":{"event":"tick","source":"unix","needs":"timer"}},"atMs":0,"time":"1970-01-01T00:00:00.000Z"}}"#
                    + "\n"
            ])
        house.expectNothingLeft()
    }

    @Test func `missed changes after a seq are replayed, oldest first`() throws {
        try house.open()
        try house.open("other")
        for _ in 0..<3 {
            try house.send("displayHelp")
            try house.send("displayHelp", to: "other")
            try house.send("dismissHelp")
            try house.send("dismissHelp", to: "other")
        }
        #expect(seqs(try watch("main", since: 3).missed) == [4, 5, 6, 7])
        #expect(seqs(try watch("main", since: 0).missed) == [1, 2, 3, 4, 5, 6, 7])
        #expect(seqs(try watch("main", since: 7).missed) == [])
        #expect(seqs(try watch("main").missed) == [])
        #expect(seqs(try watch(nil, since: 10).missed) == [6, 6, 7, 7])
        house.expectNothingLeft()
    }

    @Test
    func
        `changes no longer in the ring, or in the future, are replaced by one gap with the present status`()
        throws
    {
        var limits = Limits()
        limits.ring = 4
        let house = SessionsFixture(limits: limits)
        try house.open()
        for event in ["displayHelp", "dismissHelp", "displayHelp", "dismissHelp", "displayHelp"] {
            try house.send(event)
        }
        let target = WatchTarget.session(.main)
        #expect(
            seqs(try house.sessions.watch(target, since: 2, by: listener).missed, house) == [
                3, 4, 5, 6,
            ])
        #expect(seqs(try house.sessions.watch(target, since: 1, by: listener).missed, house) == nil)
        #expect(seqs(try house.sessions.watch(.all, since: 1, by: listener).missed, house) == nil)
        #expect(seqs(try house.sessions.watch(.all, since: 7, by: listener).missed, house) == nil)
        guard
            case .gap(let notification) = try house.sessions.watch(target, since: 99, by: listener)
                .missed
        else {
            Issue.record("no gap")
            return
        }
        let status = try house.status().dropLast()
        #expect(
            String(decoding: Encoder().encode(notification, .full).line, as: UTF8.self)
                == #"{"jsonrpc":"2.0","method":"gap","params":"# + status + #","since":99}}"# + "\n"
        )
        house.expectNothingLeft()
    }

    @Test func `a replay that the ring has overwritten continues with the present`() throws {
        var limits = Limits()
        limits.ring = 4
        let house = SessionsFixture(limits: limits)
        try house.open()
        try house.send("displayHelp")
        for target in [WatchTarget.session(.main), .all] {
            let since = house.sessions.pos - 1
            let missed = try house.sessions.watch(target, since: since, by: listener).missed
            guard case .changes(var replay) = missed else {
                Issue.record("nothing to replay")
                return
            }
            for _ in 0..<3 {
                try house.send("dismissHelp")
                try house.send("displayHelp")
            }
            guard case .gap? = house.sessions.piece(of: &replay) else {
                Issue.record("no gap")
                return
            }
            #expect(house.sessions.piece(of: &replay) == nil)
        }
        house.expectNothingLeft()
    }

    @Test func `a gap in a replay contains the last change that was sent`() throws {
        var limits = Limits()
        limits.ring = 4
        for (target, since) in [(WatchTarget.session(.main), 2), (.all, 3)] {
            let house = SessionsFixture(limits: limits)
            try house.open("other")
            try house.open()
            try house.send("displayHelp")
            try house.send("dismissHelp")
            let missed = try house.sessions.watch(target, since: since - 1, by: listener).missed
            guard case .changes(var replay) = missed,
                case .change(let seen)? = house.sessions.piece(of: &replay)
            else {
                Issue.record("nothing to replay")
                return
            }
            #expect((seen.seq, seen.pos) == (2, 3))
            for _ in 0..<3 {
                try house.send("displayHelp")
                try house.send("dismissHelp")
            }
            guard case .gap(let notification)? = house.sessions.piece(of: &replay) else {
                Issue.record("no gap")
                return
            }
            let line = String(decoding: Encoder().encode(notification, .full).line, as: UTF8.self)
            #expect(line.contains(#""since":\#(since)"#))
        }
    }

    @Test func `the bytes of clients' values in the ring are limited`() throws {
        var limits = Limits()
        limits.ringBytes = 1000
        let house = SessionsFixture(limits: limits)
        try house.open()
        let words = String(repeating: "x", count: 300)
        for _ in 0..<5 {
            _ = try house.sessions.goto(
                "help", [], house.session(),
                RequestContext(from: SessionsFixture.player, reason: words))
        }
        #expect(
            seqs(try house.sessions.watch(.session(.main), since: 2, by: listener).missed, house)
                == nil)
        #expect(
            seqs(try house.sessions.watch(.session(.main), since: 3, by: listener).missed, house)
                == [
                    4, 5, 6,
                ])
        house.expectNothingLeft()
    }

    @Test func `watching all sessions includes later ones, and returns a page of the present ones`()
        throws
    {
        for name in ["a", "b", "c"] { try house.open(name) }
        let watched = try watch(nil)
        #expect(watched.page.sessions.map(\.name.text) == ["a", "b", "c"])
        #expect(!watched.page.more)
        try house.open("d")
        #expect(listener.methods == ["change"])
        house.expectNothingLeft()
    }

    @Test func `closing a session notifies its subscribers and ends their subscriptions by name`()
        throws
    {
        try house.open()
        _ = try watch()
        try house.sessions.close(house.session(), RequestContext(from: SessionsFixture.player))
        #expect(listener.lines.count == 2)
        #expect(listener.lines[1] == "ended main")
        #expect(listener.lines[0].contains(#""kind":"close","event":null"#))
        #expect(listener.lines[0].contains(#""to":null"#))
        try house.open()
        try house.send("displayHelp")
        #expect(listener.lines.count == 2)
        house.expectNothingLeft()
    }

    @Test func `an unknown session cannot be watched`() {
        let unknown = RequestError.unknownSession("nobody", didYouMean: [])
        #expect(throws: unknown) { try watch("nobody") }
        #expect(throws: unknown) {
            try house.sessions.unwatch(.session(SessionName("nobody")!), by: listener)
        }
    }
}
