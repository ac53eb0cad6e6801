import EventLoop
import Testing
import Timers

/// Behaviour that the virtual clock and the real one have in common.
@Suite struct TimerClockTests {
    @Test(arguments: ClockFixture.Kind.allCases)
    func `a thousand equal deadlines fire in the order of their setting`(_ kind: ClockFixture.Kind)
        throws
    {
        let fixture = try ClockFixture(kind)
        var fired: [Int] = []
        let timers = (0..<1000).map { number in
            ScopedCountdown(on: fixture.clock, .milliseconds(5)) { fired.append(number) }
        }
        fixture.pass(.milliseconds(50))
        #expect(fired == Array(0..<1000))
        withExtendedLifetime(timers) {}
    }

    @Test(arguments: ClockFixture.Kind.allCases)
    func `timers fire by deadline, for any order of setting`(_ kind: ClockFixture.Kind) throws {
        let fixture = try ClockFixture(kind)
        let owner = RecordingTimerOwner(fixture.clock.timerQueue)
        for ms in [9, 3, 7, 1, 5] { owner.countdown(.milliseconds(Int64(ms)), UInt8(ms)) }
        fixture.pass(.milliseconds(20))
        #expect(owner.firedTags == [1, 3, 5, 7, 9])
        fixture.expectNoTimers()
    }

    @Test(arguments: ClockFixture.Kind.allCases)
    func `a timer never fires early`(_ kind: ClockFixture.Kind) throws {
        let fixture = try ClockFixture(kind)
        let owner = RecordingTimerOwner(fixture.clock.timerQueue)
        let start = fixture.clock.now
        let lengths = (1...40).map { Duration.nanoseconds(Int64($0) * 377_123) }
        for length in lengths { owner.countdown(length) }
        fixture.pass(.milliseconds(40))
        #expect(owner.instants.count == 40)
        for (instant, length) in zip(owner.instants, lengths) {
            #expect(instant >= start + length)
        }
        fixture.expectNoTimers()
    }

    @Test(arguments: ClockFixture.Kind.allCases)
    func `a timer can end another timer of the same instant`(
        _ kind: ClockFixture.Kind
    ) throws {
        let fixture = try ClockFixture(kind)
        var fired: [String] = []
        var sibling: ScopedCountdown?
        let first = ScopedCountdown(on: fixture.clock, .milliseconds(3)) {
            fired.append("first")
            sibling = nil
        }
        sibling = ScopedCountdown(on: fixture.clock, .milliseconds(3)) { fired.append("sibling") }
        fixture.pass(.milliseconds(10))
        #expect(fired == ["first"])
        withExtendedLifetime((first, sibling)) {}
        fixture.expectNoTimers()
    }

    @Test(arguments: ClockFixture.Kind.allCases)
    func `a timer can be released by its own work`(_ kind: ClockFixture.Kind) throws {
        let fixture = try ClockFixture(kind)
        var beats = 0
        var pendulum: ScopedPendulum?
        pendulum = ScopedPendulum(on: fixture.clock, .milliseconds(2)) { _ in
            beats += 1
            if beats == 3 { pendulum = nil }
        }
        // On a busy machine one call of the work can stand for several beats, so the time until the third call is unknown.
        for _ in 0..<1000 where pendulum != nil { fixture.pass(.milliseconds(2)) }
        #expect(beats == 3)
        #expect(pendulum == nil)
        fixture.expectNoTimers()
    }

    @Test(arguments: ClockFixture.Kind.allCases)
    func `releasing a scoped countdown ends its timer`(_ kind: ClockFixture.Kind) throws {
        let fixture = try ClockFixture(kind)
        var fired = false
        var timer: ScopedCountdown? = ScopedCountdown(on: fixture.clock, .milliseconds(2)) {
            fired = true
        }
        #expect(timer?.isLive == true)
        timer = nil
        fixture.expectNoTimers()
        fixture.pass(.milliseconds(10))
        #expect(!fired)
    }

    @Test(arguments: ClockFixture.Kind.allCases)
    func `a resumed timer has the time that was left when it was paused`(
        _ kind: ClockFixture.Kind
    )
        throws
    {
        let fixture = try ClockFixture(kind)
        let owner = RecordingTimerOwner(fixture.clock.timerQueue)
        let timer = owner.countdown(.milliseconds(500), 1)
        timer.pause()
        let remainingAtPause = timer.remaining
        fixture.pass(.milliseconds(5))
        #expect(timer.remaining == remainingAtPause)
        #expect(timer.isPaused)
        timer.resume()
        #expect(!timer.isPaused)
        #expect(timer.remaining == remainingAtPause)
        timer.restart()
        #expect(timer.remaining == .milliseconds(500))
        owner.endAll()
        fixture.expectNoTimers()
    }

    @Test func `a delayed pendulum skips and reports missed beats and keeps its grid`() throws {
        let loop = try LibeventLoop()
        let owner = RecordingTimerOwner(loop.timerQueue)
        let start = loop.now
        owner.pendulum(.milliseconds(10))
        owner.onDue = { _ in
            if owner.firedTags.count == 1 { block(for: .milliseconds(26)) }
            if owner.firedTags.count == 4 { loop.stop() }
        }
        loop.run()
        // The first call of `onDue` blocks until at least two beats are overdue. One call reports them, and the next beat is on
        // the grid. On a busy machine the first call can be late, too.
        #expect(owner.missed[1] >= 1)
        let last = try #require(owner.instants.last)
        #expect(last >= start + .milliseconds(Int64(10 * (4 + owner.missed.reduce(0, +)))))
        owner.endAll()
        #expect(loop.timerQueue.count == 0)
    }

    /// Blocks the loop's thread, as a slow callback would.
    private func block(for duration: Swift.Duration) {
        let watch = ContinuousClock()
        let stop = watch.now + duration
        while watch.now < stop {}
    }
}
