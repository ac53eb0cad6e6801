import Durability
import GameFlow
import JSONCoding
import Journal
import JournalTestSupport
import RPC
import Sessions
import ShippedFlows
import TestSupport
import Testing
import Timers

/// Sessions of all flows whose changes are written down, and what comes of them when they are taken up.
private final class RecordingFixture {
    let time: VirtualClock
    let sessions: Sessions
    private(set) var rows: [JournalRow]

    init(_ rows: [JournalRow] = [], at now: Instant = .zero, lastAlive: Instant = .zero) {
        time = VirtualClock(startingAt: now)
        sessions = Sessions(AnyFlow.shipped(), on: time)
        self.rows = rows
        var reading = JournalReading(pruned: 0, answers: 65_536)
        for row in rows { reading.take(row) }
        quarantined = sessions.restore(reading.written(), lastAlive: lastAlive)
        sessions.recorder = { [unowned self] record, previous in
            let row = JournalRow(record, at: self.rows.count + 1, after: previous)
            self.rows.append(row)
            return row.mark
        }
        sessions.recordStart([], lastAlive: lastAlive)
    }

    let quarantined: [Sessions.QuarantineError]

    /// The same at another time, as if the daemon had been killed now.
    func restarted(after down: Duration = .zero) -> RecordingFixture {
        RecordingFixture(rows, at: time.now + down, lastAlive: time.now)
    }

    /// Everything that clients can see of all sessions.
    var everything: [String] {
        sessions.list(limit: .max - 1).sessions.map { session in
            var writer = JSONWriter()
            Encoder().write(session.status, .full, to: &writer)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }

    func flow(_ name: String) throws -> AnyFlow { try sessions.flow(name) }

    /// A replay produces everything that was recorded.
    func expectReplays(_ note: Comment) {
        let replay = JournalReplay(sessions.flows)
        for row in rows {
            guard let difference = replay.take(row) else { continue }
            Issue.record("\(note): \(describe(difference))")
            return
        }
        #expect(replay.finish() == nil, note)
        #expect(replay.changes == rows.count { $0.kind == .change || $0.kind == .rest }, note)
    }

    private func describe(_ difference: JournalReplay.Difference) -> String {
        func text(_ record: SessionRecord?) -> String { record.map { "\($0.members)" } ?? "-" }
        return "row \(difference.position), \(difference.session): \(difference.why)\n"
            + "\(text(difference.then))\n\(text(difference.now))"
    }

    func end() {
        sessions.recorder = nil
        for session in sessions.list(limit: .max - 1).sessions {
            _ = try? sessions.close(session, RequestContext(from: Players.player))
        }
        #expect(time.timerQueue.count == 0)
    }
}

@Suite struct RecordingTests {
    private let episode = [Member("episode", 2)]

    @Test func `sessions are restored with state, data, numbers, timers and deferred events`()
        throws
    {
        let diary = RecordingFixture()
        let game = try diary.sessions.open(
            .main, diary.flow("game"), RequestContext(from: Players.player))
        let startup = try diary.sessions.open(
            SessionName("s")!, diary.flow("startup"), RequestContext(from: Players.player))
        _ = try diary.sessions.send("startPlaying", to: game, RequestContext(from: Players.player))
        _ = try diary.sessions.send(
            "deepLink", [Member("link", "app://a")], to: startup,
            RequestContext(from: Players.player))
        diary.time.advance(by: .milliseconds(1234))
        _ = try diary.sessions.send(
            "chooseEpisode", episode, to: game, RequestContext(from: Players.player))
        let again = diary.restarted()
        #expect(again.quarantined == [])
        #expect(again.everything == diary.everything)
        #expect(again.sessions.pos == diary.sessions.pos)
        diary.end()
        again.end()
    }

    @Test func `a closed session stays closed, and its name may be used again`() throws {
        let diary = RecordingFixture()
        let game = try diary.sessions.open(
            .main, diary.flow("game"), RequestContext(from: Players.player))
        _ = try diary.sessions.send(
            "startPlaying", to: game, RequestContext(from: Players.player, id: "k"))
        try diary.sessions.close(game, RequestContext(from: Players.player))
        #expect(diary.restarted().everything == [])
        let quiz = try diary.sessions.open(
            .main, diary.flow("quiz"), RequestContext(from: Players.player))
        _ = try diary.sessions.send(
            "start", [Member("rounds", 1)], to: quiz, RequestContext(from: Players.player))
        let again = diary.restarted()
        #expect(again.everything == diary.everything)
        // The id was the other session's.
        let main = try again.sessions.session(.main)
        let change = try again.sessions.send(
            "buzz", [Member("player", "ann")], to: main,
            RequestContext(from: Players.player, id: "k")
        ).value
        #expect(change.seq == 3)
        diary.end()
        again.end()
    }

    @Test func `after a restart a repeated id gets the first reply, byte for byte`() throws {
        let diary = RecordingFixture()
        let game = try diary.sessions.open(
            .main, diary.flow("game"), RequestContext(from: Players.player))
        let first = try diary.sessions.send(
            "startPlaying", to: game, RequestContext(from: Players.player, id: "k1")
        ).value
        _ = try diary.sessions.send("returnHome", to: game, RequestContext(from: Players.player))
        let again = diary.restarted(after: .seconds(5))
        let main = try again.sessions.session(.main)
        let second = try again.sessions.send(
            "displayHelp", to: main, RequestContext(from: Players.player, id: "k1")
        ).value
        func json(_ change: Change) -> String {
            String(
                decoding: JSONWriter.bytes { Encoder().write(change, .full, to: &$0) },
                as: UTF8.self)
        }
        #expect(json(second) == json(first))
        #expect(main.machine.place.state == "introduction")
        diary.end()
        again.end()
    }

    @Test func `during a downtime pausing timers stand still and others continue`() throws {
        let diary = RecordingFixture()
        let levelData = [Member("episode", 1), Member("level", 1)]
        _ = try diary.sessions.open(
            SessionName("a")!, diary.flow("game"), state: "playingLevel", data: levelData,
            RequestContext(from: Players.player))
        _ = try diary.sessions.open(
            SessionName("b")!, diary.flow("game"), state: "help",
            RequestContext(from: Players.player))
        diary.time.advance(by: .milliseconds(2500))
        let again = diary.restarted(after: .seconds(3600))
        again.time.advance(by: .zero)
        let playing = try again.sessions.session(SessionName("a")!)
        let timers = playing.machine.liveTimers.map {
            "\($0.fires) \($0.info.remaining.milliseconds)"
        }
        #expect(timers == ["timeUp 87500", "tick 500"])
        let helped = try again.sessions.session(SessionName("b")!)
        #expect(helped.machine.place.state == "introduction")
        #expect(helped.seq == 2)
        diary.end()
        again.end()
    }

    @Test func `only the unreadable session is quarantined, with a reason`() throws {
        let diary = RecordingFixture()
        for name in ["a", "b", "c", "d"] {
            _ = try diary.sessions.open(
                SessionName(name)!, diary.flow("game"), state: "help",
                RequestContext(from: Players.player))
        }
        var rows = diary.rows
        func spoil(_ index: Int, _ from: String, _ to: String) {
            let row = rows[index + 1]
            let body = row.json.replacing(from, with: to)
            rows[index + 1] = JournalRow(
                position: row.position, session: row.session, seq: row.seq, atNs: row.atNs,
                body: Array(body.utf8), after: .start)
        }
        spoil(0, "\"help\"", "\"gone\"")
        spoil(1, "\"flow\":\"game\"", "\"flow\":\"chess\"")
        spoil(2, "{\"flow\"", "{flow")
        let again = RecordingFixture(rows)
        #expect(
            again.quarantined.map { "\($0.session.text): \($0.why)" } == [
                "c: no JSON", "a: the flow has no state gone", "b: there is no flow chess",
            ])
        #expect(again.sessions.count == 1)
        #expect(again.sessions.quarantined == 3)
        let name = try #require(SessionName("a"))
        try again.sessions.giveUp(name, from: Players.player)
        #expect(again.sessions.quarantined == 2)
        diary.end()
        again.end()
    }

    @Test func `a session whose data the flow refuses is quarantined with its name and the reason`()
        throws
    {
        let diary = RecordingFixture()
        let data = [Member("episode", 1), Member("level", 3)]
        _ = try diary.sessions.open(
            .main, diary.flow("game"), state: "playingLevel", data: data,
            RequestContext(from: Players.player))
        var rows = diary.rows
        let row = rows[1]
        let body = row.json
            .replacing(#""level":3"#, with: #""level":99"#)
        rows[1] = JournalRow(
            position: row.position, session: row.session, seq: row.seq, atNs: row.atNs,
            body: Array(body.utf8), after: .start)
        let again = RecordingFixture(rows)
        let why = try #require(again.quarantined.first?.why)
        #expect(
            why.hasPrefix("its state `playingLevel` has level=99, and the flow refuses it: not "))
        let refusal = #expect(throws: RequestError.self) { try again.sessions.session(.main) }
        guard case .storage(let said, .undone)? = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(
            said
                == "main could not be restored after the restart: \(why); `gamectl close @main` discards it"
        )
        diary.end()
        again.end()
    }

    @Test func `a row that a replay does not reproduce is reported with the reproduced one`() throws
    {
        let diary = RecordingFixture()
        let game = try diary.sessions.open(
            .main, diary.flow("game"), RequestContext(from: Players.player))
        _ = try diary.sessions.send("startPlaying", to: game, RequestContext(from: Players.player))
        diary.time.advance(by: .seconds(100))
        #expect(game.machine.place.state == "introduction")
        let honest = diary.rows
        func difference(_ rows: [JournalRow]) -> JournalReplay.Difference? {
            let replay = JournalReplay(diary.sessions.flows)
            for row in rows { if let found = replay.take(row) { return found } }
            return replay.finish()
        }
        #expect(difference(honest) == nil)
        func changed(_ place: Int, _ from: String, _ to: String, atNs: Int64? = nil) -> [JournalRow]
        {
            var rows = honest
            let row = rows[place]
            let body = row.json.replacing(from, with: to)
            rows[place] = JournalRow(
                position: row.position, session: row.session, seq: row.seq,
                atNs: atNs ?? row.atNs, body: Array(body.utf8), after: row.previous)
            return rows
        }
        let otherwise = try #require(difference(changed(2, "choosingEpisode", "help")))
        #expect(otherwise.position == 3 && otherwise.why == "the replay produces it differently")
        let refused = try #require(difference(changed(2, "startPlaying", "resume")))
        #expect(refused.why == "the replay refuses it: noTransition")
        let late = try #require(difference(changed(2, "", "", atNs: 5)))
        #expect(late.why == "the replay produces it differently")
        let early = try #require(difference(changed(3, "", "", atNs: 59_000_000_000)))
        #expect(early.why == "the timer idle is not due at that instant")
        var less = honest
        less.remove(at: 3)
        #expect(difference(less) == nil, "the end is missing, and time has not gone on")
        less.append(
            JournalRow(
                .daemon, position: 4, session: "", seq: 0, atNs: 100_000_000_000,
                body: Array(#"{"kind":"advance","pos":2,"nowNs":"100000000000"}"#.utf8),
                after: honest[0].mark))
        #expect(difference(less)?.why == "an unrecorded timer fired before it")
        diary.end()
    }

    /// Sessions of all flows at random, killed now and then without warning: nobody could tell them from
    /// sessions that were never killed.
    @Test(arguments: seeds(4, long: 40))
    func `a killed daemon continues like one that was not killed`(_ seed: UInt64)
        throws
    {
        var random = SeededRandom(seed)
        let steady = RecordingFixture()
        var killed = RecordingFixture()
        let names = ["a", "b", "c"].map { SessionName($0)! }
        for step in 0..<150 {
            if random.below(12) == 0 { killed = killed.restarted() }
            let name = random.pick(names)
            let choice = random.below(10)
            let event = random.below(100)
            let ms = Int64(random.pick([1, 500, 1000, 8000, 20_000, 61_000]))
            let (flowChoice, sample, id) = (random.below(6), random.below(100), random.below(30))
            for diary in [steady, killed] {
                let sessions = diary.sessions
                guard let session = try? sessions.session(name) else {
                    _ = try sessions.open(
                        name, sessions.flows[flowChoice], RequestContext(from: Players.player))
                    continue
                }
                switch choice {
                case 0: try sessions.close(session, RequestContext(from: Players.player))
                case 1, 2: diary.time.advance(by: .milliseconds(ms))
                case 3:
                    if let timer = session.machine.liveTimers.first {
                        let action = TimerOperation.Action.allCases[event % 4]
                        let by = action.needsDuration ? Duration.seconds(5) : nil
                        _ = try? sessions.operate(
                            TimerOperation(timer.fires, action, by: by), on: session,
                            RequestContext(from: Players.player))
                    }
                default:
                    let chosen = session.flow.events[event % session.flow.events.count]
                    _ = try? sessions.send(
                        chosen.name, chosen.samples[sample % chosen.samples.count], to: session,
                        RequestContext(from: Players.player, id: id < 10 ? "id\(id)" : nil))
                }
            }
            #expect(killed.quarantined == [], "seed \(seed), step \(step)")
            #expect(killed.everything == steady.everything, "seed \(seed), step \(step)")
            #expect(killed.sessions.pos == steady.sessions.pos, "seed \(seed), step \(step)")
            if killed.everything != steady.everything { break }
        }
        steady.expectReplays("seed \(seed)")
        killed.expectReplays("seed \(seed), killed")
        steady.end()
        killed.end()
    }
}

/// Requests with an id that are answered with a session, after a restart.
@Suite struct RecordedIDTests {
    private func context(_ id: String) -> RequestContext {
        RequestContext(from: Players.player, id: id)
    }

    @Test func `open, timer and close with a repeated id get the first reply after a restart`()
        throws
    {
        let diary = RecordingFixture()
        let (quiz, name) = (SessionName("quiz")!, SessionName.main)
        _ = try diary.sessions.open(
            name, diary.flow("game"), state: "playingLevel",
            data: [Member("episode", 1), Member("level", 1)], context("open"))
        let opened = try #require(diary.sessions.answer(to: context("open"), of: name))
        diary.time.advance(by: .seconds(3))
        let game = try diary.sessions.session(name)
        let pause = TimerOperation("timeUp", .pause)
        let paused = try diary.sessions.operate(pause, on: game, context("pause"))
        // Pausing twice changes nothing, and is remembered all the same.
        let twice = try diary.sessions.operate(pause, on: game, context("twice"))
        _ = try diary.sessions.open(quiz, diary.flow("quiz"), context("q"))
        let closed = try diary.sessions.close(diary.sessions.session(quiz), context("close"))
        let again = diary.restarted(after: .seconds(5))
        let sessions = again.sessions
        func text(_ status: SessionStatus) -> String {
            String(
                decoding: JSONWriter.bytes { Encoder().write(status, .full, to: &$0) },
                as: UTF8.self)
        }
        for (id, first) in [("open", opened), ("pause", paused), ("twice", twice)] {
            let answer = try #require(sessions.answer(to: context(id), of: name), "\(id)")
            #expect(text(answer.value) == text(first.value), "\(id)")
        }
        let answer = try #require(sessions.answer(to: context("close"), of: quiz))
        #expect(answer.value.seq == closed.value.seq)
        #expect(answer.value.place == closed.value.place)
        diary.end()
        again.end()
    }
}
