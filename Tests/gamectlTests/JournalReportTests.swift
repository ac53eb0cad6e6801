import Durability
import GameFlow
import Glibc
import Journal
import SQLiteStore
import Sessions
import Shell
import ShippedFlows
import Testing
import Timers

@testable import gamectl

@Suite struct JournalReportTests {
    private let terminal = Terminal(-1)
    private let kept = StateDirectoryFixture()

    init() throws { try kept.play() }

    private func replay() throws -> ReplayReport { try ReplayReport(kept.journal(), terminal) }
    private func check() throws -> CheckReport { CheckReport(try kept.journal(), terminal) }

    private func whatIf(_ flow: AnyFlow) throws -> WhatIfReport {
        try WhatIfReport(flow, kept.journal(), terminal)
    }

    @Test func `a journal that comes about again is told with what was in it`() throws {
        try kept.write()
        let report = try replay()
        #expect(report.verdict == nil)
        #expect(
            report.lines == [
                "rows      10", "changes   8", "firings   1", "sessions  2", "restarts  0",
                "time      0:00:00.000 to 0:00:21.000 (0:21)", "", "all of it came about again",
            ])
        #expect(report.json["same"] == .bool(true))
        #expect(report.json["toMs"] == .int(21_000))
    }

    @Test func `the first difference is told with what was recorded and what comes of it`() throws {
        kept.spoil(2, "choosingEpisode", "help", isWhole: true)
        kept.rows[3] = JournalRow(
            restored: kept.rows[3].kind, 4, "main", kept.rows[3].seq, kept.rows[3].atNs, nil,
            kept.rows[3].body, after: kept.rows[2].mark, checksum: nil)
        try kept.write()
        let report = try replay()
        #expect(
            report.verdict
                == "row 3 does not come about as it did: the replay produces it differently")
        #expect(
            report.lines.suffix(3) == [
                "different: row 3, session main, 0:00:00.000: the replay produces it differently",
                "  then  #2 introduction → help  startPlaying  [presentEpisodeChooser]  pid 11",
                "  now   #2 introduction → choosingEpisode  startPlaying  [presentEpisodeChooser]"
                    + "  pid 11",
            ])
        let difference = try #require(report.json["difference"])
        #expect(difference.find("position") == .int(3))
        #expect(difference.find("members") == .array([.string("to.state")]))
        #expect(difference.find("recorded")?.find("body")?.find("flow") == .string("game"))
    }

    @Test func `where both read the same, the members that differ are named`() throws {
        kept.spoil(2, #""totalNs":"60000000000""#, #""totalNs":"61000000000""#, isWhole: true)
        try kept.write()
        let report = try replay()
        #expect(report.lines.last == "  member  timers[0].totalNs: 1m1s, now 1m")
    }

    @Test func `a row that was changed or lost is found by both`()
        throws
    {
        kept.spoil(2, "choosingEpisode", "choosingEpisodf")
        try kept.write()
        do { #expect(try replay().verdict == "row 3 is damaged: its checksum is wrong") }
        let report = try check()
        #expect(report.findings == 1)
        #expect(
            report.lines.last == "damaged: row 3, session main: its checksum is wrong")
        #expect(report.json["sound"] == .bool(false))
        guard case .array(let damage)? = report.json["damage"] else {
            Issue.record("no damage")
            return
        }
        #expect(damage.map { $0.find("position") } == [.int(3)])
        let other = StateDirectoryFixture()
        try other.play()
        other.rows.remove(at: 3)
        try other.write()
        do { #expect(CheckReport(try other.journal(), terminal).findings == 1) }
        #expect(try ReplayReport(other.journal(), terminal).verdict?.hasPrefix("row 5 ") == true)
    }

    @Test func `a sound journal is counted`() throws {
        try kept.write()
        let report = try check()
        #expect(report.findings == 0)
        #expect(
            report.lines.filter { !$0.hasPrefix("bytes") } == [
                "rows      10", "sessions  1 open, 1 closed, 0 quarantined",
                "time      0:00:00.000 to 0:00:21.000 (0:21)", "clock     virtual",
                "instance  f00d", "", "sound",
            ])
        #expect(report.json["open"] == .int(1))
        #expect(report.json["clock"] == .string("virtual"))
    }

    @Test func `a journal that is shorter than its mark says is found`() throws {
        try kept.write()
        HighWaterMarkFile(kept.path)?.write(HighWaterMark(position: 12, atNs: 30_000_000_000))
        let report = try check()
        #expect(report.findings == 1)
        #expect(
            report.lines.last
                == "damaged: it ends at row 10, and had got to row 12 at least: what came behind "
                + "is lost")
    }

    @Test func `a session that the flows do not know any more is found`() throws {
        kept.spoil(9, "playingLevel", "playedLevel", isWhole: true)
        try kept.write()
        let report = try check()
        #expect(
            report.lines.last
                == "quarantined: session main: the flow has no state playedLevel")
        #expect(report.lines[1] == "sessions  0 open, 1 closed, 1 quarantined")
    }

    @Test func `looking leaves no trace, and a second one is told that it is in use`() throws {
        try kept.write()
        func files() -> [String] {
            ["journal.db", "journal.db-wal", "journal.db-shm", "journal.mark"].filter {
                access("\(kept.path)/\($0)", F_OK) == 0
            }
        }
        let before = files()
        _ = try check()
        _ = try replay()
        #expect(files() == before)
        let file = try JournalFile(kept.path)
        let error = #expect(throws: Failure.self) { try kept.journal() }
        #expect(error?.status == .refused)
        #expect(error?.message.contains("another gamed or gamectl is using it") == true)
        #expect(try file.head() == 10)
    }

    @Test func `a flow as it is makes no difference, another one does`() throws {
        try kept.write()
        for name in ["game", "quiz"] {
            let flow = try #require(AnyFlow.shipped().first { $0.name == name })
            let report = try whatIf(flow)
            #expect(report.differing == 0)
            #expect(
                report.lines.last == "nothing would have gone differently; 1 session")
            #expect(report.json.map { $0["same"] } == [.bool(true)])
        }
        let quiz = try #require(AnyFlow.shipped().first { $0.name == "quiz" })
        #expect(try whatIf(quiz).lines.first == "q: the same, 4 changes")
        let startup = try #require(AnyFlow.shipped().first { $0.name == "startup" })
        let report = try whatIf(startup)
        #expect(report.lines.first == "nobody played startup: all are tried")
        #expect(
            report.lines[1...5] == [
                "main: differs after 0 changes, at 0:00:00.000: it goes otherwise",
                "  then  #1 opened → introduction  pid 11", "  now   #1 opened → launching  pid 11",
                "  ends  playingLevel episode=2 level=1",
                "  now   error message=\"launch timed out\"",
            ])
        #expect(report.verdict == "2 of 2 sessions would have gone differently")
        #expect(
            report.json[0]["endThen"]?.find("state") == .string("playingLevel"))
    }
}
