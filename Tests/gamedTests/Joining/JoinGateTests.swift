import Testing
import Timers

@testable import GamedServer

/// How often one may be wrong at `/join`, on a clock that the test moves.
@Suite struct JoinGateTests {
    private let start = Instant.seconds(1_000_000)

    @Test func `five wrong codes in a minute close it for that host, for a minute`() {
        var gate = JoinGate()
        for second in 0..<4 {
            #expect(gate.countWrong(from: "a", at: start + .seconds(second)) == nil)
        }
        let fifth = start + .seconds(59)
        #expect(gate.closing(for: "a", at: fifth) == nil)
        #expect(gate.countWrong(from: "a", at: fifth) == .host("a"))
        #expect(gate.closing(for: "a", at: fifth) == .host("a"))
        #expect(gate.closing(for: "b", at: fifth) == nil)
        #expect(gate.closing(for: nil, at: fifth) == nil)
        let last = fifth + (.seconds(60) - .nanoseconds(1))
        #expect(gate.closing(for: "a", at: last) == .host("a"))
        #expect(gate.closing(for: "a", at: fifth + .seconds(60)) == nil)
    }

    @Test func `five wrong codes in more than a minute close nothing`() {
        var gate = JoinGate()
        for number in 0..<50 {
            #expect(gate.countWrong(from: "a", at: start + .seconds(15 * number)) == nil)
        }
    }

    @Test func `a hundred wrong codes in a minute close it for all`() {
        var gate = JoinGate()
        for number in 0..<99 {
            // A proxy's clients have no host.
            let host = number % 2 == 0 ? nil : "host-\(number)"
            #expect(gate.countWrong(from: host, at: start) == nil)
        }
        #expect(gate.closing(for: "x", at: start) == nil)
        let last = start + .seconds(59)
        #expect(gate.countWrong(from: "x", at: last) == .all)
        for host in ["x", "y", nil] {
            #expect(gate.closing(for: host, at: last + .seconds(59)) == .all)
            #expect(gate.closing(for: host, at: last + .seconds(60)) == nil)
        }
        #expect(gate.countWrong(from: "x", at: last + .seconds(60)) == nil)
    }
}
