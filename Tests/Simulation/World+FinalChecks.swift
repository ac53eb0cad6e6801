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
    /// Continues without faults until all requests are answered; requests with an unknown outcome are repeated.
    func finishRequests() throws(InvariantViolation) {
        (store.fault, store.failingRecoveries) = (nil, 0)
        for _ in 0..<50 {
            daemon.retry()
            daemon.fireDueTimers()
            try endTurn()
            while store.isBusy { _ = store.completePending() }
            for client in clients {
                for line in client.read(.max) { try receive(line, client) }
            }
            guard try repeatRequests() || store.isBusy || daemon.sessions.uncommitted > 0 else {
                break
            }
        }
        for client in clients {
            try expect(
                client.expectedReplies.isEmpty,
                "client \(client.number): \(client.expectedReplies.count) requests are not answered: \(client.expectedReplies[0])"
            )
            try expect(
                client.unresolved.isEmpty,
                "client \(client.number) does not learn the outcome of its requests")
        }
        try expect(daemon.sessions.outage == nil, "the storage failure does not end")
    }

    /// Repeats the requests with an unknown outcome. Returns whether there were any.
    func repeatRequests() throws(InvariantViolation) -> Bool {
        var sent = false
        for client in clients where !client.unresolved.isEmpty {
            guard client.connection != nil else { continue }
            for unresolved in exchange(&client.unresolved, with: []) {
                let request = generator.repeated(unresolved, store.journal)
                oracle.sent(request)
                client.expectReply(.one(request))
                daemon.fireDueTimers()
                client.send(.line(request.json[...]), to: daemon.handler)
                sent = true
            }
            try endTurn()
        }
        return sent
    }

    func check() throws(InvariantViolation) {
        try RowInvariants.check(store.rows, store.journal)
        try TimerInvariants.check(store.rows, end: daemon.timeline.now.nanoseconds)
        try oracle.check()
        try outputs?.check(store.rows)
        try replay()
        try checkRestore()
    }

    /// A replay of the journal produces the same rows.
    func replay() throws(InvariantViolation) {
        let replay = JournalReplay(flows.catalog)
        for row in store.rows {
            guard let difference = replay.execute(row) else { continue }
            throw InvariantViolation(
                "the replay differs at row \(difference.position), \(difference.session): \(difference.why)\n\(text(difference.then))\n\(text(difference.now))"
            )
        }
        if let difference = replay.finish() {
            throw InvariantViolation("the replay differs at the end: \(text(difference.now))")
        }
        counts["changes replayed"] += replay.changes
    }

    func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private func text(_ record: SessionRecord?) -> String {
        guard let record else { return "-" }
        return String(decoding: JSONWriter.bytes { $0.object(record.members) }, as: UTF8.self)
    }

    /// Sessions that are restored from the disk equal those in memory.
    func checkRestore() throws(InvariantViolation) {
        let copy = restored(store.rows)
        defer { end(copy.sessions) }
        try expect(copy.quarantined.isEmpty, "sessions are quarantined: \(copy.quarantined)")
        let (restored, expected) = (statuses(of: copy.sessions), daemon.statuses)
        for (a, b) in zip(restored, expected) where a != b {
            throw InvariantViolation(
                "a restored session differs:\n\(text(b))\n\(text(a))")
        }
        try expect(
            restored.count == expected.count,
            "\(restored.count) of \(expected.count) sessions are restored")
    }

    func restored(_ rows: [JournalRow]) -> (
        sessions: Sessions, quarantined: [Sessions.QuarantineError]
    ) {
        let sessions = Sessions(flows.catalog, on: ReplayClock(startingAt: daemon.timeline.now))
        var reading = JournalReading(pruned: 0, answers: 65_536)
        for row in fault == .checksumsSkipped ? rows.rechained : rows { reading.add(row) }
        let quarantined = sessions.restore(
            reading.written(), lastAlive: daemon.timeline.now, wasRunning: true)
        return (sessions, quarantined)
    }

    func statuses(of sessions: Sessions) -> [[UInt8]] {
        sessions.list(limit: .max - 1).sessions.map { session in
            var writer = JSONWriter()
            Encoder().write(session.status, .full, to: &writer)
            return writer.bytes
        }
    }

    func end(_ sessions: Sessions) {
        for session in sessions.list(limit: .max - 1).sessions { session.machine.end() }
    }

    /// Inverts a bit of a random row: its session is quarantined, and all others are restored.
    func checkDamagedRow() throws(InvariantViolation) {
        guard
            let place = store.rows.indices.filter({ !store.rows[$0].session.isEmpty })
                .randomElement(using: &random)
        else { return }
        counts["bits inverted"] += 1
        let row = store.rows[place]
        var body = row.body
        body[random.below(body.count)] ^= 1 << UInt8(random.below(8))
        var rows = store.rows
        rows[place] = JournalRow(
            restored: row.kind, row.position, row.session, row.seq, row.atNs, row.id, body,
            after: row.previous, checksum: row.checksum)
        let copy = restored(rows)
        defer { end(copy.sessions) }
        let isPresent =
            store.journal.entriesSinceOpening(of: row.session).first.map {
                $0.row.position <= row.position
            } ?? false
        try expect(
            copy.quarantined.map(\.session.text) == (isPresent ? [row.session] : []),
            "a bit of row \(row.position) of \(row.session) was inverted, but quarantined is \(copy.quarantined)"
        )
        let others = daemon.sessions.list(limit: .max - 1).sessions.filter {
            !isPresent || $0.name.text != row.session
        }
        try expect(
            copy.sessions.list(limit: .max - 1).sessions.map(\.name) == others.map(\.name),
            "not all sessions but \(row.session) are restored")
    }
}
