import EventLoop
import GameFlow
import Sessions
import ShippedFlows
import Testing
import Timers

@Suite struct TimerOperationTests {
    let house = SessionsFixture()

    init() throws {
        try house.open("main", "playingLevel", [Member("episode", 1), Member("level", 1)])
        house.time.advance(by: .milliseconds(1500))
    }

    private func operate(
        _ action: TimerOperation.Action, _ fires: String = "timeUp", by: Duration? = nil
    )
        throws(RequestError)
    {
        try house.sessions.operate(
            TimerOperation(fires, action, by: by), on: house.session(),
            RequestContext(from: SessionsFixture.player))
    }

    private var timers: String {
        get throws {
            let session = try house.session()
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
        #expect(try house.session().seq == 6)
        #expect(try house.session().last?.kind == .timer)
        let text = try #require(house.session().last).text
        #expect(text.contains(#""timer":{"fires":"tick","action":"pause"}"#))
        house.expectNothingLeft()
    }

    @Test func `pausing a paused timer or resuming a running one changes nothing`() throws {
        try operate(.resume)
        try operate(.pause)
        let before = try house.status()
        try operate(.pause)
        #expect(try house.status() == before)
        #expect(try house.session().seq == 2)
        house.expectNothingLeft()
    }

    @Test func `an unknown timer and extending a pendulum are errors`() throws {
        let before = try house.status()
        for (action, fires) in [
            (TimerOperation.Action.pause, "idle"), (.extend, "tick"), (.pause, ""),
        ] {
            guard
                case .invalid = house.refusal({ () throws(RequestError) in
                    try operate(action, fires, by: .seconds(1))
                })
            else {
                Issue.record("\(action) \(fires) is taken")
                continue
            }
        }
        #expect(try house.status() == before)
        house.expectNothingLeft()
    }

    @Test func `a timer cannot be extended beyond its limit, even by several requests`() throws {
        guard
            case .limit("timerMs", _) = house.refusal({ () throws(RequestError) in
                try operate(.extend, by: .longest)
            })
        else {
            Issue.record("extended past the limit")
            return
        }
        try operate(.extend, by: .seconds(86_400 * 3650))
        for _ in 0..<50 {
            _ = house.refusal { () throws(RequestError) in
                try operate(.extend, by: .seconds(86_400 * 3650))
            }
        }
        #expect(try house.session().seq == 2)
        house.expectNothingLeft()
    }

    @Test func `advancing returns each firing with its session, in order`() throws {
        try house.open("other", "help")
        let (fired, more) = try house.sessions.advance(.by(.seconds(2)))
        #expect(
            fired.map { "\($0.session.text) \($0.fires) \($0.at.milliseconds)" } == [
                "main tick 2000", "main tick 3000",
            ])
        #expect(!more)
        #expect(house.sessions.now.milliseconds == 3500)
        let next = try house.sessions.advance(.toNext)
        #expect(next.fired.map(\.at.milliseconds) == [4000])
        house.expectNothingLeft()
    }

    @Test func `advancing stops at the limit of firings and can be continued`() throws {
        var limits = Limits()
        limits.firings = 10
        let house = SessionsFixture(limits: limits)
        try house.open("main", "playingLevel", [Member("episode", 1), Member("level", 1)])
        let first = try house.sessions.advance(.by(.seconds(60)))
        #expect(first.fired.count == 10)
        #expect(first.more)
        #expect(house.sessions.now.milliseconds == 10_000)
        let rest = try house.sessions.advance(.by(.seconds(9)))
        #expect(rest.fired.count == 9)
        #expect(!rest.more)
        house.expectNothingLeft()
    }

    @Test func `the clock does not pass its last instant`() throws {
        try operate(.pause)
        try operate(.pause, "tick")
        for _ in 0..<24 { _ = try house.sessions.advance(.by(.longest)) }
        guard
            case .limit("clockMs", _) = house.refusal({ () throws(RequestError) in
                _ = try house.sessions.advance(.by(.longest))
            })
        else {
            Issue.record("advanced past the end of time")
            return
        }
        house.expectNothingLeft()
    }

    @Test
    func `a timer that was extended repeatedly does not move the clock beyond its last instant`()
        throws
    {
        try operate(.pause, "tick")
        for _ in 0..<40 {
            _ = try house.sessions.goto(
                "help", [], house.session(), RequestContext(from: SessionsFixture.player))
            try operate(.extend, "helpTimedOut", by: .seconds(86_400 * 3600))
            let refused = house.refusal { () throws(RequestError) in
                _ = try house.sessions.advance(.toNext)
            }
            if let refused {
                #expect(refused == .limit(which: "clockMs", limit: Int(Instant.last.milliseconds)))
                break
            }
        }
        #expect(house.sessions.now <= .last)
        guard
            case .limit("clockMs", _) = house.refusal({ () throws(RequestError) in
                _ = try house.sessions.advance(.toNext)
            })
        else {
            Issue.record("the clock passed its last instant")
            return
        }
        house.expectNothingLeft()
    }

    @Test func `advancing the real clock is an error`() throws {
        let loop = try LibeventLoop()
        let sessions = Sessions([AnyFlow(Game())], on: loop)
        #expect(!sessions.isVirtual)
        do throws(RequestError) {
            _ = try sessions.advance(.toNext)
            Issue.record("advanced")
        } catch {
            guard case .notVirtual = error else {
                Issue.record("\(error)")
                return
            }
        }
    }
}
