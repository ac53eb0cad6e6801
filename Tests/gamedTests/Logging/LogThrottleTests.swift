import Parts
import Testing
import Timers

/// How often a repeated line is logged, on a virtual clock.
@Suite struct LogThrottleTests {
    private let clock = VirtualClock()

    private func throttle(limit: Int = 100) -> LogThrottle {
        LogThrottle(limit: limit) { [clock] in clock.now }
    }

    @Test func `the 1st, 2nd, 4th and 8th occurrence of a subject are logged`() {
        var throttle = throttle()
        let logged = (1...10).filter { _ in LogThrottle.isLogged(throttle.count("a")) }
        #expect(logged == [1, 2, 4, 8])
    }

    @Test func `each subject has its own count`() {
        var throttle = throttle()
        #expect([throttle.count("a"), throttle.count("a"), throttle.count("b")] == [1, 2, 1])
    }

    @Test func `a subject that was quiet for an hour is new again`() {
        var throttle = throttle()
        #expect([throttle.count("a"), throttle.count("a")] == [1, 2])
        clock.advance(by: LogThrottle.quietTime - .milliseconds(1))
        #expect(throttle.count("a") == 3)
        clock.advance(by: LogThrottle.quietTime)
        #expect(throttle.count("a") == 1)
    }

    @Test func `all counts restart when there are more subjects than the limit`() {
        var throttle = throttle(limit: 2)
        #expect([throttle.count("a"), throttle.count("b"), throttle.count("b")] == [1, 1, 2])
        #expect([throttle.count("c"), throttle.count("b")] == [1, 1])
    }
}
