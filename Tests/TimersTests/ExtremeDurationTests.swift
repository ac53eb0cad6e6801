import Testing
import Timers

/// Operations on timers with the longest and the shortest `Duration` that there are.
@Suite struct ExtremeDurationTests {
    private static let longest = Duration(_high: .max, low: .max)
    private static let shortest = Duration(_high: .min, low: 0)

    private let time = VirtualClock()
    private let owner: RecordingTimerOwner

    init() { owner = RecordingTimerOwner(time.timerQueue) }

    @Test func `a timer is set with at most the longest time`() {
        #expect(owner.countdown(Self.longest).remaining == .longest)
        #expect(owner.countdown(Self.shortest).remaining == .zero)
        #expect(owner.pendulum(Self.longest).total == .longest)
        #expect(owner.pendulum(Self.shortest).total == .milliseconds(1))
    }

    @Test(arguments: [false, true])
    func `a countdown is extended by no time that is too long or negative`(_ isPaused: Bool) {
        let timer = owner.countdown(.seconds(5))
        if isPaused { timer.pause() }
        #expect(!timer.extend(by: Self.longest) && !timer.extend(by: Self.shortest))
        #expect(timer.extend(by: .longest - .seconds(5)) && timer.total == .longest)
        #expect(!timer.extend(by: .nanoseconds(1)) && timer.remaining == .longest)
        if isPaused { timer.resume() } else { timer.pause() }
        #expect(timer.restart() && timer.remaining == .longest)
        let late = time.timerQueue.setCountdown(
            .seconds(5), remaining: .longest - .seconds(1), in: &owner.group, for: owner)
        if isPaused { late.pause() }
        #expect(!late.extend(by: .seconds(2)) && late.extend(by: .seconds(1)))
        #expect(late.remaining == .longest)
    }

    @Test(arguments: [TimerTraits(), .overtime], [false, true])
    func `a countdown is shortened and set within its limits`(
        _ traits: TimerTraits, _ isPaused: Bool
    ) {
        let timer = time.timerQueue.setCountdown(.seconds(5), traits, in: &owner.group, for: owner)
        if isPaused { timer.pause() }
        time.timerQueue.shorten(timer.id, by: Self.shortest)
        #expect(timer.remaining == .seconds(5))
        time.timerQueue.shorten(timer.id, by: Self.longest)
        let least = traits == .overtime ? .zero - .longest : Duration.milliseconds(1)
        #expect(timer.remaining == least)
        time.timerQueue.shorten(timer.id, by: Self.longest)
        #expect(timer.remaining == least)
        time.timerQueue.setRemaining(timer.id, to: Self.longest)
        #expect(timer.remaining == .longest && timer.total == .longest)
        time.timerQueue.setRemaining(timer.id, to: Self.shortest)
        #expect(timer.remaining == (traits == .overtime ? .zero - .longest : .zero))
    }

    @Test func `a stopwatch has spent at least nothing and at most the longest time`() {
        let timer = time.timerQueue.setStopwatch(spent: Self.longest, in: &owner.group, for: owner)
        #expect(timer.spent == .longest)
        timer.set(to: Self.shortest)
        #expect(timer.spent == .zero)
        timer.set(to: Self.longest)
        #expect(timer.spent == .longest)
    }

    @Test func `a mark stands at most the longest time from the end of its countdown`() {
        let timer = owner.countdown(.seconds(5), 1)
        for left in [Self.longest, Self.shortest] {
            time.timerQueue.setMark(
                left: left, of: timer, countdownTag: 1, tag: 2, in: &owner.group, for: owner)
        }
        time.advance(by: .seconds(9))
        #expect(owner.firedTags == [1])
    }
}
