import Durability
import GameFlow
import Journal
import JournalTestSupport
import Sessions
import ShippedFlows
import TestSupport
import Testing
import Timers

/// Rows with correct checksums and impossible numbers, as in a damaged or forged journal.
@Suite struct HostileRowTests {
    private static let extremes: [Int64] = [
        .min, .min + 1, -1_000_000_000, -1, 0, 1, 1 << 31, 1 << 53, (1 << 53) + 1,
        Instant.last.nanoseconds, Instant.last.nanoseconds + 1, .max - 1, .max,
    ]

    /// Reads the rows with all readers of journals: restore, replay and counterfactual replay. `pruned` is the position up to
    /// which rows were removed.
    private func readWithAllReaders(_ rows: [JournalRow], prunedUpTo pruned: Int = 0) -> [Sessions
        .QuarantineError]
    {
        var reading = JournalReading(prunedUpTo: pruned, answerLimit: 100)
        for row in rows { reading.add(row) }
        let quarantined = continueSessions(from: reading)
        let replay = JournalReplay(AnyFlow.shipped(), prunedUpTo: pruned)
        var difference: JournalReplay.Difference?
        for row in rows where difference == nil { difference = replay.execute(row) }
        if difference == nil { _ = replay.finish() }
        for flow in AnyFlow.shipped().prefix(2) {
            let replay = CounterfactualReplay(
                flow, programFlows: AnyFlow.shipped(), replaysAllSessions: false, prunedUpTo: pruned
            )
            for row in rows { replay.execute(row) }
            replay.finish()
        }
        return quarantined
    }

    /// Restores the sessions, and uses their histories and timers.
    private func continueSessions(from reading: JournalReading) -> [Sessions.QuarantineError] {
        let content = reading.content()
        let time = VirtualClock(startingAt: reading.latestTime)
        let sessions = Sessions(AnyFlow.shipped(), on: time)
        let quarantined = sessions.restore(content, lastAlive: reading.latestTime)
        var newestPosition = content.newest.position
        sessions.recorder = { record, previous in
            newestPosition += 1
            return JournalRow(record, at: newestPosition, after: previous).journalPosition
        }
        sessions.recordStart([], lastAlive: reading.latestTime)
        for session in sessions.list(limit: 100).sessions {
            _ = sessions.history(of: session, limit: 10)
            for timer in session.machine.liveTimers {
                _ = try? sessions.operate(
                    TimerOperation(timer.fires, .pause, by: nil), on: session,
                    RequestContext(from: Players.player))
                _ = try? sessions.operate(
                    TimerOperation(timer.fires, .resume, by: nil), on: session,
                    RequestContext(from: Players.player))
            }
        }
        _ = try? sessions.advance(.by(.seconds(2)))
        for session in sessions.list(limit: 100).sessions { session.machine.end() }
        return quarantined
    }

    private func randomRows(_ seed: UInt64) throws -> [JournalRow] {
        var random = SeededRandom(seed)
        let fixture = RestartFixture()
        let names = ["a", "b", "c"].map { SessionName($0)! }
        for _ in 0..<30 { try fixture.step(&random, random.pick(names)) }
        return fixture.rows
    }

    private enum RowField: Int, CaseIterable {
        case position, seq, instant, id, previous
    }

    /// The row with one number replaced, and a correct checksum. `field` is the index of the number that is replaced. First
    /// come the cases of `RowField`, which are fields of the row itself. Then come the members of the row's body, in the order
    /// of `memberPrefixes`.
    private func changed(_ row: JournalRow, field: Int, to number: Int64) -> JournalRow {
        var (position, seq, at, id, previous) =
            (row.position, row.seq, row.atNs, row.id, row.previous)
        var body = row.body
        switch RowField(rawValue: field) {
        case .position: position = Int(number)
        case .seq: seq = Int(number)
        case .instant: at = number
        case .id: id = JournalRow.RequestID(id?.text ?? "x", number: Int(number))
        case .previous:
            previous = JournalPosition(position: Int(number), checksum: previous.checksum)
        case nil: body = Self.body(row, field - RowField.allCases.count, number)
        }
        return JournalRow(
            row.kind, position: position, session: row.session, seq: seq, atNs: at, id: id,
            body: body, after: previous)
    }

    /// The numeric members of a body, as the text before their numbers. `lastSignNs` is the instant at which the daemon is last
    /// known to have run.
    private static let memberPrefixes = [
        #""openedNs":""#, #""pos":"#, #""nowNs":""#, #""lastSignNs":""#, #""untilNs":""#,
        #""leftNs":""#, #""totalNs":""#, #""lastNs":""#, #""lastPos":"#, #""missed":"#, #""ids":"#,
        #""byMs":"#, #""orders":["#, #""pid":"#, #""level":"#, #""round":"#, #""score":"#,
    ]
    private static let fieldCount = RowField.allCases.count + memberPrefixes.count

    /// The body with the number of one member replaced; `member` is an index of `memberPrefixes`.
    private static func body(_ row: JournalRow, _ member: Int, _ number: Int64) -> [UInt8] {
        guard row.json.contains(memberPrefixes[member]) else { return row.body }
        return row.body { text in
            guard let found = text.firstRange(of: memberPrefixes[member]) else { return text }
            let textAfter = text[found.upperBound...].drop { $0 == "-" || $0.isNumber }
            return String(text[..<found.upperBound]) + "\(number)" + textAfter
        }
    }

    /// Changes rows, and chains each row to the changed previous row of its session, so that no checksum reveals the change.
    /// `change` receives the index of a row and the row.
    private func rechained(_ rows: [JournalRow], _ change: (Int, JournalRow) -> JournalRow)
        -> [JournalRow]
    {
        var newest: [String: JournalPosition] = [:]
        return rows.enumerated().map { index, row in
            let before = row.previous == .start ? .start : newest[row.session] ?? .start
            let chained = JournalRow(
                row.kind, position: row.position, session: row.session, seq: row.seq,
                atNs: row.atNs, id: row.id, body: row.body, after: before)
            let changedRow = change(index, chained)
            newest[row.session] = changedRow.journalPosition
            return changedRow
        }
    }

    @Test(arguments: seeds(1, long: 5))
    func `an impossible number in any one field of the newest rows does not trap a reader`(
        _ seed: UInt64
    ) throws {
        let rows = try randomRows(seed)
        for number in Self.extremes {
            for field in 0..<Self.fieldCount {
                let hostile = rechained(rows) { index, row in
                    index >= rows.count - 4 ? changed(row, field: field, to: number) : row
                }
                // If no row has the member, the rows are unchanged.
                if hostile != rows { _ = readWithAllReaders(hostile) }
            }
        }
    }

    @Test(arguments: seeds(10, long: 60))
    func `impossible numbers in random fields of rows do not trap a reader`(_ seed: UInt64)
        throws
    {
        var random = SeededRandom(seed)
        // The rows come from one of ten journals. The changed fields differ with each seed.
        let hostile = rechained(try randomRows(seed % 10)) { _, row in
            guard random.below(8) == 0 else { return row }
            let field = random.below(Self.fieldCount)
            return changed(row, field: field, to: random.pick(Self.extremes))
        }
        _ = readWithAllReaders(hostile, prunedUpTo: Int(random.pick(Self.extremes)))
    }

    @Test(arguments: [-1, Instant.last.nanoseconds + 1, .max, .min])
    func `a session whose row has an impossible instant is quarantined`(_ at: Int64)
        throws
    {
        let fixture = RestartFixture()
        try fixture.open("a")
        let hostile = rechained(fixture.rows) { _, row in
            row.session == "a" ? changed(row, field: RowField.instant.rawValue, to: at) : row
        }
        // Row 1 records the daemon's start.
        let why = "row 2: its numbers are out of range"
        #expect(readWithAllReaders(hostile) == [.init(session: SessionName("a")!, why: why)])
    }

    @Test func `a session whose row has an impossible position is quarantined`() throws {
        let fixture = RestartFixture()
        try fixture.open("a")
        let hostile = rechained(fixture.rows) { index, row in
            index == fixture.rows.count - 1
                ? changed(row, field: RowField.position.rawValue, to: .max) : row
        }
        #expect(readWithAllReaders(hostile).map(\.session.text) == ["a"])
    }

    @Test func `a journal that was pruned up to an impossible position does not trap a reader`()
        throws
    {
        let fixture = RestartFixture()
        try fixture.open("a")
        for pruned in Self.extremes {
            _ = readWithAllReaders(fixture.rows, prunedUpTo: Int(pruned))
        }
    }
}
