import Durability
import GameFlow
import Glibc
import JSONCoding
import Journal
import SQLiteStore
import Sessions
import Shell
import ShippedFlows
import TestSupport
import Testing
import Timers

@testable import GamectlTool

@Suite struct ForgetReportTests {
    private let fixture = StateDirectoryFixture()
    private let playerName = "Gertrude Erasmus-Vandenberg"

    /// Opens a game in the session `main`, and plays three quizzes beside the game. The first two are in the session `guest`,
    /// with the player `playerName`; the session is closed after each. The third is in the session `other`, which stays open.
    init() throws {
        let main = try fixture.sessions.open(
            .main, fixture.sessions.flow("game"), RequestContext(from: StateDirectoryFixture.player)
        )
        for _ in 0..<2 {
            try playQuiz("guest", meanwhile: main)
            try fixture.sessions.close(
                fixture.sessions.session(SessionName("guest")!),
                RequestContext(from: StateDirectoryFixture.player))
        }
        try playQuiz("other", meanwhile: main)
    }

    private func playQuiz(_ session: String, meanwhile main: Session) throws {
        let sessions = fixture.sessions
        let quiz = try sessions.open(
            SessionName(session)!, sessions.flow("quiz"),
            RequestContext(from: StateDirectoryFixture.player))
        func send(_ event: String, _ arguments: [Member] = [], _ session: Session) throws {
            _ = try sessions.send(
                event, arguments, to: session, RequestContext(from: StateDirectoryFixture.player))
        }
        try send("start", [Member("rounds", 2)], quiz)
        try send("displayHelp", [], main)
        let player = session == "guest" ? playerName : "Bob"
        try send("buzz", [Member("player", .string(player))], quiz)
        try send("dismissHelp", [], main)
        try send("judge", [Member("correct", .bool(false))], quiz)
        _ = try sessions.advance(.by(.seconds(1)), from: StateDirectoryFixture.player)
    }

    /// All bytes of the journal's files, as a text.
    private func bytes() -> String {
        var bytes: [UInt8] = []
        for name in ["journal.db", "journal.db-wal", "journal.db-journal", "journal.mark"] {
            guard let file = fopen("\(fixture.path)/\(name)", "r") else { continue }
            defer { fclose(file) }
            var buffer = [UInt8](repeating: 0, count: 1 << 22)
            let count = fread(&buffer, 1, buffer.count, file)
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func forget(_ session: String = "guest", isDryRun: Bool = false) throws -> ForgetReport
    {
        try ForgetReport(fixture.path, session, isDryRun: isDryRun)
    }

    private func rows() throws -> [JournalRow] {
        try JournalFile(reading: "\(fixture.path)/journal.db").rows(after: 0, limit: 1000)
    }

    @Test func `all bytes of a closed session are erased`() throws {
        try fixture.write()
        #expect(bytes().contains(playerName) && bytes().contains("guest"))
        let count = fixture.rows.count { $0.session == "guest" }
        let positions = fixture.rows.filter { $0.session == "guest" }.map(\.position)
        let report = try forget()
        #expect(
            report.lines == [
                "session guest: \(count) rows, \(positions[0]) to \(positions.last!), of 2 openings: erased; "
                    + "earlier backups still contain them"
            ])
        #expect(report.json["count"] == .int(count) && report.json["erased"] == .bool(true))
        #expect(!bytes().contains(playerName) && !bytes().contains("Gertrude"))
        #expect(!bytes().contains("guest"))
        #expect(bytes().contains("Bob"))
    }

    @Test func `an erasure names the old journal that a conversion has kept`() throws {
        try fixture.write()
        let copy = "\(fixture.path)/journal.db.v2"
        fclose(fopen(copy, "w"))
        let line = try #require(try forget().lines.first)
        #expect(line.hasSuffix("erased; earlier backups and \(copy) still contain them"), "\(line)")
    }

    @Test func `an erasure also removes the session's name from the records of outputs`() throws {
        let other = try #require(SessionName("other"))
        func record(_ line: UInt64, for session: String) -> DeliveryRecord {
            DeliveryRecord(
                .init(pos: 1, line: line, occasion: 0), number: 1,
                acceptedFor: SessionName(session)!)
        }
        let otherDeliveries = [
            record(7, for: "other"),
            DeliveryRecord(.init(pos: 1, line: 7, occasion: 0), number: 1, .delivered),
        ]
        _ = fixture.sessions.recordDeliveries([record(7, for: "guest")] + otherDeliveries)
        _ = try fixture.sessions.advance(.by(.seconds(1)), from: StateDirectoryFixture.player)
        _ = fixture.sessions.recordDeliveries([record(8, for: "guest")])
        _ = try fixture.sessions.advance(.by(.seconds(1)), from: StateDirectoryFixture.player)
        try fixture.write()
        let guestRows = fixture.rows.count { $0.session == "guest" }
        let report = try forget()
        #expect(report.json["count"] == .int(guestRows), "the daemon's rows are not erased")
        #expect(!bytes().contains("guest"))
        // The report locks the journal until it is released, at the end of the block.
        do {
            let check = CheckReport(try fixture.journal(), AnyFlow.shipped(), Terminal(-1))
            #expect(check.defectCount == 0, "\(check.lines)")
        }
        let records = try rows().map { try $0.record() }
        let remainingDeliveries = records.compactMap { record -> [DeliveryRecord]? in
            if case .deliveries(let deliveries) = record.body { deliveries } else { nil }
        }
        // The second record was only about `guest`. Its row remains, without content.
        #expect(remainingDeliveries == [otherDeliveries, []])
        #expect(remainingDeliveries.first?.first?.session == other)
    }

    @Test func `after an erasure the journal is sound and can be replayed`() throws {
        try fixture.write()
        let count = fixture.rows.count { $0.session == "guest" }
        _ = try forget()
        // Each report locks the journal until it is released, at the end of its block.
        do {
            let check = CheckReport(try fixture.journal(), AnyFlow.shipped(), Terminal(-1))
            #expect(check.defectCount == 0)
            #expect(check.json["forgotten"] == .int(count))
            #expect(check.lines.contains("forgotten  \(count) rows, erased by journal forget"))
        }
        do {
            let replay = try ReplayReport(fixture.journal(), AnyFlow.shipped(), Terminal(-1))
            #expect(replay.verdict == nil)
            #expect(
                replay.lines.contains("forgotten  \(count) rows, erased and not replayed"))
        }
        let quiz = try #require(AnyFlow.shipped().first { $0.name == "quiz" })
        let report = try CounterfactualReport(
            quiz, programFlows: AnyFlow.shipped(), fixture.journal(), Terminal(-1))
        #expect(
            report.json.map { $0["session"] } == [.string("other")] && report.differingCount == 0)
    }

    @Test func `an export shows the erasure without the session's name`() throws {
        try fixture.write()
        let positions = fixture.rows.filter { $0.session == "guest" }.map(\.position)
        _ = try forget()
        let lines = try rows().map { String(decoding: ExportLine.write($0), as: UTF8.self) }
        let erased = lines.filter { $0.contains(#""kind":"forgotten","session":null"#) }
        #expect(erased.count == 1)
        #expect(
            erased[0].contains(
                #""from":\#(positions[0]),"to":\#(positions.last!),"count":\#(positions.count),"openings":2}"#
            ))
        #expect(!lines.contains { $0.contains("guest") })
    }

    @Test func `the daemon continues after an erasure`() throws {
        try fixture.sessions.close(
            fixture.sessions.session(SessionName("other")!),
            RequestContext(from: StateDirectoryFixture.player))
        try fixture.write()
        let (pos, newest) = (fixture.sessions.pos, fixture.rows.last!.position)
        // This erases the newest rows of the journal, which are rows of `other`.
        _ = try forget("other")
        _ = try forget("guest")
        var reading = JournalReading(prunedUpTo: 0, answerLimit: 100)
        for row in try rows() { reading.add(row) }
        let content = reading.content()
        #expect(content.newest.position == newest)
        let restoredSessions = Sessions(
            AnyFlow.shipped(), on: VirtualClock(startingAt: reading.latestTime))
        #expect(restoredSessions.restore(content, lastAlive: reading.latestTime) == [])
        #expect(restoredSessions.pos == pos)
        #expect(restoredSessions.list(limit: 9).sessions.map(\.name) == [.main])
        for session in restoredSessions.list(limit: 9).sessions { session.machine.end() }
        let replay = try ReplayReport(fixture.journal(), AnyFlow.shipped(), Terminal(-1))
        #expect(replay.verdict == nil)
    }

    @Test func `a dry run changes nothing`() throws {
        try fixture.write()
        let before = try rows()
        let report = try forget(isDryRun: true)
        #expect(report.lines[0].hasSuffix("would be erased"))
        #expect(report.json["erased"] == .bool(false))
        #expect(try rows() == before && bytes().contains(playerName))
    }

    @Test func `an open session, an unknown session or a journal in use is refused`() throws {
        try fixture.write()
        let before = try rows()
        for (session, why) in [
            ("other", "session other is open"), ("main", "session main is open"),
            ("nobody", "there is no session nobody in "),
        ] {
            let error = #expect(throws: CommandError.self) { try forget(session) }
            #expect(error?.status == .refused)
            #expect(error?.why.hasPrefix(why) == true)
        }
        #expect(try rows() == before)
        let (file, lock) = (try JournalFile(fixture.path), try DirectoryLock(fixture.path))
        let busy = #expect(throws: CommandError.self) { try forget() }
        #expect(busy?.why.contains("in use") == true)
        withExtendedLifetime((file, lock)) {}
    }

    @Test func `a session whose last row is damaged is refused as damaged`() throws {
        let last = fixture.rows.lastIndex { $0.session == "guest" }!
        fixture.corrupt(last, "close", "closf")
        try fixture.write()
        let error = #expect(throws: CommandError.self) { try forget() }
        #expect(error?.why.contains("its checksum is wrong") == true)
    }

    @Test func `a damaged or missing row that records an erasure is found`() throws {
        try fixture.write()
        _ = try forget()
        let rows = try rows()
        let index = try #require(rows.firstIndex { $0.kind == .forgotten })
        var damaged = rows
        let row = rows[index]
        damaged[index] = JournalRow(
            row.kind, position: row.position, session: row.session, seq: row.seq, atNs: row.atNs,
            id: row.id, body: Array(row.body.dropLast()), after: row.previous,
            checksum: row.checksum)
        for rows in [damaged, rows.filter { $0.kind != .forgotten }] {
            var scan = JournalScan()
            for row in rows { scan.add(row) }
            #expect(scan.lost > 0)
        }
    }
}
