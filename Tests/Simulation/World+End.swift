import Durability
import GameFlow
import JSONCoding
import Journal
import RPC
import Sessions
import TestSupport
import Timers

/// Nothing goes wrong any more: now everything must be right.
extension World {
    /// Nothing goes wrong any more: whatever was asked is answered, and what is in doubt is sent again.
    func calmDown() throws(InvariantViolation) {
        (shelf.fault, shelf.stubbornness) = (nil, 0)
        for _ in 0..<50 {
            life.retry()
            life.settle()
            try endTurn()
            while shelf.isBusy { _ = shelf.work() }
            for client in clients {
                for line in client.read(.max) { try hear(line, client) }
            }
            guard try sendsAgain() || shelf.isBusy || life.sessions.uncommitted > 0 else { break }
        }
        for client in clients {
            try expect(
                client.awaited.isEmpty,
                "client \(client.number): \(client.awaited.count) requests are never answered: \(client.awaited[0])"
            )
            try expect(
                client.doubtful.isEmpty,
                "client \(client.number) never hears what became of its sends")
        }
        try expect(life.sessions.outage == nil, "the storage is out for ever")
    }

    func sendsAgain() throws(InvariantViolation) -> Bool {
        var sent = false
        for client in clients where !client.doubtful.isEmpty {
            guard client.connection != nil else { continue }
            for doubtful in exchange(&client.doubtful, with: []) {
                let question = script.again(doubtful, shelf.books)
                witness.asked(question)
                client.await(.one(question))
                life.settle()
                client.send(.line(question.json[...]), to: life.conversation)
                sent = true
            }
            try endTurn()
        }
        return sent
    }

    func check() throws(InvariantViolation) {
        try RowLaws.check(shelf.rows, shelf.books)
        try TimerLaws.check(shelf.rows, end: life.timeline.now.nanoseconds)
        try witness.check()
        try outputs?.check(shelf.rows)
        try replay()
        try comesBack()
    }

    /// All that was written comes about again, to the byte.
    func replay() throws(InvariantViolation) {
        let replay = JournalReplay(flows.catalog)
        for row in shelf.rows {
            guard let difference = replay.take(row) else { continue }
            throw InvariantViolation(
                "the replay differs at row \(difference.position), \(difference.session): \(difference.why)\n\(text(difference.then))\n\(text(difference.now))"
            )
        }
        if let difference = replay.finish() {
            throw InvariantViolation("the replay ends otherwise: \(text(difference.now))")
        }
        counts["changes replayed"] += replay.changes
    }

    func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private func text(_ record: SessionRecord?) -> String {
        guard let record else { return "-" }
        return String(decoding: JSONWriter.bytes { $0.object(record.members) }, as: UTF8.self)
    }

    /// What is on the disk is what is in memory.
    func comesBack() throws(InvariantViolation) {
        let copy = restored(shelf.rows)
        defer { end(copy.sessions) }
        try expect(copy.quarantined.isEmpty, "it does not come back: \(copy.quarantined)")
        let (there, here) = (shown(copy.sessions), life.everything)
        for (a, b) in zip(there, here) where a != b {
            throw InvariantViolation(
                "what comes back is not what was there:\n\(text(b))\n\(text(a))")
        }
        try expect(there.count == here.count, "\(there.count) sessions come back of \(here.count)")
    }

    func restored(_ rows: [JournalRow]) -> (
        sessions: Sessions, quarantined: [Sessions.QuarantineError]
    ) {
        let sessions = Sessions(flows.catalog, on: ReplayClock(startingAt: life.timeline.now))
        var reading = JournalReading(pruned: 0, answers: 65_536)
        for row in fault == .checksumsSkipped ? rows.resealed : rows { reading.take(row) }
        let quarantined = sessions.restore(
            reading.written(), lastAlive: life.timeline.now, wasRunning: true)
        return (sessions, quarantined)
    }

    func shown(_ sessions: Sessions) -> [[UInt8]] {
        sessions.list(limit: .max - 1).sessions.map { session in
            var writer = JSONWriter()
            Encoder().write(session.status, .full, to: &writer)
            return writer.bytes
        }
    }

    func end(_ sessions: Sessions) {
        for session in sessions.list(limit: .max - 1).sessions { session.machine.end() }
    }

    /// A bit of some row is turned round: that session alone is kept out, and all others come back.
    func damage() throws(InvariantViolation) {
        guard
            let place = shelf.rows.indices.filter({ !shelf.rows[$0].session.isEmpty })
                .randomElement(using: &random)
        else { return }
        counts["bits turned"] += 1
        let row = shelf.rows[place]
        var body = row.body
        body[random.below(body.count)] ^= 1 << UInt8(random.below(8))
        var rows = shelf.rows
        rows[place] = JournalRow(
            restored: row.kind, row.position, row.session, row.seq, row.atNs, row.id, body,
            after: row.previous, checksum: row.checksum)
        let copy = restored(rows)
        defer { end(copy.sessions) }
        let isPresent =
            shelf.books.life(of: row.session).first.map { $0.row.position <= row.position } ?? false
        try expect(
            copy.quarantined.map(\.session.text) == (isPresent ? [row.session] : []),
            "a bit of \(row.session) was turned in row \(row.position), and kept out is \(copy.quarantined)"
        )
        let others = life.sessions.list(limit: .max - 1).sessions.filter {
            !isPresent || $0.name.text != row.session
        }
        try expect(
            copy.sessions.list(limit: .max - 1).sessions.map(\.name) == others.map(\.name),
            "others than \(row.session) are not there")
    }
}
