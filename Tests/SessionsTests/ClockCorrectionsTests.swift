import Sessions
import Testing
import Timers

@Suite struct ClockCorrectionsTests {
    private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    @Test func `a correction applies from its instant on, until the next one`() {
        let corrections = ClockCorrections()
        #expect(corrections.date(of: at(5)) == at(5) && corrections.current == .zero)
        corrections.add(.seconds(100), from: at(10))
        corrections.add(.seconds(-3), from: at(20))
        #expect(
            [9, 10, 19, 20, 30].map { corrections.date(of: at($0)) }
                == [9, 110, 119, 17, 27].map(at))
        #expect(corrections.current == .seconds(-3))
    }
}
