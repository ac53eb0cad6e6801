import Durability
import GameFlow
import Journal
import RPC
import Sessions
import TestSupport
import Timers

/// The random steps of a simulation.
extension World {
    func step() throws(InvariantViolation) {
        counts["steps"] += 1
        if random.below(1000) < schedule.crashes { return try crash() }
        if random.below(1000) < schedule.faults { injectStoreFault() }
        switch random.below(1000) {
        case ..<schedule.commits: try runStore()
        case ..<(schedule.commits + schedule.reads): try readReplies()
        case ..<(schedule.commits + schedule.reads + 60): try advanceTime()
        default: try sendRequest()
        }
    }

    func injectStoreFault() {
        store.fault = random.pick(SimulatedStore.Fault.allCases)
        store.failingRecoveries = random.below(3) == 0 ? random.below(4) : 0
    }

    /// Completes what is pending in the store.
    func runStore() throws(InvariantViolation) {
        if let happened = store.completePending() { counts[happened] += 1 }
        daemon.fireDueTimers()
        if random.below(2) == 0 { daemon.retryStoreOperations() }
        try endTurn()
    }

    func advanceTime() throws(InvariantViolation) {
        let ms = Int64(random.pick([1, 40, 1000, 3000, 12_000, 61_000]))
        wallClock = wallClock + .milliseconds(ms)
        guard let clock = daemon.realClock else { return }
        clock.advance(by: Duration.nanoseconds(ms * 1_000_000 + Int64(random.below(3_000_000))))
        clock.fireDueTimers()
        try endTurn()
        if random.below(3) == 0, daemon.groupCommit.sessions.outage == nil { lastAlive = clock.now }
    }

    func readReplies() throws(InvariantViolation) {
        let client = random.pick(clients)
        for line in client.read(random.below(4) == 0 ? random.below(200) : .max) {
            try oracle.receive(line, client)
        }
    }

    func endTurn() throws(InvariantViolation) {
        try outputs?.endTurn(store.journal)
        daemon.endTurn()
    }

    func sendRequest() throws(InvariantViolation) {
        let client = random.pick(clients)
        guard client.connection != nil else { return }
        // As in the daemon, due timers fire before requests are handled.
        daemon.fireDueTimers()
        var buffer = LineBuffer()
        let line = makeLine(for: client)
        (line + [0x0A]).withUnsafeBytes { buffer.append($0) }
        while let line = buffer.next() { client.send(line, to: daemon.handler) }
        counts["requests"] += 1
        // Several requests may be handled in one turn.
        if random.below(2) == 0 { try endTurn() }
    }

    /// A line with a request, a batch of requests, or a repeated request of a client. Records that replies are expected.
    func makeLine(for client: Client) -> [UInt8] {
        let journal = store.journal
        generator.isStoreWorking = !store.isBroken
        if !client.requestsToRepeat.isEmpty, random.below(2) == 0 {
            let request = generator.repeated(client.requestsToRepeat.removeFirst(), journal)
            oracle.sent(request)
            client.expectReply(.one(request))
            return request.json
        }
        if random.below(12) == 0 {
            let requests = (0..<2 + random.below(2)).map { _ in
                generator.request(daemon.sessions, journal, &random)
            }
            for request in requests { oracle.sent(request) }
            client.expectReply(.batch(requests))
            return Array("[".utf8) + requests.map(\.json).joined(separator: [0x2C])
                + Array("]".utf8)
        }
        let request = generator.request(daemon.sessions, journal, &random)
        oracle.sent(request)
        if request.method == "status", random.below(2) == 0 {
            client.expectReply(.text(request))
            return Array("status session=\(request.session)".utf8)
        }
        client.expectReply(.one(request))
        return request.json
    }
}
