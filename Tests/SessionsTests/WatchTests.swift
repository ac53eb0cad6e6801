import GameFlow
import RPC
import Sessions
import Testing
import Timers

@Suite struct WatchTests {
    let fixture = SessionsFixture()
    let watcher = RecordingWatcher()

    private func watch(
        _ name: String? = "main", since: Int? = nil, _ topics: Topics = .changes,
        _ watcher: RecordingWatcher? = nil
    ) throws -> Sessions.WatchResult {
        let target = name.map { WatchTarget.session(SessionName($0)!) } ?? .all
        return try fixture.sessions.watch(target, since: since, topics, by: watcher ?? self.watcher)
    }

    /// The seqs of the missed changes; nil for a gap.
    private func seqs(_ missed: Sessions.Missed, _ fixture: SessionsFixture? = nil) -> [Int]? {
        switch missed {
        case .nothing: return []
        case .gap: return nil
        case .changes(var replay):
            var seqs: [Int] = []
            while case .change(let change)? = (fixture ?? self.fixture).sessions.nextPart(
                of: &replay)
            {
                seqs.append(change.seq)
            }
            return seqs
        }
    }

    @Test func `a watcher gets each change once, even if it has several watches`() throws {
        try fixture.open()
        _ = try watch()
        _ = try watch(nil)
        try fixture.send("displayHelp")
        #expect(watcher.methods == ["change"])
        try fixture.sessions.unwatch(.all, by: watcher)
        try fixture.send("dismissHelp")
        try fixture.sessions.unwatch(.session(.main), by: watcher)
        try fixture.send("displayHelp")
        #expect(watcher.methods == ["change", "change"])
        fixture.closeAllAndExpectNoTimers()
    }

    @Test(arguments: [Int.max, .max - 1, 1 << 53, 2, -1, .min])
    func `a watch from a negative position or from one after the newest change gets a gap`(
        _ pos: Int
    )
        throws
    {
        try fixture.open()
        let (sessions, main) = (fixture.sessions, WatchTarget.session(.main))
        #expect(seqs(try watch(nil, since: pos).missed) == nil)
        #expect(seqs(try watch("main", since: pos).missed) == nil)
        #expect(seqs(try sessions.watch(main, afterPos: pos, .changes, by: watcher).missed) == nil)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `beats and refusals go only to the watchers of these topics`() throws {
        try fixture.open("main", "playingLevel", [Member("episode", 1), Member("level", 1)])
        let (watcherOfAllTopics, watcherOfChanges) = (RecordingWatcher(), RecordingWatcher())
        _ = try watch("main", [.changes, .beats, .refusals], watcherOfAllTopics)
        _ = try watch("main", .changes, watcherOfChanges)
        fixture.time.advance(by: .seconds(2))
        #expect(
            try fixture.refusal { () throws(RequestError) in try fixture.send("resume") }
                == fixture.noTransition("resume", in: "playingLevel"))
        try fixture.send("pause")
        #expect(watcherOfAllTopics.methods == ["beat", "beat", "refused", "change"])
        #expect(watcherOfChanges.methods == ["change"])
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `a beat has no sequence number, and contains the timers`() throws {
        try fixture.open("main", "playingLevel", [Member("episode", 1), Member("level", 1)])
        _ = try watch("main", .beats)
        fixture.time.advance(by: .seconds(1))
        #expect(
            watcher.lines == [
                #"{"jsonrpc":"2.0","method":"beat","params":{"session":"main","entry":1,"kind":"keep","event":{"name":"tick","args":{}},"source":{"kind":"timer"},"from":{"state":"playingLevel","data":{"episode":1,"level":1}},"to":{"state":"playingLevel","data":{"episode":1,"level":1}},"missed":0,"timers":[{"fires":"timeUp","kind":"countdown","remainingMs":89000,"totalMs":90000,"paused":false},{"fires":"tick","kind":"pendulum","remainingMs":1000,"totalMs":1000,"paused":false}],"atMs":1000,"time":"1970-01-01T00:00:01.000Z"}}"#
                    + "\n"
            ])
        #expect(try fixture.session().seq == 1)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `a refusal contains the source, the event and the reason`() throws {
        try fixture.open()
        _ = try watch("main", .refusals)
        #expect(
            fixture.refusal { () throws(RequestError) in try fixture.send("tick") }
                == .forbidden(.event("tick"), source: Source.Kind("unix"), needs: .timer))
        #expect(
            watcher.lines == [
                #"{"jsonrpc":"2.0","method":"refused","params":{"session":"main","event":{"name":"tick","args":{}},"source":{"kind":"unix","peer":{"pid":11,"uid":22,"gid":33}},"error":{"code":4,"message":"forbidden","data":{"event":"tick","source":"unix","needs":"timer"}},"atMs":0,"time":"1970-01-01T00:00:00.000Z"}}"#
                    + "\n"
            ])
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `missed changes after a seq are replayed, oldest first`() throws {
        try fixture.open()
        try fixture.open("other")
        for _ in 0..<3 {
            try fixture.send("displayHelp")
            try fixture.send("displayHelp", to: "other")
            try fixture.send("dismissHelp")
            try fixture.send("dismissHelp", to: "other")
        }
        #expect(seqs(try watch("main", since: 3).missed) == [4, 5, 6, 7])
        #expect(seqs(try watch("main", since: 0).missed) == [1, 2, 3, 4, 5, 6, 7])
        #expect(seqs(try watch("main", since: 7).missed) == [])
        #expect(seqs(try watch("main").missed) == [])
        #expect(seqs(try watch(nil, since: 10).missed) == [6, 6, 7, 7])
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `a watcher that does not watch changes gets no missed changes`() throws {
        try fixture.open()
        for event in ["displayHelp", "dismissHelp", "displayHelp"] { try fixture.send(event) }
        #expect(seqs(try watch("main", since: 1, [.beats, .refusals]).missed) == [])
        #expect(seqs(try watch(nil, since: 1, .refusals).missed) == [])
        let target = WatchTarget.session(SessionName("main")!)
        let result = try fixture.sessions.watch(target, afterPos: 1, .refusals, by: watcher)
        #expect(seqs(result.missed) == [])
        #expect(seqs(try watch("main", since: 1).missed) == [2, 3, 4])
        fixture.closeAllAndExpectNoTimers()
    }

    @Test
    func
        `a watch that misses changes that left the ring, or starts in the future, gets one gap with the status`()
        throws
    {
        var limits = Limits()
        limits.ring = 4
        let fixture = SessionsFixture(limits: limits)
        try fixture.open()
        for event in ["displayHelp", "dismissHelp", "displayHelp", "dismissHelp", "displayHelp"] {
            try fixture.send(event)
        }
        let target = WatchTarget.session(.main)
        #expect(
            seqs(try fixture.sessions.watch(target, since: 2, by: watcher).missed, fixture) == [
                3, 4, 5, 6,
            ])
        #expect(
            seqs(try fixture.sessions.watch(target, since: 1, by: watcher).missed, fixture) == nil)
        #expect(
            seqs(try fixture.sessions.watch(.all, since: 1, by: watcher).missed, fixture) == nil)
        #expect(
            seqs(try fixture.sessions.watch(.all, since: 7, by: watcher).missed, fixture) == nil)
        guard
            case .gap(let notification) = try fixture.sessions.watch(target, since: 99, by: watcher)
                .missed
        else {
            Issue.record("no gap")
            return
        }
        let status = try fixture.status().dropLast()
        #expect(
            String(decoding: Encoder().encode(notification, .full).line, as: UTF8.self)
                == #"{"jsonrpc":"2.0","method":"gap","params":"# + status + #","since":99}}"# + "\n"
        )
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `a replay whose changes were overwritten in the ring continues with a gap`() throws {
        var limits = Limits()
        limits.ring = 4
        let fixture = SessionsFixture(limits: limits)
        try fixture.open()
        try fixture.send("displayHelp")
        for target in [WatchTarget.session(.main), .all] {
            let since = fixture.sessions.pos - 1
            let missed = try fixture.sessions.watch(target, since: since, by: watcher).missed
            guard case .changes(var replay) = missed else {
                Issue.record("nothing to replay")
                return
            }
            for _ in 0..<3 {
                try fixture.send("dismissHelp")
                try fixture.send("displayHelp")
            }
            guard case .gap? = fixture.sessions.nextPart(of: &replay) else {
                Issue.record("no gap")
                return
            }
            #expect(fixture.sessions.nextPart(of: &replay) == nil)
        }
        fixture.closeAllAndExpectNoTimers()
    }

    @Test
    func `a gap in a replay contains the number of the last change that the watcher received`()
        throws
    {
        var limits = Limits()
        limits.ring = 4
        // The number is a seq if one session is watched, and a pos if all sessions are watched.
        for (target, lastReceived) in [(WatchTarget.session(.main), 2), (.all, 3)] {
            let fixture = SessionsFixture(limits: limits)
            try fixture.open("other")
            try fixture.open()
            try fixture.send("displayHelp")
            try fixture.send("dismissHelp")
            let missed = try fixture.sessions.watch(target, since: lastReceived - 1, by: watcher)
                .missed
            guard case .changes(var replay) = missed,
                case .change(let lastSent)? = fixture.sessions.nextPart(of: &replay)
            else {
                Issue.record("nothing to replay")
                return
            }
            #expect((lastSent.seq, lastSent.pos) == (2, 3))
            for _ in 0..<3 {
                try fixture.send("displayHelp")
                try fixture.send("dismissHelp")
            }
            guard case .gap(let notification)? = fixture.sessions.nextPart(of: &replay) else {
                Issue.record("no gap")
                return
            }
            let line = String(decoding: Encoder().encode(notification, .full).line, as: UTF8.self)
            #expect(line.contains(#""since":\#(lastReceived)"#))
        }
    }

    @Test func `the ring forgets its oldest changes if the texts from clients exceed ringBytes`()
        throws
    {
        var limits = Limits()
        limits.ringBytes = 1000
        let fixture = SessionsFixture(limits: limits)
        try fixture.open()
        let longReason = String(repeating: "x", count: 300)
        for _ in 0..<5 {
            _ = try fixture.sessions.goto(
                "help", [], fixture.session(),
                RequestContext(from: SessionsFixture.player, reason: longReason))
        }
        // Three reasons of 300 bytes fit into 1000 bytes, so only the changes 4 to 6 are in the ring.
        #expect(
            seqs(try fixture.sessions.watch(.session(.main), since: 2, by: watcher).missed, fixture)
                == nil)
        #expect(
            seqs(try fixture.sessions.watch(.session(.main), since: 3, by: watcher).missed, fixture)
                == [
                    4, 5, 6,
                ])
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `a watch of all sessions returns the open sessions and includes those opened later`()
        throws
    {
        for name in ["a", "b", "c"] { try fixture.open(name) }
        let watched = try watch(nil)
        #expect(watched.page.sessions.map(\.name.text) == ["a", "b", "c"])
        #expect(!watched.page.more)
        try fixture.open("d")
        #expect(watcher.methods == ["change"])
        fixture.closeAllAndExpectNoTimers()
    }

    @Test
    func `closing a session notifies its watchers and ends the watches that name it`()
        throws
    {
        try fixture.open()
        _ = try watch()
        try fixture.sessions.close(fixture.session(), RequestContext(from: SessionsFixture.player))
        #expect(watcher.lines.count == 2)
        #expect(watcher.lines[1] == "ended main")
        #expect(watcher.lines[0].contains(#""kind":"close","event":null"#))
        #expect(watcher.lines[0].contains(#""to":null"#))
        try fixture.open()
        try fixture.send("displayHelp")
        #expect(watcher.lines.count == 2)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `an unknown session cannot be watched`() {
        let unknown = RequestError.unknownSession("nobody", didYouMean: [])
        #expect(throws: unknown) { try watch("nobody") }
        #expect(throws: unknown) {
            try fixture.sessions.unwatch(.session(SessionName("nobody")!), by: watcher)
        }
    }
}
