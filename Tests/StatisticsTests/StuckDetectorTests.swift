import GameFlow
import Sessions
import Testing
import Timers

@testable import Statistics

@Suite struct StuckDetectorTests {
    /// Games of `Hunt`, and the records of their journal: `begin` leads from `lobby` to `search`, and `find` from there to the
    /// final state `won`; `ask` leads from `search` to `riddle`.
    private let games = RecordedGames()

    private func detector(limits: StuckDetector.DetectorLimits = .init()) -> StuckDetector {
        var detector = StuckDetector(limits: limits, finals: RecordedGames.finals(of:))
        for record in games.records { detector.add(record) }
        return detector
    }

    /// Plays twenty games, which stay in the state `search` for 1, 2, … 20 s: nine of ten visits last at most 18 s.
    private func playTwentyGames() throws {
        for seconds in 1...20 { try games.play("past", secondsInSearch: seconds) }
    }

    @Test func `a session is stuck when it stays longer than nine of ten visits lasted`() throws {
        try playTwentyGames()
        try games.open("a")
        try games.send("begin", "a")
        let entered = games.sessions.now
        var detector = detector()
        #expect(detector.nextStuckInstant() == entered + .seconds(18))
        #expect(detector.takeStuck(at: entered + .seconds(18)).isEmpty)
        let late = entered + .milliseconds(18_001)
        #expect(
            detector.takeStuck(at: late) == [
                .init(session: SessionName("a")!, stuckSince: entered + .seconds(18))
            ])
        #expect(detector.isStuck(SessionName("a")!))
        // The detector returns a session at most once for each entry.
        #expect(detector.takeStuck(at: late + .seconds(100)).isEmpty)
        #expect(detector.nextStuckInstant() == nil)
    }

    @Test func `sessions are compared with the visits in two journals; each visit counts once`()
        throws
    {
        for seconds in 1...10 { try games.play("past", secondsInSearch: seconds) }
        let times = VisitTimes(finals: RecordedGames.finals(of:))
        var firstReader = StuckDetector(times: times)
        for record in games.records { firstReader.add(record) }
        times.markCounted(upTo: games.records.count, inJournal: 1)
        // A second detector reads the same journal: its visits are not counted twice.
        var secondReader = StuckDetector(times: times)
        for (index, record) in games.records.enumerated() {
            secondReader.add(record, isNew: times.isNew(index + 1, inJournal: 1))
        }
        let otherGames = RecordedGames()
        for seconds in 11...19 { try otherGames.play("past", secondsInSearch: seconds) }
        try otherGames.open("a")
        try otherGames.send("begin", "a")
        var otherDetector = StuckDetector(times: times)
        for (index, record) in otherGames.records.enumerated() {
            otherDetector.add(record, isNew: times.isNew(index + 1, inJournal: 2))
        }
        // Nineteen visits are too few.
        #expect(otherDetector.nextStuckInstant() == nil)
        #expect(secondReader.nextStuckInstant() == nil)
        let entered = otherGames.sessions.now
        try games.play("past", secondsInSearch: 20)
        var thirdReader = StuckDetector(times: times)
        for (index, record) in games.records.enumerated() {
            thirdReader.add(record, isNew: times.isNew(index + 1, inJournal: 1))
        }
        // The two journals have twenty visits of 1 to 20 s.
        #expect(otherDetector.nextStuckInstant() == entered + .seconds(18))
    }

    @Test func `with fewer than twenty past visits no session is stuck`() throws {
        for seconds in 1...19 { try games.play("past", secondsInSearch: seconds) }
        try games.open("a")
        try games.send("begin", "a")
        var detector = detector()
        #expect(detector.nextStuckInstant() == nil)
        #expect(detector.takeStuck(at: games.sessions.now + .seconds(3000)).isEmpty)
    }

    @Test func `a session that entered the state before the twentieth visit is found`() throws {
        for seconds in 1...19 { try games.play("past", secondsInSearch: seconds) }
        try games.open("a")
        try games.send("begin", "a")
        try games.play("past", secondsInSearch: 20)
        var detector = detector()
        #expect(detector.takeStuck(at: games.sessions.now).map(\.session.text) == ["a"])
    }

    @Test func `a session that left the state before it was stuck is not found`() throws {
        try playTwentyGames()
        try games.open("a")
        try games.send("begin", "a")
        try games.wait(10)
        try games.send("ask", "a")
        var detector = detector()
        #expect(detector.takeStuck(at: games.sessions.now + .seconds(1000)).isEmpty)
    }

    @Test func `a session in a final state is never stuck`() throws {
        for _ in 1...30 {
            try games.play("past", secondsInSearch: 1)
        }
        try games.open("a")
        try games.send("begin", "a")
        try games.send("find", "a")
        var detector = detector()
        #expect(detector.takeStuck(at: games.sessions.now + .seconds(1000)).isEmpty)
    }

    @Test
    func
        `after an undo the earlier time of the visit counts, and the session is found in the new entry`()
        throws
    {
        try playTwentyGames()
        try games.open("a")
        try games.send("begin", "a")
        try games.wait(15)
        try games.send("ask", "a")
        try games.wait(50)
        try games.undo("a")
        // The session was in `search` for 15 s when it left the state, and the undo continues this visit. After 3 s more, the
        // visit exceeds 18 s.
        let undone = games.sessions.now
        var detector = detector()
        #expect(detector.takeStuck(at: undone + .seconds(3)).isEmpty)
        #expect(
            detector.takeStuck(at: undone + .milliseconds(3001)).map(\.stuckSince)
                == [undone + .seconds(3)])
    }

    @Test func `an undo of a stuck session begins a new entry, in which it is found again`() throws
    {
        try playTwentyGames()
        try games.open("a")
        try games.send("begin", "a")
        try games.wait(19)
        var detector = detector()
        #expect(detector.takeStuck(at: games.sessions.now).count == 1)
        let readCount = games.records.count
        try games.pauseTimer("a")
        try games.undo("a")
        for record in games.records.dropFirst(readCount) { detector.add(record) }
        #expect(detector.takeStuck(at: games.sessions.now).count == 1)
        #expect(detector.takeStuck(at: games.sessions.now).isEmpty)
    }

    @Test func `a visit that an undo continues is not one of the past visits`() throws {
        for seconds in 1...19 { try games.play("past", secondsInSearch: seconds) }
        try games.open("a")
        try games.send("begin", "a")
        try games.wait(500)
        try games.send("ask", "a")
        try games.undo("a")
        var detector = detector()
        #expect(detector.nextStuckInstant() == nil)
        #expect(detector.takeStuck(at: games.sessions.now + .seconds(1000)).isEmpty)
    }

    @Test func `the time in which the daemon was down makes no session stuck`() throws {
        try playTwentyGames()
        try games.open("a")
        try games.send("begin", "a")
        try games.wait(10)
        try games.restart(after: 500)
        let start = games.sessions.now
        var detector = detector()
        #expect(detector.nextStuckInstant() == start + .seconds(8))
        #expect(detector.takeStuck(at: start + .seconds(8)).isEmpty)
        #expect(detector.takeStuck(at: start + .seconds(9)).count == 1)
    }

    @Test func `a closed session is not stuck, and not followed`() throws {
        try playTwentyGames()
        try games.open("a")
        try games.send("begin", "a")
        try games.wait(30)
        try games.close("a")
        var detector = detector()
        #expect(detector.count == 0)
        #expect(detector.takeStuck(at: games.sessions.now + .seconds(1000)).isEmpty)
    }

    @Test func `sessions above the limit are not followed`() throws {
        var limits = StuckDetector.DetectorLimits()
        limits.sessions = 2
        try playTwentyGames()
        for name in ["a", "b", "c"] {
            try games.open(name)
            try games.send("begin", name)
        }
        var detector = detector(limits: limits)
        #expect(detector.count == 2)
        let found = detector.takeStuck(at: games.sessions.now + .seconds(100))
        #expect(found.map(\.session.text) == ["a", "b"])
    }

    @Test func `states above the limit are not followed`() throws {
        var limits = StuckDetector.DetectorLimits()
        // The first state of the games is `lobby`, so the second state, `search`, exceeds the limit.
        limits.states = 1
        try playTwentyGames()
        try games.open("a")
        try games.send("begin", "a")
        var detector = detector(limits: limits)
        #expect(detector.count == 0)
        #expect(detector.takeStuck(at: games.sessions.now + .seconds(100)).isEmpty)
    }

    @Test func `the queue stays short when a session enters a state again and again`() throws {
        try playTwentyGames()
        try games.open("a")
        var detector = detector()
        for _ in 0..<1000 {
            let readCount = games.records.count
            try games.goto("search", "a")
            for record in games.records.dropFirst(readCount) { detector.add(record) }
            expectShortQueue(of: detector)
        }
        try games.wait(1)
        #expect(detector.takeStuck(at: games.sessions.now).count == 1)
    }

    /// Expects far fewer queued stays than the 1000 stays of the test. A queue may contain about 64 outdated stays.
    private func expectShortQueue(of detector: StuckDetector) {
        #expect(detector.queuedStays <= 128)
    }
}
