import GameFlow
import JSON
import Journal
import Keeping
import Sessions
import TestSupport
import Testing
import Timers

@Suite struct Version1Tests {
    private let folder = Folder()

    init() throws { try Version1.copy(into: folder.path) }

    private func rows() throws -> [JournalRow] {
        var rows: [JournalRow] = []
        try JournalFile(folder.path).rows {
            rows.append($0)
            return true
        }
        return rows
    }

    @Test func `a journal of version 1 is sound, and comes about again`() throws {
        let replay = JournalReplay(Version1.flows)
        for row in try rows() {
            let difference = replay.take(row)
            #expect(difference == nil)
            if difference != nil { break }
        }
        #expect(replay.finish() == nil)
        #expect(replay.scan.damage.isEmpty && replay.scan.count == 74)
    }

    @Test func `the sessions of a journal of version 1 are restored as they were`() throws {
        var reading = JournalReading(pruned: 0, answers: 100)
        for row in try rows() { reading.take(row) }
        let sessions = Sessions(
            Version1.flows, on: VirtualClock(startingAt: reading.lastRow))
        #expect(sessions.restore(reading.written(), lastSign: reading.lastRow) == [])
        let told = sessions.list(limit: 100).sessions
        let expected = try Version1.lines("sessions.jsonl")
        #expect(told.count == expected.count)
        for (session, members) in zip(told, expected) {
            var writer = JSONWriter()
            writer.session(session)
            var text = JSONText()
            try text.read(writer.bytes[...])
            let now = text.object(at: JSONText.root)
            for member in members { #expect(now[member.name] == member.value, "\(member.name)") }
        }
        // An id that was used is answered as it was.
        let main = try sessions.session(.main)
        let pos = sessions.pos
        let again = try sessions.send(
            "completeLevel", [Member("score", 900)], to: main, id: "done-1", from: Cast.player)
        #expect(again.seq == 9 && sessions.pos == pos)
        for session in told { session.machine.end() }
    }
}
