import Testing
import Timers

/// One of the two timelines, and a way to let time pass on it.
final class Clockwork {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case virtual, real
        var testDescription: String { rawValue }
    }

    let timeline: any Timeline
    private let loop: EventLoop?

    init(_ kind: Kind) throws {
        switch kind {
        case .virtual: (timeline, loop) = (VirtualTime(), nil)
        case .real:
            let loop = try EventLoop()
            (timeline, self.loop) = (loop, loop)
        }
    }

    /// Lets time pass: in virtual time at once, on the real clock by running its loop so long.
    func pass(_ interval: Interval) {
        guard let loop else {
            (timeline as? VirtualTime)?.advance(by: interval)
            return
        }
        let end = HeldCountdown(on: loop, interval) { loop.stop() }
        loop.run()
        withExtendedLifetime(end) {}
    }

    /// Every test ends with this: no timer is left behind.
    func expectNothingLeft(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(timeline.agenda.count == 0, sourceLocation: sourceLocation)
        #expect(timeline.agenda.next == nil, sourceLocation: sourceLocation)
    }
}

/// An owner that writes down what its timers tell it, and can be made to do something then.
final class Scribe: TimerOwner {
    let agenda: Agenda
    var group = TimerGroup()
    var log: [UInt8] = []
    var missed: [Int] = []
    var instants: [Instant] = []
    var onDue: ((UInt8) -> Void)?

    init(_ agenda: Agenda) { self.agenda = agenda }
    deinit { agenda.end(group) }

    func due(_ tag: UInt8, missed: Int) {
        log.append(tag)
        self.missed.append(missed)
        instants.append(agenda.now)
        onDue?(tag)
    }

    @discardableResult func countdown(_ total: Interval, _ tag: UInt8 = 0) -> Countdown {
        agenda.setCountdown(total, tag: tag, in: &group, for: self)
    }

    @discardableResult func pendulum(_ period: Interval, _ tag: UInt8 = 0) -> Pendulum {
        agenda.setPendulum(period, tag: tag, in: &group, for: self)
    }

    func endAll() {
        agenda.end(group)
        group = TimerGroup()
    }
}
