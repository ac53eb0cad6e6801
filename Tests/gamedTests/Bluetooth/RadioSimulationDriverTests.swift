import BluetoothPart
import GameFlow
import RPC
import Sessions
import ShippedFlows
import TestSupport
import Testing
import Timers

@testable import GamedServer

/// `RadioSimulationDriver` advances the clock of a simulated radio together with the virtual clock of the sessions.
@Suite struct RadioSimulationDriverTests {
    @Test func `a long advance stops at the limit of steps`()
        throws
    {
        var limits = Limits()
        limits.simulatorSteps = 100
        let sessions = Sessions(AnyFlow.shipped(), on: VirtualClock(), limits: limits)
        let driver = RadioSimulationDriver(startingAt: .zero)
        sessions.simulator = driver
        let radioTicks = ScopedPendulum(on: driver.clock, .milliseconds(20)) { _ in }
        let (fired, hasMore) = try sessions.advance(.by(.seconds(365 * 86_400)))
        #expect(fired.isEmpty && hasMore)
        #expect(sessions.now == .zero + .milliseconds(2000))
        // The next calls of `advance` continue at that instant, and timers of sessions fire.
        _ = try sessions.open(
            .main, sessions.flow("game"), state: "help", RequestContext(from: Source(.terminal)))
        var firedTexts: [String] = []
        while sessions.now < .zero + .seconds(40) {
            let remaining = Instant.zero + .seconds(40) - sessions.now
            firedTexts += try sessions.advance(.by(remaining)).fired.map {
                "\($0.fires) \($0.at.milliseconds)"
            }
        }
        #expect(firedTexts == ["helpTimedOut 32000"])
        #expect(driver.clock.now == sessions.now)
        withExtendedLifetime(radioTicks) {}
    }

    @Test func `an event is delivered once, at its own instant`() throws {
        let sessions = Sessions(AnyFlow.shipped(), on: VirtualClock())
        let driver = RadioSimulationDriver(startingAt: .zero)
        sessions.simulator = driver
        var (waitingEvents, deliveryTimes): (Int, [Int64]) = (0, [])
        driver.hasEvents = { waitingEvents > 0 }
        driver.deliverEvents = {
            deliveryTimes += Array(repeating: sessions.now.milliseconds, count: waitingEvents)
            waitingEvents = 0
        }
        let presses = [30, 10, 10].map { ms in
            ScopedCountdown(on: driver.clock, .milliseconds(ms)) { waitingEvents += 1 }
        }
        _ = try sessions.advance(.by(.milliseconds(20)))
        #expect(deliveryTimes == [10, 10])
        _ = try sessions.advance(.by(.seconds(1)))
        #expect(deliveryTimes == [10, 10, 30])
        #expect(sessions.now == .zero + .milliseconds(1020))
        withExtendedLifetime(presses) {}
    }
}
