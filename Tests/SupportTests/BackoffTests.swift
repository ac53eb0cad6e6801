import Support
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
}
