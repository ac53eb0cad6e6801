import Durability
import GameFlow
import JSONCoding
import Journal
import RPC
import Sessions
import TestSupport
import Timers

/// The end of a simulation: no more faults, then the final checks.
extension World {
    /// Continues without faults until all requests are answered. Repeats the requests with an unknown outcome.
    func finishRequests() throws(InvariantViolation) {
        (store.fault, store.failingRecoveries) = (nil, 0)
        for _ in 0..<50 {
            daemon.retryStoreOperations()
            daemon.fireDueTimers()
            try endTurn()
            while store.isBusy { _ = store.completePending() }
            for client in clients {
                for line in client.read(.max) { try oracle.receive(line, client) }
            }
            guard try repeatRequests() || store.isBusy || daemon.sessions.uncommittedRows > 0 else {
                break
            }
        }
        for client in clients {
            try expect(
                client.expectedReplies.isEmpty,
                "client \(client.number): \(client.expectedReplies.count) requests are not answered: \(client.expectedReplies[0])"
            )
            try expect(
                client.requestsToRepeat.isEmpty,
                "client \(client.number) does not learn the outcome of its requests")
        }
        try expect(daemon.sessions.outage == nil, "the storage failure does not end")
    }

    /// Repeats the requests with an unknown outcome. Returns whether there were any.
    func repeatRequests() throws(InvariantViolation) -> Bool {
        var hasSent = false
        for client in clients where !client.requestsToRepeat.isEmpty {
            guard client.connection != nil else { continue }
            for unanswered in exchange(&client.requestsToRepeat, with: []) {
                let request = generator.repeated(unanswered, store.journal)
                oracle.sent(request)
                client.expectReply(.one(request))
                daemon.fireDueTimers()
                client.send(.line(request.json[...]), to: daemon.handler)
                hasSent = true
            }
            try endTurn()
        }
        return hasSent
    }

    func check() throws(InvariantViolation) {
        try RowInvariants.check(store.rows, store.journal)
        try TimerInvariants.check(store.rows, end: daemon.clock.now.nanoseconds)
        try oracle.check()
        try outputs?.check(store.rows)
        let checks = JournalChecks(catalog: flows.catalog)
        counts["changes replayed"] += try checks.replay(store.rows)
        try checks.compare(store.rows, with: daemon.sessions)
    }

    /// Restores sessions from these rows. With the injected fault `checksumsSkipped`, the rows get new checksums first, as if the
    /// daemon did not check them.
    private func restored(_ rows: [JournalRow]) -> (
        sessions: Sessions, quarantined: [Sessions.QuarantineError]
    ) {
        JournalChecks(catalog: flows.catalog).restored(
            injectedFault == .checksumsSkipped ? rows.rechained : rows, at: daemon.clock.now)
    }

    /// Inverts a bit of a random row, and checks that its session is quarantined and all others are restored.
    func checkDamagedRow() throws(InvariantViolation) {
        guard
            let index = store.rows.indices.filter({ !store.rows[$0].session.isEmpty })
                .randomElement(using: &random)
        else { return }
        counts["bits inverted"] += 1
        let row = store.rows[index]
        var body = row.body
        body[random.below(body.count)] ^= 1 << UInt8(random.below(8))
        var rows = store.rows
        rows[index] = JournalRow(
            row.kind, position: row.position, session: row.session, seq: row.seq, atNs: row.atNs,
            id: row.id, body: body,
            after: row.previous, checksum: row.checksum)
        let copy = restored(rows)
        defer { copy.sessions.endMachines() }
        let isInOpenSession =
            store.journal.rowsSinceOpening(of: row.session).first.map {
                $0.row.position <= row.position
            } ?? false
        try expect(
            copy.quarantined.map(\.session.text) == (isInOpenSession ? [row.session] : []),
            "a bit of row \(row.position) of \(row.session) was inverted, but quarantined is \(copy.quarantined)"
        )
        let others = daemon.sessions.all.filter {
            !isInOpenSession || $0.name.text != row.session
        }
        let restoredNames = copy.sessions.all.map(\.name.text)
        try expect(
            restoredNames == others.map(\.name.text),
            "after damage to a row of \(row.session), the restored sessions are \(restoredNames)")
    }
}
