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

/// Sessions of all shipped flows that are recorded as rows, and that can be restored from these rows.
private final class RecordingFixture {
    let time: VirtualClock
    let sessions: Sessions
    private(set) var rows: [JournalRow]
    /// The sessions that could not be restored from the rows.
    let quarantined: [Sessions.QuarantineError]

    init(
        _ rows: [JournalRow] = [], at now: Instant = .zero, lastAlive: Instant = .zero,
        limits: Limits = Limits()
    ) {
        time = VirtualClock(startingAt: now)
        sessions = Sessions(AnyFlow.shipped(), on: time, limits: limits)
        self.rows = rows
        var reading = JournalReading(prunedUpTo: 0, answerLimit: 65_536)
        for row in rows { reading.add(row) }
        quarantined = sessions.restore(reading.content(), lastAlive: lastAlive)
        sessions.recorder = { [unowned self] record, previous in
            let row = JournalRow(record, at: self.rows.count + 1, after: previous)
            self.rows.append(row)
            return row.journalPosition
        }
        sessions.recordStart([], lastAlive: lastAlive)
    }

    /// A new fixture that restores the rows of this fixture, as if the daemon were killed now and started after the time
    /// `down`.
    func restarted(after down: Duration = .zero) -> RecordingFixture {
        RecordingFixture(rows, at: time.now + down, lastAlive: time.now)
    }

    /// The encoded status of every session.
    var statuses: [String] {
        sessions.all.map { session in
            var writer = JSONWriter()
            Encoder().write(session.status, .full, to: &writer)
            return String(decoding: writer.bytes, as: UTF8.self)
        }
    }

    func flow(_ name: String) throws -> AnyFlow { try sessions.flow(name) }

    /// Expects that a replay of the recorded rows produces the same rows.
    func expectReplays(_ comment: Comment) {
        let replay = JournalReplay(sessions.flows)
        for row in rows {
            guard let difference = replay.execute(row) else { continue }
            Issue.record("\(comment): \(describe(difference))")
            return
        }
        #expect(replay.finish() == nil, comment)
        #expect(replay.changes == rows.count { $0.kind == .change || $0.kind == .rest }, comment)
    }

    private func describe(_ difference: JournalReplay.Difference) -> String {
        func text(_ record: SessionRecord?) -> String { record.map { "\($0.members)" } ?? "-" }
        return "row \(difference.position), \(difference.session): \(difference.why)\n"
            + "\(text(difference.recorded))\n\(text(difference.replayed))"
    }

    func end() {
        sessions.recorder = nil
        for session in sessions.all {
            _ = try? sessions.close(session, RequestContext(from: Players.player))
        }
        #expect(time.timerQueue.count == 0)
    }
}

@Suite struct RecordingTests {
    private let episodeArguments = [Member("episode", 2)]

    @Test func `sessions are restored with state, data, numbers, timers and deferred events`()
        throws
    {
        let recording = RecordingFixture()
        let game = try recording.sessions.open(
            .main, recording.flow("game"), RequestContext(from: Players.player))
        let startup = try recording.sessions.open(
            SessionName("s")!, recording.flow("startup"), RequestContext(from: Players.player))
        _ = try recording.sessions.send(
            "startPlaying", to: game, RequestContext(from: Players.player))
        _ = try recording.sessions.send(
            "deepLink", [Member("link", "app://a")], to: startup,
            RequestContext(from: Players.player))
        recording.time.advance(by: .milliseconds(1234))
        _ = try recording.sessions.send(
            "chooseEpisode", episodeArguments, to: game, RequestContext(from: Players.player))
        let restarted = recording.restarted()
        #expect(restarted.quarantined == [])
        #expect(restarted.statuses == recording.statuses)
        #expect(restarted.sessions.pos == recording.sessions.pos)
        recording.end()
        restarted.end()
    }

    @Test func `a closed session stays closed, and its name may be used again`() throws {
        let recording = RecordingFixture()
        let game = try recording.sessions.open(
            .main, recording.flow("game"), RequestContext(from: Players.player))
        _ = try recording.sessions.send(
            "startPlaying", to: game, RequestContext(from: Players.player, id: "k"))
        try recording.sessions.close(game, RequestContext(from: Players.player))
        #expect(recording.restarted().statuses == [])
        let quiz = try recording.sessions.open(
            .main, recording.flow("quiz"), RequestContext(from: Players.player))
        _ = try recording.sessions.send(
            "start", [Member("rounds", 1)], to: quiz, RequestContext(from: Players.player))
        let restarted = recording.restarted()
        #expect(restarted.statuses == recording.statuses)
        // The closed session has used the id `k`. The present session was opened later, so the id is new for it.
        let main = try restarted.sessions.session(.main)
        let change = try restarted.sessions.send(
            "buzz", [Member("player", "ann")], to: main,
            RequestContext(from: Players.player, id: "k")
        ).value
        #expect(change.seq == 3)
        recording.end()
        restarted.end()
    }

    @Test func `a replay executes a recorded request although the replay still knows its id`()
        throws
    {
        // A daemon that took the sessions over may not know which ids a closed session has used.
        var limits = Limits()
        limits.oldIDs = 0
        let recording = RecordingFixture(limits: limits)
        for _ in 1...2 {
            let game = try recording.sessions.open(
                .main, recording.flow("game"), RequestContext(from: Players.player))
            _ = try recording.sessions.send(
                "startPlaying", to: game, RequestContext(from: Players.player, id: "k"))
            try recording.sessions.close(game, RequestContext(from: Players.player))
        }
        recording.expectReplays("the id is used in both sessions")
        recording.end()
    }

    @Test func `after a restart a repeated id gets the first reply, byte for byte`() throws {
        let recording = RecordingFixture()
        let game = try recording.sessions.open(
            .main, recording.flow("game"), RequestContext(from: Players.player))
        let first = try recording.sessions.send(
            "startPlaying", to: game, RequestContext(from: Players.player, id: "k1")
        ).value
        _ = try recording.sessions.send(
            "returnHome", to: game, RequestContext(from: Players.player))
        let restarted = recording.restarted(after: .seconds(5))
        let main = try restarted.sessions.session(.main)
        let second = try restarted.sessions.send(
            "displayHelp", to: main, RequestContext(from: Players.player, id: "k1")
        ).value
        func json(_ change: Change) -> String {
            String(
                decoding: JSONWriter.bytes { Encoder().write(change, .full, to: &$0) },
                as: UTF8.self)
        }
        #expect(json(second) == json(first))
        #expect(main.machine.place.state == "introduction")
        recording.end()
        restarted.end()
    }

    @Test func `during a downtime, timers that keep their remaining time stop and others continue`()
        throws
    {
        let recording = RecordingFixture()
        let levelData = [Member("episode", 1), Member("level", 1)]
        _ = try recording.sessions.open(
            SessionName("a")!, recording.flow("game"), state: "playingLevel", data: levelData,
            RequestContext(from: Players.player))
        _ = try recording.sessions.open(
            SessionName("b")!, recording.flow("game"), state: "help",
            RequestContext(from: Players.player))
        recording.time.advance(by: .milliseconds(2500))
        let restarted = recording.restarted(after: .seconds(3600))
        restarted.time.advance(by: .zero)
        let playing = try restarted.sessions.session(SessionName("a")!)
        let timers = playing.machine.liveTimers.map {
            "\($0.fires) \($0.info.remaining.milliseconds)"
        }
        #expect(timers == ["timeUp 87500", "tick 500"])
        let timedOut = try restarted.sessions.session(SessionName("b")!)
        #expect(timedOut.machine.place.state == "introduction")
        #expect(timedOut.seq == 2)
        recording.end()
        restarted.end()
    }

    @Test func `only sessions that cannot be restored are quarantined, each with a reason`()
        throws
    {
        let recording = RecordingFixture()
        for name in ["a", "b", "c", "d"] {
            _ = try recording.sessions.open(
                SessionName(name)!, recording.flow("game"), state: "help",
                RequestContext(from: Players.player))
        }
        var rows = recording.rows
        /// Replaces text in the row of the session with this index.
        func damage(_ session: Int, _ from: String, _ to: String) {
            // `rows[0]` is the row of the daemon's start.
            let row = rows[session + 1]
            let body = row.body { $0.replacing(from, with: to) }
            rows[session + 1] = JournalRow(
                position: row.position, session: row.session, seq: row.seq, atNs: row.atNs,
                body: body, after: .start)
        }
        damage(0, "\"help\"", "\"gone\"")
        damage(1, "\"flow\":\"game\"", "\"flow\":\"chess\"")
        damage(2, "{\"flow\"", "{flow")
        let restarted = RecordingFixture(rows)
        // Sessions with rows that cannot be read come first.
        #expect(
            restarted.quarantined.map { "\($0.session.text): \($0.why)" } == [
                "c: its body has an unknown version (123)", "a: the flow has no state gone",
                "b: there is no flow chess",
            ])
        #expect(restarted.sessions.count == 1)
        #expect(restarted.sessions.quarantinedCount == 3)
        #expect(restarted.sessions.quarantinedCountsByFlow == ["game": 1, "chess": 1, nil: 1])
        let name = try #require(SessionName("a"))
        try restarted.sessions.closeQuarantined(name, from: Players.player)
        #expect(restarted.sessions.quarantinedCount == 2)
        #expect(restarted.sessions.quarantinedCountsByFlow == ["chess": 1, nil: 1])
        recording.end()
        restarted.end()
    }

    @Test func `a session whose data the flow refuses is quarantined with its name and the reason`()
        throws
    {
        let recording = RecordingFixture()
        let data = [Member("episode", 1), Member("level", 3)]
        _ = try recording.sessions.open(
            .main, recording.flow("game"), state: "playingLevel", data: data,
            RequestContext(from: Players.player))
        var rows = recording.rows
        let row = rows[1]
        let body = row.body { $0.replacing(#""level":3"#, with: #""level":99"#) }
        rows[1] = JournalRow(
            position: row.position, session: row.session, seq: row.seq, atNs: row.atNs,
            body: body, after: .start)
        let restarted = RecordingFixture(rows)
        let why = try #require(restarted.quarantined.first?.why)
        #expect(
            why.hasPrefix(
                "its state `playingLevel` has level=99, and the flow refuses it: the episode has no such level"
            ))
        let refusal = #expect(throws: RequestError.self) { try restarted.sessions.session(.main) }
        guard case .storage(let sentence, .undone)? = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(
            sentence
                == "main could not be restored after the restart: \(why); `gamectl close @main` discards it"
        )
        recording.end()
        restarted.end()
    }

    @Test func `a replay reports the first row that it does not produce again, and why`() throws {
        let recording = RecordingFixture()
        let game = try recording.sessions.open(
            .main, recording.flow("game"), RequestContext(from: Players.player))
        _ = try recording.sessions.send(
            "startPlaying", to: game, RequestContext(from: Players.player))
        recording.time.advance(by: .seconds(100))
        #expect(game.machine.place.state == "introduction")
        let recorded = recording.rows
        func difference(_ rows: [JournalRow]) -> JournalReplay.Difference? {
            let replay = JournalReplay(recording.sessions.flows)
            for row in rows { if let found = replay.execute(row) { return found } }
            return replay.finish()
        }
        #expect(difference(recorded) == nil)
        /// The recorded rows, with a text or the time of one of them replaced. The index of a row is its position minus 1.
        func changed(_ index: Int, _ from: String, _ to: String, atNs: Int64? = nil) -> [JournalRow]
        {
            var rows = recorded
            let row = rows[index]
            rows[index] = JournalRow(
                position: row.position, session: row.session, seq: row.seq,
                atNs: atNs ?? row.atNs, body: row.body { $0.replacing(from, with: to) },
                after: row.previous)
            return rows
        }
        let otherState = try #require(difference(changed(2, "choosingEpisode", "help")))
        #expect(
            otherState.position == 3 && otherState.why == "the replay produces a different record")
        let refused = try #require(difference(changed(2, "startPlaying", "resume")))
        #expect(refused.why == "the replay refuses the request: noTransition")
        let late = try #require(difference(changed(2, "", "", atNs: 5)))
        #expect(late.why == "the replay produces a different record")
        let early = try #require(difference(changed(3, "", "", atNs: 59_000_000_000)))
        #expect(early.why == "the timer idle is not due at that instant")
        var shortened = recorded
        shortened.remove(at: 3)
        #expect(
            difference(shortened) == nil,
            "the last row is missing, and no later row shows that time has passed")
        // A row of the daemon which says that the time is 100 s.
        let end = Instant(nanoseconds: 100_000_000_000)
        shortened.append(
            JournalRow(
                SessionRecord(
                    .advance(
                        SessionRecord.ClockAdvance(
                            to: end, fired: 0, isCutShort: false, by: nil, from: nil)),
                    session: nil, seq: 0, at: end, pos: 2, position: 4),
                at: 4, after: recorded[0].journalPosition))
        #expect(
            difference(shortened)?.why
                == "a timer fired before this record, but its firing is not recorded")
        recording.end()
    }

    /// Makes random steps in the sessions of two daemons, with all flows. One daemon is killed at random, and the other daemon
    /// is never killed. Their sessions are equal after every step.
    @Test(arguments: seeds(4, long: 40))
    func `a killed daemon continues like one that was not killed`(_ seed: UInt64)
        throws
    {
        var random = SeededRandom(seed)
        let uninterrupted = RecordingFixture()
        var killed = RecordingFixture()
        let names = ["a", "b", "c"].map { SessionName($0)! }
        // Each opening of a session has ids of its own: only the daemon that was not killed knows the ids of closed sessions.
        var closings: [SessionName: Int] = [:]
        for step in 0..<150 {
            if random.below(12) == 0 { killed = killed.restarted() }
            let name = random.pick(names)
            let choice = random.below(10)
            let eventChoice = random.below(100)
            let ms = Int64(random.pick([1, 500, 1000, 8000, 20_000, 61_000]))
            let (flowChoice, sampleChoice) = (random.below(6), random.below(100))
            let idNumber = random.below(30)
            if choice == 0 { closings[name, default: 0] += 1 }
            let idText = "id\(idNumber) after \(closings[name, default: 0])"
            for recording in [uninterrupted, killed] {
                let sessions = recording.sessions
                guard let session = try? sessions.session(name) else {
                    _ = try sessions.open(
                        name, sessions.flows[flowChoice], RequestContext(from: Players.player))
                    continue
                }
                switch choice {
                case 0: try sessions.close(session, RequestContext(from: Players.player))
                case 1, 2: recording.time.advance(by: .milliseconds(ms))
                case 3:
                    if let timer = session.machine.liveTimers.first {
                        let action = TimerOperation.Action.allCases[eventChoice % 4]
                        let by = action.needsDuration ? Duration.seconds(5) : nil
                        _ = try? sessions.operate(
                            TimerOperation(timer.fires, action, by: by), on: session,
                            RequestContext(from: Players.player))
                    }
                default:
                    let chosen = session.flow.events[eventChoice % session.flow.events.count]
                    let arguments = chosen.samples[sampleChoice % chosen.samples.count]
                    let id = idNumber < 10 ? idText : nil
                    _ = try? sessions.send(
                        chosen.name, arguments, to: session,
                        RequestContext(from: Players.player, id: id))
                }
            }
            #expect(killed.quarantined == [], "seed \(seed), step \(step)")
            #expect(killed.statuses == uninterrupted.statuses, "seed \(seed), step \(step)")
            #expect(killed.sessions.pos == uninterrupted.sessions.pos, "seed \(seed), step \(step)")
            if killed.statuses != uninterrupted.statuses { break }
        }
        uninterrupted.expectReplays("seed \(seed)")
        killed.expectReplays("seed \(seed), killed")
        uninterrupted.end()
        killed.end()
    }
}

/// After a restart, clients repeat requests with the same ids. The answers to these requests contain a session's status.
@Suite struct RecordedIDTests {
    private func context(_ id: String) -> RequestContext {
        RequestContext(from: Players.player, id: id)
    }

    @Test func `open, timer and close with a repeated id get the first reply after a restart`()
        throws
    {
        let recording = RecordingFixture()
        let (quiz, main) = (SessionName("quiz")!, SessionName.main)
        _ = try recording.sessions.open(
            main, recording.flow("game"), state: "playingLevel",
            data: [Member("episode", 1), Member("level", 1)], context("open"))
        let opened = try #require(try recording.sessions.answer(to: context("open"), of: main))
        recording.time.advance(by: .seconds(3))
        let game = try recording.sessions.session(main)
        let pause = TimerOperation("timeUp", .pause)
        let paused = try recording.sessions.operate(pause, on: game, context("pause"))
        // The second pause changes nothing, but its answer is recorded.
        let twice = try recording.sessions.operate(pause, on: game, context("twice"))
        _ = try recording.sessions.open(quiz, recording.flow("quiz"), context("q"))
        let closed = try recording.sessions.close(
            recording.sessions.session(quiz), context("close"))
        let restarted = recording.restarted(after: .seconds(5))
        let sessions = restarted.sessions
        func text(_ status: SessionStatus) -> String {
            String(
                decoding: JSONWriter.bytes { Encoder().write(status, .full, to: &$0) },
                as: UTF8.self)
        }
        for (id, first) in [("open", opened), ("pause", paused), ("twice", twice)] {
            let answer = try #require(try sessions.answer(to: context(id), of: main), "\(id)")
            #expect(text(answer.value) == text(first.value), "\(id)")
        }
        let answer = try #require(try sessions.answer(to: context("close"), of: quiz))
        #expect(answer.value.seq == closed.value.seq)
        #expect(answer.value.stateRecord == closed.value.stateRecord)
        recording.end()
        restarted.end()
    }
}
