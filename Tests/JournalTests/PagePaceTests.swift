import Journal
import Testing

/// The number of rows of a page, which follows the time that pages take.
@Suite struct PagePaceTests {
    @Test func `quick pages become larger, up to a limit`() {
        let pace = PagePace()
        for _ in 0..<10 { pace.adapt(to: .microseconds(100), for: pace.rows) }
        #expect(pace.rows == 1000)
        // A page that is not full says nothing about a full one.
        let fresh = PagePace()
        fresh.adapt(to: .microseconds(1), for: 3)
        #expect(fresh.rows == 32)
    }

    @Test func `a slow page becomes smaller in proportion to its time`() {
        let pace = PagePace()
        for _ in 0..<10 { pace.adapt(to: .zero, for: pace.rows) }
        pace.adapt(to: .milliseconds(30), for: 1000)
        #expect(pace.rows == 100)
        pace.adapt(to: .milliseconds(2), for: 100)
        #expect(pace.rows == 100)
        pace.adapt(to: .seconds(60), for: 100)
        #expect(pace.rows == 8)
        pace.adapt(to: .seconds(60), for: 0)
        #expect(pace.rows == 8)
    }

    @Test func `the time of a page is measured`() {
        let pace = PagePace()
        let result = pace.measure(32) {
            let start = ContinuousClock.now
            while ContinuousClock.now - start < .milliseconds(12) {}
            return 7
        }
        #expect(result == 7 && pace.rows == 8)
    }
}
