import EventLoop
import Glibc
import Testing
import Timers

/// A process that did not run for some time: the clock is set forward.
@Suite struct StandstillTests {
    private let clock = SystemClock()
    private let loop: LibeventLoop

    init() throws {
        loop = try LibeventLoop(clock)
        loop.standstillLimit = .seconds(5)
    }

    /// Runs the loop until a timer of a millisecond has fired. `work` is called once, at the end of the first turn.
    private func run(_ work: @escaping () -> Void) {
        // Set here, so that the timer cannot fire before `work` was called.
        var timer: ScopedCountdown?
        loop.beforeSleep = { [loop] in
            if timer == nil {
                timer = ScopedCountdown(on: loop, .milliseconds(1)) { loop.stop() }
                work()
            }
            return false
        }
        loop.run()
        withExtendedLifetime(timer) {}
    }

    @Test func `is reported with its beginning and its end`() {
        var reported: [Standstill] = []
        loop.stoodStill = { reported.append($0) }
        let before = loop.now
        run { clock.skip(.seconds(8)) }
        #expect(reported.count == 1)
        guard let standstill = reported.first else { return }
        #expect(standstill.lastAlive >= before)
        #expect(standstill.duration >= .seconds(8) && standstill.duration < .seconds(60))
        #expect(loop.now >= standstill.end)
    }

    @Test func `is reported before an overdue timer fires`() {
        var events: [String] = []
        loop.stoodStill = { _ in events.append("stood still") }
        let timer = ScopedCountdown(on: loop, .seconds(2)) { events.append("fired") }
        run { clock.skip(.seconds(8)) }
        #expect(events == ["stood still", "fired"])
        withExtendedLifetime(timer) {}
    }

    @Test func `is reported before a descriptor is read, whose watch may then end`() throws {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        defer { for end in ends { close(end) } }
        var calls = 0
        // The process stands still between the calls of the two watchers.
        let watchers = try (1...2).map { _ in
            try DescriptorWatcher(ends[0], .readable, on: loop) {
                calls += 1
                clock.skip(.seconds(8))
            }
        }
        var reports = 0
        loop.stoodStill = { _ in
            reports += 1
            for watcher in watchers { watcher.disable() }
            loop.stop()
        }
        write(ends[1], "x", 1)
        loop.run()
        #expect(reports == 1 && calls == 1)
    }

    @Test func `is not reported if it is shorter than the limit, or without a limit`() {
        loop.stoodStill = { _ in Issue.record("reported") }
        run { clock.skip(.milliseconds(4900)) }
        loop.standstillLimit = nil
        run { clock.skip(.seconds(100)) }
    }

    @Test func `is not what a long computation is`() {
        loop.stoodStill = { _ in Issue.record("reported") }
        run { clock.skip(.seconds(8), computing: true) }
        // The computation before a standstill does not hide the standstill.
        var isReported = false
        loop.stoodStill = { _ in isReported = true }
        run {
            clock.skip(.seconds(8), computing: true)
            loop.fireDueTimers()
            clock.skip(.seconds(8))
        }
        #expect(isReported)
    }

    @Test func `is counted from the time at which the loop should have taken a turn`() {
        // The loop sleeps until its timer is due, which is later than the limit.
        var reported = 0
        loop.stoodStill = { _ in reported += 1 }
        loop.standstillLimit = .milliseconds(300)
        let timer = ScopedCountdown(on: loop, .milliseconds(600)) { loop.stop() }
        loop.run()
        #expect(reported == 0)
        withExtendedLifetime(timer) {}
    }

    @Test func `an idle loop takes a turn by itself once a second`() throws {
        try loop.beginPulse()
        var turns = 0
        loop.beforeSleep = {
            turns += 1
            if turns == 2 { loop.stop() }
            return false
        }
        loop.run()
        #expect(turns == 2)
    }
}
