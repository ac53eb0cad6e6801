import Durability
import GameFlow
import JSONCoding
import Journal
import RPC
import Sessions
import Timers

/// Checks of all rows of a journal with the code that reads them.
struct JournalChecks {
    let catalog: FlowCatalog

    /// Checks that a replay of the journal produces the same rows. Returns the number of changes.
    func replay(_ rows: [JournalRow]) throws(InvariantViolation) -> Int {
        let replay = JournalReplay(catalog)
        for row in rows {
            guard let difference = replay.execute(row) else { continue }
            throw InvariantViolation(
                "the replay differs at row \(difference.position), \(difference.session): \(difference.why)\n\(text(difference.recorded))\n\(text(difference.replayed))"
            )
        }
        if let difference = replay.finish() {
            throw InvariantViolation("the replay differs at the end: \(text(difference.replayed))")
        }
        return replay.changes
    }

    /// The record as JSON; a hyphen if there is none.
    private func text(_ record: SessionRecord?) -> String {
        guard let record else { return "-" }
        return text(JSONWriter.bytes { $0.object(record.members) })
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Checks that the sessions that are restored from the rows equal those in memory.
    func compare(_ rows: [JournalRow], with sessions: Sessions) throws(InvariantViolation) {
        let copy = restored(rows, at: sessions.clock.now)
        defer { copy.sessions.endMachines() }
        try expect(copy.quarantined.isEmpty, "sessions are quarantined: \(copy.quarantined)")
        let (restored, expected) = (copy.sessions.statuses, sessions.statuses)
        for (restoredStatus, status) in zip(restored, expected) where restoredStatus != status {
            throw InvariantViolation(
                "a restored session differs:\n\(text(status))\n\(text(restoredStatus))")
        }
        try expect(
            restored.count == expected.count,
            "\(restored.count) of \(expected.count) sessions are restored")
    }

    /// The sessions as they are restored from the rows at an instant.
    func restored(_ rows: [JournalRow], at now: Instant) -> (
        sessions: Sessions, quarantined: [Sessions.QuarantineError]
    ) {
        let sessions = Sessions(catalog, on: ReplayClock(startingAt: now))
        var reading = JournalReading(prunedUpTo: 0, answerLimit: 65_536)
        for row in rows { reading.add(row) }
        let quarantined = sessions.restore(
            reading.content(), lastAlive: now, wasRunning: true)
        return (sessions, quarantined)
    }
}

extension Sessions {
    /// The encoded status of every session.
    var statuses: [[UInt8]] {
        all.map { session in
            var writer = JSONWriter()
            Encoder().write(session.status, .full, to: &writer)
            return writer.bytes
        }
    }

}
