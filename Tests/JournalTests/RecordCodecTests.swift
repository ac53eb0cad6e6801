import GameFlow
import Journal
import Sessions
import ShippedFlows
import TestSupport
import Testing
import Timers

/// Encodes records as bodies of rows, and decodes them.
@Suite struct RecordCodecTests {
    private func row(_ record: SessionRecord) -> JournalRow {
        JournalRow(record, at: record.position ?? 1, after: .start)
    }

    /// The row with another body, and a correct checksum.
    private func row(_ row: JournalRow, _ body: [UInt8]) -> JournalRow {
        JournalRow(
            row.kind, position: row.position, session: row.session, seq: row.seq, atNs: row.atNs,
            id: row.id, body: body, after: row.previous)
    }

    private func why(_ row: JournalRow) -> String? {
        do throws(UnreadableRowError) {
            _ = try row.record()
            return nil
        } catch { return error.why }
    }

    @Test(arguments: seeds(500, long: 10_000))
    func `a random record is unchanged after writing and reading`(_ seed: UInt64) throws {
        var maker = RecordMaker(seed)
        let record = maker.record()
        let row = row(record)
        #expect(try row.record() == record, "seed \(seed)")
        // The encoding is canonical: the decoded record has the same bytes.
        #expect(try self.row(row.record()).body == row.body, "seed \(seed)")
    }

    @Test(arguments: seeds(100, long: 1000))
    func `a damaged body never traps the reader, and yields a reason`(_ seed: UInt64) {
        var (maker, random) = (RecordMaker(seed), SeededRandom(seed))
        let whole = row(maker.record())
        for length in 0..<min(whole.body.count, 300) {
            let why = why(row(whole, Array(whole.body[..<length])))
            #expect(why?.isEmpty == false, "seed \(seed), cut after \(length)")
        }
        for _ in 0..<200 {
            var body = whole.body
            for _ in 0...random.below(3) {
                body[random.below(body.count)] = UInt8(truncatingIfNeeded: random.next())
            }
            if let why = why(row(whole, body)) { #expect(!why.isEmpty) }
            body.insert(UInt8(truncatingIfNeeded: random.next()), at: random.below(body.count))
            _ = why(row(whole, body))
        }
    }

    @Test func `a body of a later version or with wrong fields is an error that says why`() throws {
        var maker = RecordMaker(1)
        var record = maker.record()
        while record.kind != .refusal { record = maker.record() }
        let whole = row(record)
        // A body begins with the number of its format, which is 3, and its kind. A numeric field begins with twice its field number:
        // - 0x7E stands for field 63, which does not exist.
        // - 0x0E stands for field 7, `entry`.
        // - 0x02 stands for field 1, `pos`.
        #expect(
            why(row(whole, [4] + whole.body.dropFirst())) == "its body has an unknown version (4)")
        #expect(why(row(whole, [3, 77])) == "a row of kind 77 has an unknown version")
        #expect(why(row(whole, whole.body + [0x7E, 0])) == "field 63 has an unknown version")
        #expect(
            why(row(whole, whole.body + [0x0E, 1])) == "entry: not allowed in this kind of row")
        #expect(why(row(whole, whole.body + [0x02, 1])) == "pos occurs twice")
        #expect(why(row(whole, [])) == "its body is truncated")
        let otherKind = JournalRow(
            .rest, position: 1, session: "main", seq: 1, atNs: 0, body: whole.body, after: .start)
        #expect(why(otherKind) == "its kind differs from the kind in its body")
    }

    /// A record of a change that has everything that only the third format has.
    private func richRecord() -> SessionRecord {
        let message = ScreenMessage(text: "hint", seq: 4, until: nil, scope: .state)
        let step = Step(
            .enter, nil, from: .timer, StateRecord("lobby"), StateRecord("playing"))
        let change = Change(
            .main, seq: 4, pos: 7, entry: 7, previous: 0, at: Instant(nanoseconds: 5), step,
            message: .shown(message), view: nil)
        let status = SessionRecord.Status(
            change, flow: "vault", openedAt: .zero, entry: 7, enteredAt: Instant(nanoseconds: 5),
            notes: SessionNotes(
                labels: [Member("team", "Owls")], message: message,
                opening: SessionNotes.Opening(
                    labels: [Member("team", "Owls"), Member("title", "The Vault")],
                    settings: [Member("time", "45m")])),
            machine: MachineRecord(
                place: StateRecord("playing"),
                timers: [
                    TimerRecord(
                        fires: "late", total: .seconds(9),
                        state: .running(until: Instant(nanoseconds: 90)), order: 1),
                    TimerRecord(
                        fires: "soon", total: .seconds(8),
                        state: .running(until: Instant(nanoseconds: 80)), order: 2),
                    TimerRecord(
                        fires: "paused", total: .seconds(7),
                        state: .paused(remaining: .zero), order: 0),
                ], waiting: []))
        return SessionRecord(status, position: 1)
    }

    @Test
    func `a session's row begins with its state, number, entry, next deadline and timers' order`()
        throws
    {
        let row = row(richRecord())
        #expect(
            try row.front()
                == RowFront(
                    state: "playing", seq: 4, enteredAt: Instant(nanoseconds: 5),
                    deadline: Instant(nanoseconds: 80), order: 2))
        // The number of the format, the kind, and the length of the front, which begins with the state's name.
        #expect(row.body.starts(with: [3, 1, 13, 14] + Array("playing".utf8)))
        let older = JournalRow(richRecord(), at: 1, after: .start, in: .second)
        #expect(try older.front() == nil)
    }

    @Test func `a reader skips the fields that a later version may have added`() throws {
        let whole = row(richRecord())
        // Field 1000 with a number, field 1001 with a content, and a longer front.
        let number: [UInt8] = [0xD0, 0x0F, 5]
        let content: [UInt8] = [0xD3, 0x0F, 2, 0xFF, 0xFF]
        #expect(try row(whole, whole.body + number + content).record() == richRecord())
        var body = whole.body
        body[2] += 2
        body.insert(contentsOf: [9, 9], at: 3 + Int(whole.body[2]))
        #expect(try row(whole, body).record() == richRecord())
        #expect(why(row(whole, whole.body + [0xD3, 0x0F, 9])) == "its body is truncated")
    }

    @Test func `the second format has none of what only the third has`() throws {
        let older = JournalRow(richRecord(), at: 1, after: .start, in: .second)
        let record = try older.record()
        let status = try #require(record.status)
        #expect(older.body.first == 2)
        #expect(status.enteredAt == nil)
        #expect(record.change?.message == nil)
        let notes = try #require(status.notes)
        #expect(notes.labels == [Member("team", "Owls")])
        #expect(notes.opening == nil)
        // A message counts as the operator's.
        #expect(notes.message == .init(text: "hint", seq: 4, until: nil))
        #expect(
            why(row(older, older.body + [0xD0, 0x0F, 5])) == "field 1000 has an unknown version")
    }

    @Test func `the second format has outcomes of outputs without alerts and acknowledgements`()
        throws
    {
        let keys = (1...2).map { DeliveryRecord.Key(pos: $0, line: 7, occasion: 0) }
        let alert = DeliveryRecord.Alert(
            id: "i:main:1:1", target: "door", text: "OPEN was not sent", session: .main)
        let record = SessionRecord(
            .deliveries([
                DeliveryRecord(keys[0], number: 1, givenUpWith: alert),
                DeliveryRecord(keys[1], number: 1, .acknowledged),
            ]), session: nil, seq: 0, at: .zero, pos: 2)
        #expect(try row(record).record().body == record.body)
        let older = try JournalRow(record, at: 1, after: .start, in: .second).record()
        #expect(older.body == .deliveries([DeliveryRecord(keys[0], number: 1, .givenUp)]))
    }

    @Test func `a kind of source that has no number is written by name`() throws {
        func record(_ kind: String) -> SessionRecord {
            SessionRecord(
                .quarantineGivenUp(why: "x", source: Source(Source.Kind(kind))),
                session: .main, seq: 1, at: .zero, pos: 1, position: 1)
        }
        // The content of the field `source`: 0 because the kind has no number, twice the length of the kind's name, the name,
        // and 0 because the source has no peer.
        let named: [UInt8] = [0, 8] + Array("lamp".utf8) + [0]
        let whole = row(record("lamp"))
        #expect(try whole.record() == record("lamp"))
        let index = try #require(whole.body.firstRange(of: named))
        #expect(row(record("evdev")).body.contains([6, 0]))
        // The byte before `named` is the length of the field `source`.
        var body = whole.body
        body.replaceSubrange(index, with: [8, 0])
        body[index.lowerBound - 1] = 2
        #expect(why(row(whole, body)) == "source 8 has an unknown version")
        body = whole.body
        body[index.lowerBound + 1] = 98
        #expect(why(row(whole, body))?.isEmpty == false)
        body = whole.body
        body[index.lowerBound + 2] = 0xFF
        #expect(why(row(whole, body))?.isEmpty == false)
    }

    @Test func `a body with huge lengths or deep nesting is an error`() {
        // The second format, and the kind of a change. A field follows. It begins with twice the field's number plus 1, and its length:
        // 0x11 stands for field 8, `timers`, 0x05 for field 2, `flow`, and 0x1B for field 13, `settings`.
        let change: [UInt8] = [2, 1]
        let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
        let empty = JournalRow(position: 1, session: "a", seq: 1, atNs: 0, body: [], after: .start)
        #expect(why(row(empty, change + [0x11] + huge)) == "its body is truncated")
        #expect(why(row(empty, change + [0x05] + huge)) == "its body is truncated")
        // An object with 5000 nested arrays.
        let nestedStart: [UInt8] = [1, 2, 0x61]
        let nested = nestedStart + Array(repeatElement([UInt8(5), 1], count: 5000).joined()) + [0]
        let length = [UInt8(nested.count & 0x7F | 0x80), UInt8(nested.count >> 7)]
        #expect(why(row(empty, change + [0x1B] + length + nested)) == "it is nested too deep")
    }

    @Test func `the bodies of rows of the flow game have less than 200 bytes`() throws {
        let time = VirtualClock(startingAt: Instant(nanoseconds: 1_800_000_000_123_456_789))
        let sessions = Sessions([AnyFlow(Game())], on: time)
        var rows: [JournalRow] = []
        sessions.recorder = { record, previous in
            let row = JournalRow(record, at: rows.count + 1, after: previous)
            rows.append(row)
            return row.journalPosition
        }
        let client = Source(
            Source.Kind("unix"), peer: .process(pid: 1_234_567, uid: 1000, gid: 1000))
        let main = try sessions.open(.main, sessions.flow("game"), RequestContext(from: client))
        let events: [(String, [Member])] = [
            ("startPlaying", []), ("chooseEpisode", [Member("episode", 2)]),
            ("chooseLevel", [Member("level", 3)]), ("pause", []), ("resume", []),
            ("completeLevel", [Member("score", 123_456)]),
        ]
        for (number, (event, arguments)) in events.enumerated() {
            time.advance(by: .milliseconds(1234))
            _ = try sessions.send(
                event, arguments, to: main, RequestContext(from: client, id: "phone-7-\(number)"))
        }
        #expect(rows.count == 7)
        #expect(try rows[3].record().status?.machine?.timers.count == 2)
        for row in rows {
            #expect(row.body.count < 200, "row \(row.position) takes \(row.body.count) bytes")
        }
        main.machine.end()
    }
}
