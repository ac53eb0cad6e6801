import Durability
import GameFlow
import Journal
import Sessions
import ShippedFlows
import TestSupport
import Testing
import Timers

/// Compares what `JournalReading` returns with the rows that it has read.
@Suite struct JournalReadingTests {
    /// Rows of sessions that are opened and closed at random, with refusals and request ids.
    private func randomRows(_ seed: UInt64) throws -> [JournalRow] {
        var random = SeededRandom(seed)
        let time = VirtualClock()
        let sessions = Sessions(AnyFlow.shipped(), on: time)
        var rows: [JournalRow] = []
        sessions.recorder = { record, previous in
            rows.append(JournalRow(record, at: rows.count + 1, after: previous))
            return rows[rows.count - 1].journalPosition
        }
        sessions.auditsRefusals = true
        sessions.recordStart([], lastAlive: .zero)
        let game = try sessions.flow("game")
        for number in 0..<600 {
            let name = try #require(SessionName("room-\(random.below(20))"))
            let id =
                random.below(3) == 0
                ? "id-\(number)-" + String(repeating: "x", count: random.below(60)) : nil
            let context = RequestContext(from: Players.player, id: id)
            guard let session = try? sessions.session(name) else {
                _ = try sessions.open(name, game, context)
                continue
            }
            switch random.below(12) {
            case 0: try sessions.close(session, context)
            case 1:
                _ = try? sessions.goto(
                    "playingLevel", [Member("episode", 1), Member("level", 2)], session, context)
            default:
                _ = try? sessions.send(random.pick(game.events).name, to: session, context)
            }
            sessions.rowsBecameDurable(upTo: sessions.newestRow)
        }
        sessions.recorder = nil
        for session in sessions.list(limit: 100).sessions { session.machine.end() }
        return rows
    }

    @Test(arguments: seeds(5, long: 200))
    func `the newest state of each session is read unchanged, in the order of the newest rows`(
        _ seed: UInt64
    ) throws {
        let rows = try randomRows(seed)
        for count in [rows.count / 3, rows.count] {
            var reading = JournalReading(prunedUpTo: 0, answerLimit: 100)
            var newestRows: [String: JournalRow] = [:]
            var newestPositions: [String: JournalPosition] = [:]
            for row in rows.prefix(count) {
                reading.add(row)
                guard !row.session.isEmpty else { continue }
                newestPositions[row.session] = row.journalPosition
                // The row of a refusal does not contain the session's state.
                if row.kind != .refusal || newestRows[row.session] == nil {
                    newestRows[row.session] = row
                }
            }
            let expected = try newestPositions.sorted { $0.value.position < $1.value.position }
                .map { try #require(newestRows[$0.key]).record() }
            var found: [SessionRecord] = []
            let content = reading.content()
            #expect(content.sessions.count == expected.count)
            content.sessions.forEach { record, checkpoint in
                found.append(copy record)
                #expect(checkpoint.newestRow == newestPositions[record.session?.text ?? ""])
            } unreadable: {
                Issue.record("\($0)")
            }
            #expect(found == expected, "seed \(seed)")
        }
    }

    @Test func `many sessions can be found by name and are listed in the order of their names`()
        throws
    {
        var random = SeededRandom(7)
        let letters = Array("AZaz09._-")
        var names: Set<String> = []
        while names.count < 3000 {
            // Names of many lengths. The index of sessions first compares the first sixteen bytes of two names. About a third
            // of the names begin with the same sixteen bytes.
            let start = random.below(3) == 0 ? "the-same-beginning" : ""
            let length = 1 + random.below(20)
            names.insert(start + String((0..<length).map { _ in letters[random.below(9)] }))
        }
        let time = VirtualClock()
        let sessions = Sessions(AnyFlow.shipped(), on: time)
        var reading = JournalReading(prunedUpTo: 0, answerLimit: 100)
        var count = 0
        sessions.recorder = { record, previous in
            count += 1
            let row = JournalRow(record, at: count, after: previous)
            reading.add(row)
            return row.journalPosition
        }
        for name in names.sorted().shuffled(using: &random) {
            let sessionName = try #require(SessionName(name))
            _ = try sessions.open(
                sessionName, sessions.flow("game"), RequestContext(from: Players.player))
        }
        sessions.recorder = nil
        let restored = Sessions(AnyFlow.shipped(), on: VirtualClock())
        #expect(restored.restore(reading.content(), lastAlive: .zero) == [])
        #expect(restored.list(limit: 5000).sessions.map(\.name.text) == names.sorted())
        for name in names { _ = try restored.session(#require(SessionName(name))) }
        // The order is also correct after some sessions were closed and new ones were opened.
        for name in names.sorted() where random.below(2) == 0 {
            let session = try restored.session(#require(SessionName(name)))
            try restored.close(session, RequestContext(from: Players.player))
            names.remove(name)
        }
        for number in 0..<2000 where names.insert("new-\(number)").inserted {
            let name = try #require(SessionName("new-\(number)"))
            _ = try restored.open(name, restored.flow("game"), RequestContext(from: Players.player))
        }
        #expect(restored.list(limit: 9000).sessions.map(\.name.text) == names.sorted())
        for openSessions in [sessions, restored] {
            for session in openSessions.list(limit: 9000).sessions { session.machine.end() }
            #expect(openSessions.clock.timerQueue.count == 0)
        }
    }
}
