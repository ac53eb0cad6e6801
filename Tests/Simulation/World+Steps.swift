import Durability
import GameFlow
import Journal
import RPC
import Sessions
import TestSupport
import Timers

/// The random steps of a simulation.
extension World {
    /// Makes one step. A random number decides whether the daemon crashes; a crash ends the step. A second random number
    /// decides whether the store gets a fault. A third random number selects what else happens: the store works, a client
    /// reads, the time advances (60 of a thousand steps), or a client sends a request.
    func step() throws(InvariantViolation) {
        counts["steps"] += 1
        if random.below(1000) < schedule.crashRate { return try crash() }
        if random.below(1000) < schedule.faultRate { injectStoreFault() }
        switch random.below(1000) {
        case ..<schedule.commitRate: try runStore()
        case ..<(schedule.commitRate + schedule.readRate): try readReplies()
        case ..<(schedule.commitRate + schedule.readRate + 60): try advanceTime()
        default: try sendRequest()
        }
    }

    /// Lets the next commit fail, and then up to three recoveries.
    func injectStoreFault() {
        store.fault = random.pick(SimulatedStore.Fault.allCases)
        store.failingRecoveries = random.below(3) == 0 ? random.below(4) : 0
    }

    /// Completes what is pending in the store: a recovery, all batches, or all queries.
    func runStore() throws(InvariantViolation) {
        if let happened = store.completePending() { counts[happened] += 1 }
        daemon.fireDueTimers()
        if random.below(2) == 0 { daemon.retryStoreOperations() }
        try endTurn()
    }

    /// Advances the wall clock. If the daemon has a real clock, also advances this clock, and fires the timers that have become
    /// due.
    func advanceTime() throws(InvariantViolation) {
        let ms = Int64(random.pick([1, 40, 1000, 3000, 12_000, 61_000]))
        wallClock = wallClock + .milliseconds(ms)
        guard let clock = daemon.realClock else { return }
        // In each step of this kind, the daemon's clock advances up to 3 ms more than the wall clock.
        clock.advance(by: Duration.nanoseconds(ms * 1_000_000 + Int64(random.below(3_000_000))))
        clock.fireDueTimers()
        try endTurn()
        // From time to time the daemon records that it runs, but not while the store does not work.
        if random.below(3) == 0, daemon.groupCommit.sessions.outage == nil { lastAlive = clock.now }
    }

    /// Lets a client read bytes that the daemon has released: all bytes, or fewer than 200 of them.
    func readReplies() throws(InvariantViolation) {
        let client = random.pick(clients)
        for line in client.read(random.below(4) == 0 ? random.below(200) : .max) {
            try oracle.receive(line, client)
        }
    }

    /// Ends a turn of the daemon's event loop: makes and sends outputs, and passes the new rows to the store.
    func endTurn() throws(InvariantViolation) {
        try outputs?.endTurn(store.journal)
        daemon.endTurn()
    }

    /// Sends a line of a random client to the daemon.
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
