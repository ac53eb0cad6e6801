import Testing
import Timers

/// A clock and a timer that belong to an actor.
private actor Kitchen {
    private let clock = VirtualClock()
    private let owner: RecordingTimerOwner
    private let egg: Countdown

    init() {
        owner = RecordingTimerOwner(clock.timerQueue)
        egg = owner.countdown(.minutes(5))
    }

    func handle() -> Countdown { egg }
    func remaining() -> Duration { egg.remaining }
    func wait(_ time: Duration) { clock.advance(by: time) }
    func pause() -> Bool { egg.pause() }
    var isPaused: Bool { egg.isPaused }
}

/// Handles are values that may be sent anywhere, and name a live timer only where their clock is used.
@Suite struct HandleIsolationTests {
    @Test func `a handle works in every task on the actor of its clock`() async {
        let kitchen = Kitchen()
        await kitchen.wait(.minutes(1))
        #expect(await kitchen.remaining() == .minutes(4))
        let other = Task.detached { await kitchen.remaining() }
        #expect(await other.value == .minutes(4))
        #expect(await kitchen.pause())
        #expect(await Task.detached { await kitchen.isPaused }.value)
    }

    @Test func `off the actor of its clock, a handle is that of an ended timer`() async {
        let kitchen = Kitchen()
        await kitchen.wait(.minutes(1))
        let egg = await kitchen.handle()
        #expect(egg.remaining == .zero && egg.total == .zero)
        #expect(!egg.isLive && !egg.isPaused)
        #expect(!egg.pause() && !egg.resume() && !egg.restart())
        #expect(!egg.extend(by: .minutes(1)))
        #expect(await kitchen.remaining() == .minutes(4))
    }

    @Test func `a handle works in its task after the task has waited, and in no other task`() async
    {
        let clock = VirtualClock()
        let owner = RecordingTimerOwner(clock.timerQueue)
        let countdown = owner.countdown(.seconds(5))
        let elsewhere = await Task.detached { (countdown.remaining, countdown.pause()) }.value
        #expect(elsewhere == (.zero, false))
        for _ in 0..<10 { await Task.yield() }
        #expect(countdown.remaining == .seconds(5))
        withExtendedLifetime(owner) {}
    }

    @Test func `handles follow a clock that is given to another task`() async {
        let given = Given()
        let countdown = given.countdown
        #expect(countdown.remaining == .seconds(5))
        let inTask = await Task.detached {
            let (clock, owner) = given.take()
            clock.advance(by: .seconds(1))
            withExtendedLifetime(owner) {}
            return countdown.remaining
        }.value
        #expect(inTask == .seconds(4))
        #expect(!countdown.isLive)
    }

    @Test func `a handle of a released clock is no handle of a later clock`() {
        let owner = TimerOwner()
        func usedHandle() -> Countdown {
            let clock = VirtualClock()
            var group = TimerGroup()
            for _ in 0..<3 {
                _ = clock.timerQueue.setCountdown(.seconds(1), in: &group, for: owner)
                clock.timerQueue.end(group)
                group = TimerGroup()
            }
            defer { clock.timerQueue.end(group) }
            return clock.timerQueue.setCountdown(.seconds(5), in: &group, for: owner)
        }
        let old = (0..<50).map { _ in usedHandle() }
        // The later clocks have the cells of the earlier ones, and timers in the same slots.
        let clocks = (0..<50).map { _ in VirtualClock() }
        var groups = clocks.map { _ in TimerGroup() }
        let handles = clocks.indices.map { index in
            clocks[index].timerQueue.setCountdown(.seconds(7), in: &groups[index], for: owner)
        }
        #expect(old.allSatisfy { !$0.isLive && $0.remaining == .zero && !$0.restart() })
        #expect(handles.allSatisfy { $0.remaining == .seconds(7) })
        for index in clocks.indices { clocks[index].timerQueue.end(groups[index]) }
    }

    @Test func `a clock may begin with a mark after a clock with handles was released`() {
        let owner = TimerOwner()
        func clockWithHandle() {
            let clock = VirtualClock()
            var group = TimerGroup()
            _ = clock.timerQueue.setCountdown(.seconds(5), in: &group, for: owner)
            clock.timerQueue.end(group)
        }
        for _ in 0..<50 { clockWithHandle() }
        for _ in 0..<50 {
            let clock = VirtualClock()
            var group = TimerGroup()
            clock.timerQueue.setMark(
                left: .seconds(1), of: nil, countdownTag: 0, tag: 1, in: &group, for: owner)
            let handle = clock.timerQueue.setCountdown(.seconds(7), in: &group, for: owner)
            #expect(handle.remaining == .seconds(7))
            clock.timerQueue.end(group)
        }
    }

    @Test func `many tasks may use a handle while its actor moves the clock`() async {
        let kitchen = Kitchen()
        let egg = await kitchen.handle()
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<200 where egg.remaining != .zero || egg.restart() { return false }
                    return true
                }
            }
            for _ in 0..<100 { await kitchen.wait(.seconds(1)) }
            for await isEnded in group { #expect(isEnded) }
        }
        #expect(await kitchen.remaining() == .seconds(200))
    }
}

/// A clock with a timer, which its creator gives to another task.
private final class Given: @unchecked Sendable {
    private let contents: (VirtualClock, RecordingTimerOwner)
    let countdown: Countdown

    init() {
        let clock = VirtualClock()
        let owner = RecordingTimerOwner(clock.timerQueue)
        countdown = owner.countdown(.seconds(5))
        contents = (clock, owner)
    }

    /// Takes the clock and its owner; the creator must not use them afterwards.
    func take() -> (VirtualClock, RecordingTimerOwner) { contents }
}
