import EventLoop
import Testing
import Timers

/// A virtual or a real clock, and a way to let time pass on it.
final class ClockFixture {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case virtual, real
        var testDescription: String { rawValue }
    }

    let timeline: any TimerClock
    private let loop: LibeventLoop?

    init(_ kind: Kind) throws {
        switch kind {
        case .virtual: (timeline, loop) = (VirtualClock(), nil)
        case .real:
            let loop = try LibeventLoop()
            (timeline, self.loop) = (loop, loop)
        }
    }

    /// Lets time pass: advances the virtual clock, or runs the loop of the real one for the interval.
    func pass(_ interval: Duration) {
        guard let loop else {
            (timeline as? VirtualClock)?.advance(by: interval)
            return
        }
        let end = ScopedCountdown(on: loop, interval) { loop.stop() }
        loop.run()
        withExtendedLifetime(end) {}
    }

    /// Expects that no timer is left. Every test ends with it.
    func expectNoTimers(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(timeline.timerQueue.count == 0, sourceLocation: sourceLocation)
        #expect(timeline.timerQueue.next == nil, sourceLocation: sourceLocation)
    }
}

/// An owner that records the firings of its timers, and calls `onDue` for each.
final class RecordingTimerOwner: TimerOwner {
    let timerQueue: TimerQueue
    var group = TimerGroup()
    /// The tag of each firing's timer.
    var log: [UInt8] = []
    /// The number of missed beats of each firing.
    var missed: [Int] = []
    /// The time of each firing.
    var instants: [Instant] = []
    var onDue: ((UInt8) -> Void)?

    init(_ timerQueue: TimerQueue) { self.timerQueue = timerQueue }
    deinit { timerQueue.end(group) }

    override func due(_ firing: Firing) {
        log.append(firing.tag)
        self.missed.append(firing.missed)
        instants.append(timerQueue.now)
        onDue?(firing.tag)
    }

    @discardableResult func countdown(_ total: Duration, _ tag: UInt8 = 0) -> Countdown {
        timerQueue.setCountdown(total, tag: tag, in: &group, for: self)
    }

    @discardableResult func pendulum(_ period: Duration, _ tag: UInt8 = 0) -> Pendulum {
        timerQueue.setPendulum(period, tag: tag, in: &group, for: self)
    }

    func endAll() {
        timerQueue.end(group)
        group = TimerGroup()
    }
}
