import Parts
import Testing
import Timers

/// How many lines of a kind are written in a minute, on a virtual clock.
@Suite struct LogRateTests {
    private let limit = LogRate.linesPerMinute

    @Test
    func `lines beyond the limit of a minute are left out, and the next minute says how many`() {
        var rate = LogRate()
        let clock = VirtualClock()
        for _ in 0..<limit {
            #expect(rate.count(.warning, .limited, at: clock.now) == .write(leftOut: 0))
        }
        #expect(rate.count(.warning, .limited, at: clock.now) == .leaveOutFirst)
        clock.advance(by: .seconds(59))
        #expect(rate.count(.warning, .limited, at: clock.now) == .leaveOut)
        clock.advance(by: .seconds(1))
        #expect(rate.count(.warning, .limited, at: clock.now) == .write(leftOut: 2))
        #expect(rate.count(.warning, .limited, at: clock.now) == .write(leftOut: 0))
    }

    @Test func `each kind has its own limit, and lines of the level debug have none`() {
        var rate = LogRate()
        for _ in 0...limit { _ = rate.count(.warning, .limited, at: .zero) }
        #expect(rate.count(.error, .storage, at: .zero) == .write(leftOut: 0))
        for _ in 0...limit {
            #expect(rate.count(.debug, .transition, at: .zero) == .write(leftOut: 0))
        }
    }
}
