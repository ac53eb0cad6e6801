import Access
import GameFlow
import Sessions
import ShippedFlows
import Testing
import Timers

@testable import gamed

/// The simulated radio beside the sessions, on the virtual clock.
@Suite struct RadioSimulationDriverTests {
    @Test func `a long advance stops at the limit of steps`()
        throws
    {
        var limits = Limits()
        limits.simulatorSteps = 100
        let sessions = Sessions(AnyFlow.shipped(), on: VirtualClock(), limits: limits)
        let radio = RadioSimulationDriver(startingAt: .zero)
        sessions.simulator = radio
        let beats = ScopedPendulum(on: radio.time, .milliseconds(20)) { _ in }
        let (fired, more) = try sessions.advance(.by(.seconds(365 * 86_400)))
        #expect(fired.isEmpty && more)
        #expect(sessions.now == .zero + .milliseconds(2000))
        // The next advances continue from there, and timers of sessions fire.
        _ = try sessions.open(
            .main, sessions.flow("game"), state: "help", RequestContext(from: Source(.terminal)))
        var all: [String] = []
        while sessions.now < .zero + .seconds(40) {
            let left = Instant.zero + .seconds(40) - sessions.now
            all += try sessions.advance(.by(left)).fired.map { "\($0.fires) \($0.at.milliseconds)" }
        }
        #expect(all == ["helpTimedOut 32000"])
        #expect(radio.time.now == sessions.now)
        withExtendedLifetime(beats) {}
    }

    @Test func `an event is delivered once, at its own instant`() throws {
        let sessions = Sessions(AnyFlow.shipped(), on: VirtualClock())
        let radio = RadioSimulationDriver(startingAt: .zero)
        sessions.simulator = radio
        var (waiting, handed): (Int, [Int64]) = (0, [])
        radio.hasEvents = { waiting > 0 }
        radio.onDelivery = {
            handed += Array(repeating: sessions.now.milliseconds, count: waiting)
            waiting = 0
        }
        let presses = [30, 10, 10].map { ms in
            ScopedCountdown(on: radio.time, .milliseconds(ms)) { waiting += 1 }
        }
        _ = try sessions.advance(.by(.milliseconds(20)))
        #expect(handed == [10, 10])
        _ = try sessions.advance(.by(.seconds(1)))
        #expect(handed == [10, 10, 30])
        #expect(sessions.now == .zero + .milliseconds(1020))
        withExtendedLifetime(presses) {}
    }
}
