import GameFlow
import Sessions
import Testing
import Timers

/// Late timers and slow commits are reported from a threshold on.
@Suite struct SlowWorkTests {
    @Test func `a commit is reported if it takes as long as the threshold`() {
        let counts = SessionCounts()
        var reported: [(rows: Int, time: Duration)] = []
        counts.slowWork = SessionCounts.SlowWork(
            lateness: .seconds(1), { _, _, _ in },
            commitTime: .milliseconds(100), { reported.append(($0, $1)) })
        counts.countCommit(of: 3, Duration.milliseconds(99).nanoseconds)
        #expect(reported.isEmpty)
        counts.countCommit(of: 5, Duration.milliseconds(100).nanoseconds)
        #expect(reported.map(\.rows) == [5] && reported.map(\.time) == [.milliseconds(100)])
    }

    @Test(arguments: [Duration.zero, .milliseconds(1)])
    func `a timer is reported if it is as late as the threshold`(_ threshold: Duration) throws {
        let fixture = SessionsFixture()
        var reported: [String] = []
        fixture.sessions.counts.slowWork = SessionCounts.SlowWork(
            lateness: threshold, { reported.append("\($0.name.text) \($1) \($2.milliseconds)") },
            commitTime: .seconds(1), { _, _ in })
        try fixture.open("main", "playingLevel", [Member("episode", 1), Member("level", 3)])
        // On a virtual clock each timer fires at its deadline.
        fixture.time.advance(by: .seconds(1))
        #expect(reported == (threshold == .zero ? ["main tick 0"] : []))
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `a timer that an undo has set to the past is not late`() throws {
        let fixture = SessionsFixture()
        var reported: [String] = []
        fixture.sessions.counts.slowWork = SessionCounts.SlowWork(
            lateness: .zero, { reported.append("\($1) \($2.milliseconds)") },
            commitTime: .seconds(1), { _, _ in })
        try fixture.open("main", "help")
        try fixture.send("dismissHelp")
        fixture.time.advance(by: .seconds(100))
        try fixture.sessions.undo(
            clocks: .run, fixture.session(), RequestContext(from: SessionsFixture.player))
        #expect(reported == ["helpTimedOut 0"])
        fixture.closeAllAndExpectNoTimers()
    }
}
