import GameFlow
import Sessions
import Testing
import Timers

@testable import Statistics

@Suite struct StuckDetectorTests {
    private let games = RecordedGames()

    private func detector(limits: StuckDetector.DetectorLimits = .init()) -> StuckDetector {
        var detector = StuckDetector(limits: limits, finals: RecordedGames.finals(of:))
        for record in games.records { detector.add(record) }
        return detector
    }

    /// Twenty games: nine of ten stay in the state `search` for at most 18 s.
    private func playTwenty() throws {
        for seconds in 1...20 { try games.play("past", search: seconds) }
    }

    @Test func `a session is stuck when it stays longer than nine of ten visits lasted`() throws {
        try playTwenty()
        try games.open("a")
        try games.send("begin", "a")
        let entered = games.sessions.now
        var detector = detector()
        #expect(detector.nextStuckInstant() == entered + .seconds(18))
        #expect(detector.takeStuck(at: entered + .seconds(18)).isEmpty)
        let late = entered + .milliseconds(18_001)
        #expect(
            detector.takeStuck(at: late) == [
                .init(session: SessionName("a")!, since: entered + .seconds(18))
            ])
        #expect(detector.isStuck(SessionName("a")!))
        // Once in each entry.
        #expect(detector.takeStuck(at: late + .seconds(100)).isEmpty)
        #expect(detector.nextStuckInstant() == nil)
    }

    @Test func `sessions of one journal are compared with the visits of another one, once each`()
        throws
    {
        for seconds in 1...10 { try games.play("past", search: seconds) }
        let times = VisitTimes(finals: RecordedGames.finals(of:))
        var first = StuckDetector(times: times)
        for record in games.records { first.add(record) }
        times.markKnown(upTo: games.records.count, of: 1)
        // The journal is read again: its visits are known.
        var again = StuckDetector(times: times)
        for (index, record) in games.records.enumerated() {
            again.add(record, isNew: times.isNew(index + 1, of: 1))
        }
        let other = RecordedGames()
        for seconds in 11...19 { try other.play("past", search: seconds) }
        try other.open("a")
        try other.send("begin", "a")
        var second = StuckDetector(times: times)
        for record in other.records { second.add(record, isNew: times.isNew(1, of: 2)) }
        #expect(second.nextStuckInstant() == nil)
        #expect(again.nextStuckInstant() == nil)
        let entered = other.sessions.now
        try games.play("past", search: 20)
        var third = StuckDetector(times: times)
        for (index, record) in games.records.enumerated() {
            third.add(record, isNew: times.isNew(index + 1, of: 1))
        }
        // Twenty visits of 1 to 20 s.
        #expect(second.nextStuckInstant() == entered + .seconds(18))
    }

    @Test func `with fewer than twenty past visits no session is stuck`() throws {
        for seconds in 1...19 { try games.play("past", search: seconds) }
        try games.open("a")
        try games.send("begin", "a")
        var detector = detector()
        #expect(detector.nextStuckInstant() == nil)
        #expect(detector.takeStuck(at: games.sessions.now + .seconds(3000)).isEmpty)
    }

    @Test func `a session already in the state is found after the twentieth visit`() throws {
        for seconds in 1...19 { try games.play("past", search: seconds) }
        try games.open("a")
        try games.send("begin", "a")
        try games.play("past", search: 20)
        var detector = detector()
        #expect(detector.takeStuck(at: games.sessions.now).map(\.session.text) == ["a"])
    }

    @Test func `a session that has left the state in time is not found`() throws {
        try playTwenty()
        try games.open("a")
        try games.send("begin", "a")
        try games.wait(10)
        try games.send("ask", "a")
        var detector = detector()
        #expect(detector.takeStuck(at: games.sessions.now + .seconds(1000)).isEmpty)
    }

    @Test func `a session in a final state is never stuck`() throws {
        for _ in 1...30 {
            try games.play("past", search: 1)
        }
        try games.open("a")
        try games.send("begin", "a")
        try games.send("find", "a")
        var detector = detector()
        #expect(detector.takeStuck(at: games.sessions.now + .seconds(1000)).isEmpty)
    }

    @Test func `after an undo the stay goes on, and is found in the new entry`() throws {
        try playTwenty()
        try games.open("a")
        try games.send("begin", "a")
        try games.wait(15)
        try games.send("ask", "a")
        try games.wait(50)
        try games.undo("a")
        let back = games.sessions.now
        var detector = detector()
        #expect(detector.takeStuck(at: back + .seconds(3)).isEmpty)
        #expect(
            detector.takeStuck(at: back + .milliseconds(3001)).map(\.since) == [back + .seconds(3)])
    }

    @Test func `an undo of a stuck session begins a new entry, in which it is found again`() throws
    {
        try playTwenty()
        try games.open("a")
        try games.send("begin", "a")
        try games.wait(19)
        var detector = detector()
        #expect(detector.takeStuck(at: games.sessions.now).count == 1)
        let known = games.records.count
        try games.pauseTimer("a")
        try games.undo("a")
        for record in games.records.dropFirst(known) { detector.add(record) }
        #expect(detector.takeStuck(at: games.sessions.now).count == 1)
        #expect(detector.takeStuck(at: games.sessions.now).isEmpty)
    }

    @Test func `a visit that was taken back is no longer among the times`() throws {
        for seconds in 1...19 { try games.play("past", search: seconds) }
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
        try playTwenty()
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
        try playTwenty()
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
        try playTwenty()
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
        limits.states = 1
        try playTwenty()
        try games.open("a")
        try games.send("begin", "a")
        var detector = detector(limits: limits)
        #expect(detector.count == 0)
        #expect(detector.takeStuck(at: games.sessions.now + .seconds(100)).isEmpty)
    }

    @Test func `closed sessions leave nothing in memory`() throws {
        try playTwenty()
        try games.open("a")
        var detector = detector()
        for _ in 0..<1000 {
            let known = games.records.count
            try games.goto("search", "a")
            for record in games.records.dropFirst(known) { detector.add(record) }
            sessionsAreFew(detector)
        }
        try games.wait(1)
        #expect(detector.takeStuck(at: games.sessions.now).count == 1)
    }

    private func sessionsAreFew(_ detector: StuckDetector) {
        #expect(detector.queuedEntries <= 128)
    }
}
