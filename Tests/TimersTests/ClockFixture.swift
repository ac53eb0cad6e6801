import EventLoop
import Testing
import Timers

/// A virtual or a real clock, and a way to let time pass on it.
final class ClockFixture {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case virtual, real
        var testDescription: String { rawValue }
    }

    let clock: any TimerClock
    private let loop: LibeventLoop?

    init(_ kind: Kind) throws {
        switch kind {
        case .virtual: (clock, loop) = (VirtualClock(), nil)
        case .real:
            let loop = try LibeventLoop()
            (clock, self.loop) = (loop, loop)
        }
    }

    /// Lets time pass: advances the virtual clock, or runs the loop of the real one for the interval.
    func pass(_ interval: Duration) {
        guard let loop else {
            (clock as? VirtualClock)?.advance(by: interval)
            return
        }
        let end = ScopedCountdown(on: loop, interval) { loop.stop() }
        loop.run()
        withExtendedLifetime(end) {}
    }

    /// Expects that no timer is left.
    func expectNoTimers(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(clock.timerQueue.count == 0, sourceLocation: sourceLocation)
        #expect(clock.timerQueue.next == nil, sourceLocation: sourceLocation)
    }
}
