import Durability
import GameFlow
import JSONCoding
import Journal
import RPC
import SQLiteStore
import Sessions
import Testing
import Timers

extension OlderJournal {
    /// All rows of a journal's file.
    static func rows(_ file: JournalFile) throws -> [JournalRow] {
        var rows: [JournalRow] = []
        try file.rows {
            rows.append($0)
            return true
        }
        return rows
    }

    /// The sessions of the rows, restored on a virtual clock that stands at the newest row.
    static func restore(_ rows: [JournalRow]) -> (sessions: Sessions, clock: VirtualClock) {
        var reading = JournalReading(prunedUpTo: 0, answerLimit: 100)
        for row in rows { reading.add(row) }
        let latest = reading.latestTime
        let clock = VirtualClock(startingAt: latest)
        let sessions = Sessions(catalog, on: clock)
        #expect(sessions.restore(reading.content(), lastAlive: latest) == [])
        return (sessions, clock)
    }

    /// Expects that a replay executes each row as it was recorded.
    static func expectReplays(_ rows: [JournalRow]) {
        let replay = JournalReplay(catalog)
        for row in rows {
            let difference = replay.execute(row)
            #expect(difference == nil)
            if difference != nil { break }
        }
        #expect(replay.finish() == nil)
        #expect(replay.scan.damage.isEmpty && replay.scan.count == rows.count)
    }

    /// Expects that the restored sessions have the status that the earlier daemon wrote.
    func expectSessions(_ sessions: [Session]) throws {
        let expected = try lines("expected-sessions.jsonl")
        #expect(sessions.count == expected.count)
        for (session, members) in zip(sessions, expected) {
            var writer = JSONWriter()
            Encoder().write(session.status, .full, to: &writer)
            var text = JSONText()
            try text.read(writer.bytes[...])
            let status = text.object(at: JSONText.root)
            for member in members { #expect(status[member.name] == member.value, "\(member.name)") }
        }
    }
}
