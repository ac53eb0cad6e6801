import Testing
import Timers

/// An event loop as other frameworks have it: a queue of scheduled closures that can be cancelled.
private final class ScheduledLoop {
    private(set) var now = Duration.zero
    private var scheduled: [(id: Int, at: Duration, work: () -> Void)] = []
    private var lastID = 0

    /// Calls `work` at an instant. Returns what cancels it.
    func schedule(at instant: Duration, _ work: @escaping () -> Void) -> () -> Void {
        lastID += 1
        let id = lastID
        scheduled.append((id, instant, work))
        return { [unowned self] in scheduled.removeAll { $0.id == id } }
    }

    func run(for time: Duration) {
        let end = now + time
        while let next = scheduled.filter({ $0.at <= end }).min(by: { $0.at < $1.at }) {
            scheduled.removeAll { $0.id == next.id }
            now = max(now, next.at)
            next.work()
        }
        now = end
    }

    var count: Int { scheduled.count }
}

/// A clock on a loop whose tasks can be cancelled, as those of SwiftNIO can.
private final class CancellingClock: TimerClock {
    let timerQueue = TimerQueue()
    private let loop: ScheduledLoop
    private var cancel: (() -> Void)?
    private(set) var reported: [Duration?] = []

    init(_ loop: ScheduledLoop) {
        self.loop = loop
        connect { [unowned loop] in .zero + loop.now }
    }

    func fireDueTimers() { timerQueue.fireDue(by: now) }

    func deadlineChanged(to deadline: Instant?) {
        reported.append(deadline.map { $0 - .zero })
        cancel?()
        cancel = deadline.map { deadline in
            loop.schedule(at: deadline - .zero) { [weak self] in self?.fireDueTimers() }
        }
    }
}

/// A clock on a queue whose work cannot be cancelled, as `asyncAfter` of Dispatch cannot: work that comes too early does nothing.
private final class PatientClock: TimerClock {
    let timerQueue = TimerQueue()
    private let loop: ScheduledLoop

    init(_ loop: ScheduledLoop) {
        self.loop = loop
        connect { [unowned loop] in .zero + loop.now }
    }

    func fireDueTimers() { timerQueue.fireDue(by: now) }

    func deadlineChanged(to deadline: Instant?) {
        guard let deadline else { return }
        _ = loop.schedule(at: deadline - .zero) { [weak self] in self?.fireDueTimers() }
    }
}

/// Clocks that are written from the documentation.
@Suite struct OwnClockTests {
    private let loop = ScheduledLoop()

    @Test func `the clock is woken for each timer, in order`() {
        for clock in [CancellingClock(loop), PatientClock(loop)] as [any TimerClock] {
            var fired: [String] = []
            let late = ScopedCountdown(on: clock, .seconds(5)) { fired.append("late") }
            let early = ScopedCountdown(on: clock, .seconds(2)) { fired.append("early") }
            let beat = ScopedPendulum(on: clock, .seconds(3)) { _ in fired.append("beat") }
            loop.run(for: .seconds(6))
            #expect(fired == ["early", "beat", "late", "beat"])
            withExtendedLifetime((late, early, beat)) {}
        }
    }

    @Test func `each change of the first deadline is reported once`() {
        let clock = CancellingClock(loop)
        var timer: ScopedCountdown? = ScopedCountdown(on: clock, .seconds(5)) {}
        let second = ScopedCountdown(on: clock, .seconds(9)) {}
        #expect(clock.reported == [.seconds(5)])
        timer?.pause()
        #expect(clock.reported == [.seconds(5), .seconds(9)])
        timer?.resume()
        #expect(clock.reported.last == .seconds(5))
        timer = nil
        #expect(clock.reported.last == .seconds(9))
        second.pause()
        #expect(clock.reported.last == .some(nil))
        #expect(loop.count == 0)
        withExtendedLifetime(timer) {}
    }

    @Test func `a timer that is set while timers fire wakes the clock, too`() {
        let clock = CancellingClock(loop)
        var fired = 0
        var next: ScopedCountdown?
        let first = ScopedCountdown(on: clock, .seconds(1)) {
            next = ScopedCountdown(on: clock, .zero) { fired += 1 }
        }
        loop.run(for: .seconds(1))
        #expect(fired == 1)
        withExtendedLifetime((first, next)) {}
    }
}
