import Testing
import Timers

@Suite struct VirtualClockTests {
    let time = VirtualClock()

    @Test func `a pendulum of 1 s beside a countdown of 30 s beats 29 times before the end`() {
        let owner = RecordingTimerOwner(time.timerQueue)
        owner.countdown(.seconds(30), 1)
        owner.pendulum(.seconds(1), 2)
        owner.onDue = { if $0 == 1 { owner.endAll() } }
        time.advance(by: .seconds(100))
        #expect(owner.firedTags == Array(repeating: 2, count: 29) + [1])
        #expect(time.pending.isEmpty)
    }

    @Test func `a timer that is set during a firing starts at the instant of the firing`() {
        var fired: [Int64] = []
        var chain: [ScopedCountdown] = []
        func set() {
            chain.append(
                ScopedCountdown(on: time, .milliseconds(100)) {
                    fired.append(time.now.milliseconds)
                    if fired.count < 3 { set() }
                })
        }
        set()
        time.advance(by: .seconds(1))
        #expect(fired == [100, 200, 300])
        #expect(time.now.milliseconds == 1000)
        #expect(time.pending.isEmpty)
    }

    @Test func `an advance fires timers that are due at its end, and no later ones`() {
        let owner = RecordingTimerOwner(time.timerQueue)
        owner.countdown(.seconds(5), 1)
        owner.countdown(.seconds(5) + Duration.nanoseconds(1), 2)
        time.advance(by: .seconds(5))
        #expect(owner.firedTags == [1])
        time.advance(by: Duration.nanoseconds(1))
        #expect(owner.firedTags == [1, 2])
        #expect(time.pending.isEmpty)
    }

    @Test func `advancing to the next timer fires all timers of that instant`() {
        let owner = RecordingTimerOwner(time.timerQueue)
        for tag in 1...3 { owner.countdown(.seconds(5), UInt8(tag)) }
        owner.countdown(.seconds(6), 4)
        let step = time.advanceToNext()
        #expect(step.fired.map(\.tag) == [1, 2, 3])
        #expect(step.fired.allSatisfy { $0.deadline.milliseconds == 5000 })
        #expect(time.now.milliseconds == 5000)
        #expect(time.advanceToNext().fired.map(\.tag) == [4])
        #expect(time.advanceToNext().fired.isEmpty)
        #expect(time.now.milliseconds == 6000)
    }

    @Test func `an advance stops at the limit of firings and reports that more are due`() {
        let owner = RecordingTimerOwner(time.timerQueue)
        owner.pendulum(.seconds(1))
        let step = time.advance(by: .seconds(100), limit: 7)
        #expect(step.fired.count == 7)
        #expect(step.isCutShort)
        #expect(time.now.milliseconds == 7000)
        let secondStep = time.advance(by: .seconds(3), limit: 3)
        #expect(!secondStep.isCutShort)
        owner.endAll()
        #expect(time.pending.isEmpty)
    }

    @Test func `paused at 9 s of 10 and resumed an hour later, a timer has 1 s left`() {
        let owner = RecordingTimerOwner(time.timerQueue)
        let timer = owner.countdown(.seconds(10))
        time.advance(by: .seconds(9))
        timer.pause()
        time.advance(by: .seconds(3600))
        #expect(owner.firedTags.isEmpty)
        #expect(timer.remaining == .seconds(1))
        timer.resume()
        time.advance(by: .milliseconds(999))
        #expect(owner.firedTags.isEmpty)
        time.advance(by: .milliseconds(1))
        #expect(owner.firedTags.count == 1)
        #expect(time.pending.isEmpty)
    }

    @Test func `pending lists timers in the order of firing, paused ones last`() {
        let owner = RecordingTimerOwner(time.timerQueue)
        owner.countdown(.seconds(3), 3)
        let paused = owner.countdown(.seconds(1), 9)
        owner.countdown(.seconds(2), 2)
        owner.pendulum(.seconds(2), 4)
        paused.pause()
        #expect(time.pending.map(\.tag) == [2, 4, 3, 9])
        owner.endAll()
        #expect(time.pending.isEmpty)
    }

    @Test func `the clock stops at its last instant and does not overflow`() {
        let owner = RecordingTimerOwner(time.timerQueue)
        // The last instant is at 250 years, and each advance is ten years.
        for _ in 0..<40 { time.advance(by: .longest) }
        #expect(time.now == .last)
        owner.countdown(.longest, 1)
        time.advance(by: .longest)
        #expect(time.now == .last)
        #expect(owner.firedTags.isEmpty)
        owner.endAll()
        #expect(time.pending.isEmpty)
    }

    @Test func `timers of zero duration that set each other without end do not hold the clock`() {
        let owner = RecordingTimerOwner(time.timerQueue)
        owner.onDue = { _ in owner.countdown(.zero, 1) }
        owner.countdown(.seconds(1), 1)
        let step = time.advance(by: .seconds(3))
        #expect(step.isCutShort)
        #expect((0...1).contains(step.fired.count - VirtualClock.roundLimit))
        #expect(time.now == .zero + .seconds(1))
        owner.onDue = { _ in }
        owner.endAll()
    }

    @Test func `many timers of one instant are one round`() {
        let owner = RecordingTimerOwner(time.timerQueue)
        for _ in 0..<(VirtualClock.roundLimit + 10) { owner.countdown(.seconds(1), 1) }
        #expect(!time.advance(by: .seconds(1)).isCutShort)
        #expect(time.pending.isEmpty)
    }
}
