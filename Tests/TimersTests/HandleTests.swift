import Testing
import Timers

/// Handles do not retain their clock, and do not read freed memory.
@Suite struct HandleTests {
    @Test func `handles are trivial values of 16 bytes`() {
        #expect(_isPOD(Countdown.self) && _isPOD(Pendulum.self))
        #expect(MemoryLayout<Countdown>.size == 16)
    }

    @Test func `a handle of a released clock is invalid`() {
        var clock: VirtualClock? = VirtualClock()
        weak let queue = clock?.timerQueue
        var owner: RecordingTimerOwner? = RecordingTimerOwner(clock!.timerQueue)
        let countdown = owner!.countdown(.seconds(5))
        let pendulum = owner!.pendulum(.seconds(1))
        #expect(countdown.isLive && pendulum.isLive)
        (clock, owner) = (nil, nil)
        #expect(queue == nil)
        // Other clocks reuse the memory of the released queue.
        let laterClocks = (0..<100).map { _ in
            let laterClock = VirtualClock()
            return (laterClock, ScopedCountdown(on: laterClock, .seconds(9)) {})
        }
        #expect(!countdown.isLive && !pendulum.isLive)
        #expect(countdown.remaining == .zero)
        #expect(countdown.total == .zero)
        #expect(!countdown.extend(by: .seconds(1)))
        countdown.pause()
        countdown.resume()
        countdown.restart()
        #expect(!countdown.isPaused)
        for (laterClock, timer) in laterClocks {
            #expect(timer.remaining == .seconds(9))
            #expect(laterClock.timerQueue.count == 1)
        }
    }
}
