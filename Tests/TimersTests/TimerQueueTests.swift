import TestSupport
import Testing

@testable import Timers

@Suite struct TimerQueueTests {
    let time = VirtualClock()
    var timerQueue: TimerQueue { time.timerQueue }

    @Test func `the info of a timer has its tag, its times and the order of its setting`() {
        let owner = RecordingTimerOwner(timerQueue)
        let timer = owner.countdown(.milliseconds(1500), 7)
        time.advance(by: .milliseconds(400))
        #expect(
            timerQueue.info(timer.id)
                == TimerInfo(
                    tag: 7, traits: [], isPaused: false, remaining: .milliseconds(1100),
                    total: .milliseconds(1500), end: Instant(nanoseconds: 1_500_000_000),
                    order: 1, mark: nil))
        owner.endAll()
        #expect(timerQueue.info(timer.id) == nil)
        #expect(time.pending.isEmpty)
    }

    @Test func `a handle of an ended timer is invalid, even if its slot is used again`() {
        let owner = RecordingTimerOwner(timerQueue)
        let endedTimer = owner.countdown(.seconds(1))
        owner.endAll()
        let newTimer = owner.countdown(.seconds(2))
        endedTimer.pause()
        endedTimer.restart()
        endedTimer.extend(by: .seconds(9))
        #expect(!endedTimer.isLive)
        #expect(newTimer.isLive)
        #expect(newTimer.remaining == .seconds(2))
        #expect(!newTimer.isPaused)
        owner.endAll()
        #expect(time.pending.isEmpty)
    }

    @Test func `extending moves the end and raises the total`() {
        let owner = RecordingTimerOwner(timerQueue)
        let timer = owner.countdown(.seconds(10))
        time.advance(by: .seconds(4))
        #expect(timer.extend(by: .seconds(5)))
        #expect(timer.remaining == .seconds(11))
        #expect(timer.total == .seconds(15))
        timer.pause()
        #expect(timer.extend(by: .seconds(1)))
        #expect(timer.remaining == .seconds(12))
        owner.endAll()
        #expect(time.pending.isEmpty)
    }

    @Test func `setting the remaining time moves the end, and raises the total if necessary`() {
        let owner = RecordingTimerOwner(timerQueue)
        let timer = owner.countdown(.seconds(10))
        timerQueue.setRemaining(timer.id, to: .seconds(4))
        #expect(timer.remaining == .seconds(4) && timer.total == .seconds(10))
        timer.pause()
        timerQueue.setRemaining(timer.id, to: .seconds(20))
        #expect(timer.remaining == .seconds(20) && timer.total == .seconds(20) && timer.isPaused)
        timer.resume()
        timerQueue.setRemaining(timer.id, to: .seconds(-1))
        time.advance(by: .zero)
        #expect(!timer.isLive)
        let pendulum = owner.pendulum(.seconds(1))
        timerQueue.setRemaining(pendulum.id, to: .seconds(9))
        #expect(pendulum.remaining == .seconds(1))
        owner.endAll()
        #expect(time.pending.isEmpty)
    }

    @Test func `extending beyond the longest duration is refused and changes nothing`() {
        let owner = RecordingTimerOwner(timerQueue)
        let timer = owner.countdown(.seconds(10))
        #expect(!timer.extend(by: .longest))
        #expect(!timer.extend(by: Duration.nanoseconds(Int64.max)))
        #expect(!timer.extend(by: .seconds(-1)))
        #expect(timer.total == .seconds(10))
        owner.endAll()
        #expect(time.pending.isEmpty)
    }

    @Test func `a restarted timer has its full time, even if it has fired`() {
        let timer = ScopedCountdown(on: time, .seconds(3)) {}
        time.advance(by: .seconds(5))
        #expect(!timer.isLive)
        timer.restart()
        #expect(timer.remaining == .seconds(3))
        time.advance(by: .seconds(3))
        #expect(!timer.isLive)
        #expect(time.pending.isEmpty)
    }

    @Test func `a resumed, extended or restarted timer fires after timers of the same deadline`() {
        let owner = RecordingTimerOwner(timerQueue)
        let first = owner.countdown(.seconds(5), 1)
        owner.countdown(.seconds(5), 2)
        first.pause()
        first.resume()
        owner.countdown(.seconds(5), 3)
        time.advance(by: .seconds(5))
        #expect(owner.firedTags == [2, 1, 3])
        #expect(time.pending.isEmpty)
    }

    @Test func `a pendulum's next beat is set before the present beat is reported`() {
        let owner = RecordingTimerOwner(timerQueue)
        let pendulum = owner.pendulum(.seconds(2))
        var left: [Duration] = []
        owner.onDue = { _ in left.append(pendulum.remaining) }
        time.advance(by: .seconds(4))
        #expect(left == [.seconds(2), .seconds(2)])
        owner.endAll()
        #expect(time.pending.isEmpty)
    }

    @Test func `a resumed pendulum continues with the time left of its beat`() {
        let owner = RecordingTimerOwner(timerQueue)
        let pendulum = owner.pendulum(.seconds(10))
        time.advance(by: .seconds(7))
        pendulum.pause()
        time.advance(by: .seconds(100))
        pendulum.resume()
        time.advance(by: .seconds(13))
        #expect(owner.instants.map(\.milliseconds) == [110_000, 120_000])
        owner.endAll()
        #expect(time.pending.isEmpty)
    }

    @Test func `timers fire in order even if not every duration has a queue of its own`() {
        let owner = RecordingTimerOwner(timerQueue)
        // 200 different durations, not in order. A timer queue has at most 64 `DurationQueue`s, each for the timers of one
        // duration.
        let lengths = (1...200).map { Int64($0 * 37 % 211 + 1) }
        for (index, ms) in lengths.enumerated() {
            owner.countdown(.milliseconds(ms), UInt8(index))
        }
        time.advance(by: .seconds(1))
        let expected = lengths.enumerated().sorted {
            ($0.element, $0.offset) < ($1.element, $1.offset)
        }
        #expect(owner.firedTags == expected.map { UInt8($0.offset) })
        #expect(time.pending.isEmpty)
    }

    @Test func `a hundred thousand timers or more are set, fired and ended`() {
        let owner = RecordingTimerOwner(timerQueue)
        let count = TestLength.count(100_000, long: 1_000_000)
        timerQueue.reserve(count)
        for number in 0..<count {
            owner.countdown(
                .milliseconds(number % 2 == 0 ? 600_000 : Int64(number) * 7 % 500_000 + 1))
        }
        #expect(timerQueue.count == count)
        time.advance(by: .milliseconds(250_000), limit: count)
        // Half of the timers end within 500 s, at evenly spread times. About half of these have fired after 250 s.
        #expect(owner.firedTags.count > count / 5)
        #expect(timerQueue.count == count - owner.firedTags.count)
        owner.endAll()
        #expect(time.pending.isEmpty)
    }

    @Test
    func
        `a timer of zero duration that sets itself again fires a limited number of times in a call`()
    {
        let owner = RecordingTimerOwner(timerQueue)
        owner.onDue = { _ in owner.countdown(.zero, 1) }
        owner.countdown(.zero, 1)
        timerQueue.fireDue(by: time.now)
        #expect(owner.firedTags.count == TimerQueue.roundLimit)
        #expect(timerQueue.isTimerDue)
        timerQueue.fireDue(by: time.now)
        #expect(owner.firedTags.count == 2 * TimerQueue.roundLimit)
        owner.endAll()
        #expect(!timerQueue.isTimerDue && time.pending.isEmpty)
    }

    @Test func `fireDue stops when its condition is no longer true`() {
        let owner = RecordingTimerOwner(timerQueue)
        for tag in 1...3 as ClosedRange<UInt8> { owner.countdown(.zero, tag) }
        timerQueue.fireDue(by: time.now) { owner.firedTags.count < 2 }
        #expect(owner.firedTags == [1, 2])
        owner.endAll()
        #expect(time.pending.isEmpty)
    }

    @Test
    func `a pendulum's beat is ordered by the moment at which the beat was set`() {
        let owner = RecordingTimerOwner(timerQueue)
        let pendulum = owner.pendulum(.seconds(1))
        owner.countdown(.seconds(5))
        let fired = time.advance(by: .seconds(1)).fired
        #expect(fired.map(\.order) == [1])
        // The queue numbers what is set: the pendulum's first beat is 1, the countdown 2, and the pendulum's next beat 3.
        #expect(timerQueue.info(pendulum.id)?.order == 3)
        owner.endAll()
        #expect(time.pending.isEmpty)
    }

    @Test func `negative times of timers with traits count as zero, too`() {
        let time = VirtualClock()
        let owner = RecordingTimerOwner(time.timerQueue)
        var group = TimerGroup()
        let pendulum = time.timerQueue.setPendulum(
            .seconds(-5), [.beginsPaused], tag: 1, in: &group, for: owner)
        _ = time.timerQueue.setCountdown(
            .seconds(-5), [.overtime], tag: 2, in: &group, for: owner)
        time.advance(by: .zero)
        #expect(owner.firedTags == [2])
        pendulum.resume()
        time.advance(by: .milliseconds(3))
        #expect(owner.firedTags == [2, 1, 1, 1])
        time.timerQueue.end(group)
    }
}
