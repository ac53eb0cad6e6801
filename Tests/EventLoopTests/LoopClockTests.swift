import EventLoop
import Testing
import Timers

@Suite struct LoopClockTests {
    @Test func `a separate clock fires on its loop even if the loop's own queue is empty`()
        throws
    {
        let loop = try LibeventLoop()
        let clock = LoopClock(on: loop)
        var fired: [Duration] = []
        let start = clock.now
        let timer = ScopedCountdown(on: clock, .milliseconds(2)) {
            fired.append(clock.now - start)
            loop.stop()
        }
        loop.run()
        #expect(fired.count == 1 && fired[0] >= .milliseconds(2))
        #expect(loop.timerQueue.count == 0)
        withExtendedLifetime(timer) {}
    }

    @Test
    func `a held clock fires nothing, and fires its due timers in order when it is no longer held`()
        throws
    {
        let loop = try LibeventLoop()
        let clock = LoopClock(on: loop)
        var fired: [Int] = []
        clock.isHeld = true
        let timers = [3, 1, 2].map { n in
            ScopedCountdown(on: clock, .milliseconds(Int64(n))) { fired.append(n) }
        }
        let end = ScopedCountdown(on: loop, .milliseconds(5)) { loop.stop() }
        let allAreDue = clock.now + .milliseconds(3)
        loop.run()
        // The loop's clock may have begun long before the other one.
        while clock.now < allAreDue { clock.fireDueTimers() }
        #expect(fired.isEmpty)
        clock.isHeld = false
        clock.fireDueTimers()
        #expect(fired == [1, 2, 3])
        withExtendedLifetime((timers, end)) {}
    }

    /// The owner of an owner-driven clock calls the clock's `fireDueTimers` before each use of the clock.
    @Test
    func `the loop fires the timers of an owner-driven clock in run, but not in fireDueTimers`()
        throws
    {
        let loop = try LibeventLoop()
        let clock = LoopClock(on: loop, isOwnerDriven: true)
        var fired = 0
        let timer = ScopedCountdown(on: clock, .zero) { fired += 1 }
        loop.fireDueTimers()
        #expect(fired == 0)
        clock.fireDueTimers()
        #expect(fired == 1)
        let next = ScopedCountdown(on: clock, .milliseconds(1)) {
            fired += 1
            loop.stop()
        }
        loop.run()
        #expect(fired == 2)
        withExtendedLifetime((timer, next)) {}
    }

    @Test
    func `a deadline that overflows on the loop's clock does not keep the loop awake`()
        throws
    {
        let loop = try LibeventLoop()
        let clock = LoopClock(on: loop, offset: .seconds(-3600))
        let never = ScopedCountdown(on: clock, .seconds(9_000_000_000)) {
            Issue.record("it fired")
        }
        var turns = 0
        loop.beforeSleep = {
            turns += 1
            return false
        }
        let end = ScopedCountdown(on: loop, .milliseconds(2)) { loop.stop() }
        loop.run()
        #expect(turns < 10)
        withExtendedLifetime((never, end)) {}
    }

    @Test func `a clock can start at a later time than the loop's, but never at an earlier time`()
        throws
    {
        let loop = try LibeventLoop()
        let late = loop.now + .seconds(3600)
        let clock = LoopClock(on: loop, notBefore: late)
        #expect(clock.now >= late)
        var firedAt: Instant?
        let timer = ScopedCountdown(on: clock, .milliseconds(2)) {
            firedAt = clock.now
            loop.stop()
        }
        loop.run()
        #expect(try #require(firedAt) >= late + .milliseconds(2))
        #expect(try #require(firedAt) < late + .seconds(60))
        #expect(LoopClock(on: loop, notBefore: .zero).now < late)
        withExtendedLifetime(timer) {}
    }
}
