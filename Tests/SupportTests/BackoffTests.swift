import Support
import Synchronization
import TestSupport
import Testing
import Timers

@Suite struct BackoffTests {
    @Test func `each failure in a row doubles the delay up to the longest`() {
        var backoff = Backoff(first: .milliseconds(100), longest: .seconds(2))
        let delays = (0..<7).map { _ in backoff.fail().milliseconds }
        #expect(delays == [100, 200, 400, 800, 1600, 2000, 2000])
        for _ in 0..<100 { #expect(backoff.fail() == .seconds(2)) }
        backoff.succeed()
        #expect(backoff.fail() == .milliseconds(100))
    }

    @Test func `the default delays are from 250 ms to 10 s`() {
        var backoff = Backoff()
        #expect(backoff.fail() == .milliseconds(250))
        for _ in 0..<10 { _ = backoff.fail() }
        #expect(backoff.fail() == .seconds(10))
    }

    @Test func `a spread makes each delay shorter, by at most a quarter`() {
        let random = Mutex(SeededRandom(1))
        let spread = RetrySpread { random.withLock { .random(in: 0..<1, using: &$0) } }
        var backoff = Backoff(first: .milliseconds(100), longest: .seconds(2), spread: spread)
        for delay in [100, 200, 400, 800, 1600, 2000, 2000, 2000] as [Int64] {
            let spreadDelay = backoff.fail()
            #expect(spreadDelay <= .milliseconds(delay))
            #expect(spreadDelay > .milliseconds(delay * 3 / 4))
        }
        // Two daemons whose delays were equal try again at different times.
        let delays = (0..<20).map { _ in backoff.fail() }
        #expect(Set(delays).count == 20)
        #expect(RetrySpread.none.shorten(.seconds(1)) == .seconds(1))
        #expect(RetrySpread.random.shorten(.seconds(1)) > .milliseconds(750))
    }
}
