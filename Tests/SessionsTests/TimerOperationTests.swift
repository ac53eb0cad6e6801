import EventLoop
import GameFlow
import Sessions
import ShippedFlows
import Testing
import Timers

@Suite struct TimerOperationTests {
    let fixture = SessionsFixture()

    init() throws {
        try fixture.open("main", "playingLevel", [Member("episode", 1), Member("level", 1)])
        fixture.time.advance(by: .milliseconds(1500))
    }

    private func operate(
        _ action: TimerOperation.Action, _ fires: String = "timeUp", by: Duration? = nil
    )
        throws(RequestError)
    {
        try fixture.sessions.operate(
            TimerOperation(fires, action, by: by), on: fixture.session(),
            RequestContext(from: SessionsFixture.player))
    }

    /// The remaining and the total milliseconds of each timer, such as `88500/90000p 500/1000`. `p` marks a paused timer.
    private var timers: String {
        get throws {
            let session = try fixture.session()
            return session.machine.liveTimers.map(\.info)
                .map {
                    "\($0.remaining.milliseconds)/\($0.total.milliseconds)\($0.isPaused ? "p" : "")"
                }
                .joined(separator: " ")
        }
    }

    @Test func `pausing, resuming, extending and restarting a timer are changes`() throws {
        try operate(.pause)
        #expect(try timers == "88500/90000p 500/1000")
        try operate(.resume)
        try operate(.extend, by: .seconds(10))
        #expect(try timers == "98500/100000 500/1000")
        try operate(.restart)
        #expect(try timers == "100000/100000 500/1000")
        try operate(.pause, "tick")
        #expect(try timers == "100000/100000 500/1000p")
        #expect(try fixture.session().seq == 6)
        #expect(try fixture.session().last?.kind == .timer)
        let text = try #require(fixture.session().last).text
        #expect(text.contains(#""timer":{"fires":"tick","action":"pause"}"#))
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `pausing a paused timer or resuming a running timer changes nothing`() throws {
        try operate(.resume)
        try operate(.pause)
        let before = try fixture.status()
        try operate(.pause)
        #expect(try fixture.status() == before)
        #expect(try fixture.session().seq == 2)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `an operation on an unknown timer and extending a pendulum are errors`() throws {
        let before = try fixture.status()
        for (action, fires) in [
            (TimerOperation.Action.pause, "idle"), (.extend, "tick"), (.pause, ""),
        ] {
            guard
                case .invalid = fixture.refusal({ () throws(RequestError) in
                    try operate(action, fires, by: .seconds(1))
                })
            else {
                Issue.record("\(action) \(fires) was accepted")
                continue
            }
        }
        #expect(try fixture.status() == before)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `a timer cannot be extended beyond its limit, even by several requests`() throws {
        guard
            case .limit("timerMs", _) = fixture.refusal({ () throws(RequestError) in
                try operate(.extend, by: .longest)
            })
        else {
            Issue.record("the timer was extended beyond the limit")
            return
        }
        try operate(.extend, by: .seconds(86_400 * 3650))
        for _ in 0..<50 {
            _ = fixture.refusal { () throws(RequestError) in
                try operate(.extend, by: .seconds(86_400 * 3650))
            }
        }
        #expect(try fixture.session().seq == 2)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `advancing returns each firing with its session, in order`() throws {
        try fixture.open("other", "help")
        let (fired, more) = try fixture.sessions.advance(.by(.seconds(2)))
        #expect(
            fired.map { "\($0.session.text) \($0.fires) \($0.at.milliseconds)" } == [
                "main tick 2000", "main tick 3000",
            ])
        #expect(!more)
        #expect(fixture.sessions.now.milliseconds == 3500)
        let next = try fixture.sessions.advance(.toNext)
        #expect(next.fired.map(\.at.milliseconds) == [4000])
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `advancing stops at the limit of firings and can be continued`() throws {
        var limits = Limits()
        limits.firings = 10
        let fixture = SessionsFixture(limits: limits)
        try fixture.open("main", "playingLevel", [Member("episode", 1), Member("level", 1)])
        let first = try fixture.sessions.advance(.by(.seconds(60)))
        #expect(first.fired.count == 10)
        #expect(first.more)
        #expect(fixture.sessions.now.milliseconds == 10_000)
        let secondAdvance = try fixture.sessions.advance(.by(.seconds(9)))
        #expect(secondAdvance.fired.count == 9)
        #expect(!secondAdvance.more)
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `the clock does not pass its last instant`() throws {
        try operate(.pause)
        try operate(.pause, "tick")
        // The last instant is at 250 years, 91 312 days. One advance is 3653 days, so 24 advances fit, but not 25.
        for _ in 0..<24 { _ = try fixture.sessions.advance(.by(.longest)) }
        guard
            case .limit("clockMs", _) = fixture.refusal({ () throws(RequestError) in
                _ = try fixture.sessions.advance(.by(.longest))
            })
        else {
            Issue.record("the clock passed its last instant")
            return
        }
        fixture.closeAllAndExpectNoTimers()
    }

    @Test
    func `a timer that was extended repeatedly does not move the clock beyond its last instant`()
        throws
    {
        try operate(.pause, "tick")
        // Each round would advance the clock by about ten years; the clock's last instant is at 250 years.
        for _ in 0..<40 {
            _ = try fixture.sessions.goto(
                "help", [], fixture.session(), RequestContext(from: SessionsFixture.player))
            try operate(.extend, "helpTimedOut", by: .seconds(86_400 * 3600))
            let refused = fixture.refusal { () throws(RequestError) in
                _ = try fixture.sessions.advance(.toNext)
            }
            if let refused {
                #expect(refused == .limit(which: "clockMs", limit: Int(Instant.last.milliseconds)))
                break
            }
        }
        #expect(fixture.sessions.now <= .last)
        guard
            case .limit("clockMs", _) = fixture.refusal({ () throws(RequestError) in
                _ = try fixture.sessions.advance(.toNext)
            })
        else {
            Issue.record("the clock passed its last instant")
            return
        }
        fixture.closeAllAndExpectNoTimers()
    }

    @Test func `advancing the real clock is an error`() throws {
        let loop = try LibeventLoop()
        let sessions = Sessions([AnyFlow(Game())], on: loop)
        #expect(!sessions.isVirtual)
        do throws(RequestError) {
            _ = try sessions.advance(.toNext)
            Issue.record("the real clock was advanced")
        } catch {
            guard case .notVirtual = error else {
                Issue.record("\(error)")
                return
            }
        }
    }
}
