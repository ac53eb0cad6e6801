import Testing
import Timers

@testable import Access
@testable import GamedServer

/// After too many wrong codes, `/join` accepts no code for a minute: from one host, or from all. `refusedClients` returns which
/// clients are refused now, if the given host is among them, else nil. The tests pass the time to each call.
@Suite struct JoinGateTests {
    private let start = Instant.seconds(1_000_000)

    @Test func `five wrong codes in a minute close the gate for their host, for a minute`() {
        var gate = JoinGate()
        for second in 0..<4 {
            #expect(gate.countWrongCode(from: "a", at: start + .seconds(second)) == nil)
        }
        let fifthInstant = start + .seconds(59)
        #expect(gate.refusedClients(including: "a", at: fifthInstant) == nil)
        #expect(gate.countWrongCode(from: "a", at: fifthInstant) == .host("a"))
        #expect(gate.refusedClients(including: "a", at: fifthInstant) == .host("a"))
        #expect(gate.refusedClients(including: "b", at: fifthInstant) == nil)
        #expect(gate.refusedClients(including: nil, at: fifthInstant) == nil)
        let lastInstant = fifthInstant + (.seconds(60) - .nanoseconds(1))
        #expect(gate.refusedClients(including: "a", at: lastInstant) == .host("a"))
        #expect(gate.refusedClients(including: "a", at: fifthInstant + .seconds(60)) == nil)
    }

    @Test func `wrong codes never close the gate if there are fewer than five in any minute`() {
        var gate = JoinGate()
        for number in 0..<50 {
            #expect(gate.countWrongCode(from: "a", at: start + .seconds(15 * number)) == nil)
        }
    }

    @Test func `a hundred wrong codes in a minute close the gate for all hosts`() {
        var gate = JoinGate()
        for number in 0..<99 {
            // The host of clients behind a proxy is unknown.
            let host = number % 2 == 0 ? nil : "host-\(number)"
            #expect(gate.countWrongCode(from: host, at: start) == nil)
        }
        #expect(gate.refusedClients(including: "x", at: start) == nil)
        let hundredthInstant = start + .seconds(59)
        #expect(gate.countWrongCode(from: "x", at: hundredthInstant) == .all)
        for host in ["x", "y", nil] {
            #expect(
                gate.refusedClients(including: host, at: hundredthInstant + .seconds(59)) == .all)
            #expect(
                gate.refusedClients(including: host, at: hundredthInstant + .seconds(60)) == nil)
        }
        #expect(gate.countWrongCode(from: "x", at: hundredthInstant + .seconds(60)) == nil)
    }

    @Test func `a hundred guests a minute may join from one host`() {
        var gate = JoinGate()
        for number in 0..<100 {
            #expect(gate.countJoin(from: "a", at: start + .milliseconds(10 * number)) == true)
        }
        for second in [1, 59] {
            #expect(gate.countJoin(from: "a", at: start + .seconds(second)) == false)
        }
        #expect(gate.countJoin(from: "b", at: start + .seconds(59)) == true)
        // Guests behind a proxy at a UNIX socket are not counted.
        for _ in 0..<200 { #expect(gate.countJoin(from: nil, at: start + .seconds(59)) == true) }
        #expect(gate.countJoin(from: "a", at: start + .seconds(60)) == true)
    }
}
