import TestSupport
import Testing
import Timers

@MainActor @Suite struct TaskClockTests {
    let manualClock = ManualClock()

    /// Lets the tasks of this actor run until the condition is true, and expects that it becomes true.
    private func until(_ condition: () -> Bool) async {
        for _ in 0..<100_000 where !condition() { await Task.yield() }
        #expect(condition())
    }

    @Test func `a timer fires on the actor of its clock when it is due`() async {
        let clock = TaskClock(manualClock)
        var fired = 0
        let timer = ScopedCountdown(on: clock, .seconds(5)) {
            MainActor.assertIsolated()
            fired += 1
        }
        await until { manualClock.sleeperCount == 1 }
        manualClock.advance(by: .seconds(4))
        await Task.yield()
        #expect(fired == 0)
        manualClock.advance(by: .seconds(1))
        await until { fired == 1 }
        #expect(!timer.isLive)
        #expect(clock.timerQueue.count == 0)
    }

    @Test func `timers of one instant fire in the order of their setting`() async {
        let clock = TaskClock(manualClock)
        let owner = RecordingTimerOwner(clock.timerQueue)
        for tag in 1...9 { owner.countdown(.seconds(1), UInt8(tag)) }
        await until { manualClock.sleeperCount == 1 }
        manualClock.advance(by: .seconds(1))
        await until { owner.firedTags == [1, 2, 3, 4, 5, 6, 7, 8, 9] }
        #expect(clock.timerQueue.count == 0)
    }

    @Test func `setting a timer with an earlier deadline makes the clock wake earlier`() async {
        let clock = TaskClock(manualClock)
        let owner = RecordingTimerOwner(clock.timerQueue)
        owner.countdown(.seconds(60), 1)
        await until { manualClock.sleeperCount == 1 }
        owner.countdown(.seconds(1), 2)
        await until { manualClock.timeToWake == .seconds(1) }
        manualClock.advance(by: .seconds(1))
        await until { owner.firedTags == [2] }
        manualClock.advance(by: .seconds(59))
        await until { owner.firedTags == [2, 1] }
        #expect(clock.timerQueue.count == 0)
    }

    @Test func `a timer that is resumed wakes its clock`() async {
        let clock = TaskClock(manualClock)
        let owner = RecordingTimerOwner(clock.timerQueue)
        let timer = owner.countdown(.seconds(2))
        timer.pause()
        manualClock.advance(by: .seconds(2))
        await until { manualClock.sleeperCount == 0 }
        #expect(owner.firedTags.isEmpty)
        timer.resume()
        #expect(timer.remaining == .seconds(2))
        manualClock.advance(by: .seconds(2))
        await until { owner.firedTags.count == 1 }
        #expect(clock.timerQueue.count == 0)
    }

    @Test func `a pendulum keeps its grid, and a timer set by a firing fires`() async {
        let clock = TaskClock(manualClock)
        let owner = RecordingTimerOwner(clock.timerQueue)
        owner.pendulum(.seconds(10), 1)
        owner.onDue = { if $0 == 1, owner.firedTags.count == 1 { owner.countdown(.seconds(3), 2) } }
        await until { manualClock.sleeperCount == 1 }
        manualClock.advance(by: .seconds(11))
        await until { owner.firedTags == [1] && manualClock.sleeperCount == 1 }
        manualClock.advance(by: .seconds(3))
        await until { owner.firedTags == [1, 2] && manualClock.sleeperCount == 1 }
        manualClock.advance(by: .seconds(26))
        await until { owner.firedTags == [1, 2, 1] }
        // At 40 s, one firing stands for the beats at 20, 30 and 40 s: it reports two missed ones.
        #expect(owner.missed == [0, 0, 2])
        owner.endAll()
        #expect(clock.timerQueue.count == 0)
    }

    @Test func `a clock that belongs to no actor fires due timers when fireDueTimers is called`() {
        let clock = TaskClock(manualClock, isolation: nil)
        let owner = RecordingTimerOwner(clock.timerQueue)
        owner.countdown(.seconds(1), 1)
        manualClock.advance(by: .seconds(2))
        #expect(owner.firedTags.isEmpty)
        clock.fireDueTimers()
        #expect(owner.firedTags == [1])
        #expect(clock.timerQueue.count == 0)
    }

    @Test func `a timer that is set while no timer is due starts at the present time`() {
        let clock = TaskClock(manualClock, isolation: nil)
        manualClock.advance(by: .seconds(60))
        #expect(clock.now == Instant(nanoseconds: 60_000_000_000))
        let timer = ScopedCountdown(on: clock, .seconds(10)) {}
        manualClock.advance(by: .seconds(4))
        #expect(timer.remaining == .seconds(6))
        timer.restart()
        #expect(timer.remaining == .seconds(10))
        clock.fireDueTimers()
        #expect(timer.isLive)
    }

    @Test func `fireDueTimers inside a timer's work fires nothing`() {
        let clock = TaskClock(manualClock, isolation: nil)
        let owner = RecordingTimerOwner(clock.timerQueue)
        for tag in 1...2 { owner.countdown(.seconds(1), UInt8(tag)) }
        var tagsInsideWork: [[UInt8]] = []
        owner.onDue = { _ in
            clock.fireDueTimers()
            tagsInsideWork.append(owner.firedTags)
        }
        manualClock.advance(by: .seconds(1))
        clock.fireDueTimers()
        #expect(tagsInsideWork == [[1], [1, 2]])
        #expect(clock.timerQueue.count == 0)
    }

    @Test func `releasing a clock ends its wait and invalidates its handles`() async {
        var clock: TaskClock? = TaskClock(manualClock)
        var owner: RecordingTimerOwner? = clock.map { RecordingTimerOwner($0.timerQueue) }
        let timer = owner?.countdown(.seconds(5))
        await until { manualClock.sleeperCount == 1 }
        (clock, owner) = (nil, nil)
        await until { manualClock.sleeperCount == 0 }
        #expect(timer?.isLive == false)
        #expect(timer?.remaining == .zero)
    }

    @Test func `in real time a timer fires no earlier than it is due`() async {
        let clock = TaskClock()
        let start = ContinuousClock.now
        await withCheckedContinuation { continuation in
            let owner = RecordingTimerOwner(clock.timerQueue)
            owner.onDue = { _ in
                continuation.resume()
                owner.onDue = nil  // ends the retain cycle
            }
            owner.countdown(.milliseconds(2))
        }
        #expect(ContinuousClock.now - start >= .milliseconds(2))
        #expect(clock.timerQueue.count == 0)
    }
}
