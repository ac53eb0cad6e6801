import Durability
import GameFlow
import Glibc
import Journal
import SQLiteStore
import Sessions
import Shell
import ShippedFlows
import TestSupport
import Testing
import Timers

@testable import GamectlTool

@Suite struct JournalReportTests {
    /// No terminal, so the reports have no colours.
    private let terminal = Terminal(-1)
    private let fixture = StateDirectoryFixture()

    init() throws { try fixture.play() }

    private func replay() throws -> ReplayReport {
        try ReplayReport(fixture.journal(), AnyFlow.shipped(), terminal)
    }
    private func check() throws -> CheckReport {
        CheckReport(try fixture.journal(), AnyFlow.shipped(), terminal)
    }

    private func counterfactual(_ flow: AnyFlow) throws -> CounterfactualReport {
        try CounterfactualReport(
            flow, programFlows: AnyFlow.shipped(), fixture.journal(), terminal)
    }

    @Test func `a matching replay reports counts`() throws {
        try fixture.write()
        let report = try replay()
        #expect(report.verdict == nil)
        #expect(
            report.lines == [
                "rows      10", "changes   8", "firings   1", "sessions  2", "restarts  0",
                "time      0:00:00.000 to 0:00:21.000 (0:21)", "", "the replay matches the journal",
            ])
        #expect(report.json["same"] == .bool(true))
        #expect(report.json["toMs"] == .int(21_000))
    }

    @Test func `the first difference of a replay shows the recorded and the new record`() throws {
        // Row 3 gets another content and a valid checksum. Row 4 is chained to row 3, so row 4 gets a new checksum, too.
        fixture.corrupt(2, "choosingEpisode", "help", withValidChecksum: true)
        fixture.rows[3] = JournalRow(
            fixture.rows[3].kind, position: 4, session: "main", seq: fixture.rows[3].seq,
            atNs: fixture.rows[3].atNs, body: fixture.rows[3].body,
            after: fixture.rows[2].journalPosition)
        try fixture.write()
        let report = try replay()
        #expect(
            report.verdict
                == "row 3: the replay differs: the replay produces a different record")
        #expect(
            report.lines.suffix(3) == [
                "different: row 3, session main, 0:00:00.000: the replay produces a different record",
                "  then  #2 introduction → help  startPlaying  [presentEpisodeChooser]  pid 11",
                "  now   #2 introduction → choosingEpisode  startPlaying  [presentEpisodeChooser]"
                    + "  pid 11",
            ])
        let difference = try #require(report.json["difference"])
        #expect(difference.find("position") == .int(3))
        #expect(difference.find("members") == .array([.string("to.state")]))
        #expect(difference.find("recorded")?.find("body")?.find("flow") == .string("game"))
    }

    @Test
    func `if two different records print as the same text, the members that differ are shown`()
        throws
    {
        fixture.corrupt(
            2, #""totalNs":"60000000000""#, #""totalNs":"61000000000""#, withValidChecksum: true)
        try fixture.write()
        let report = try replay()
        #expect(report.lines.last == "  member  timers[0].totalNs: 1m1s, now 1m")
    }

    @Test func `a changed or lost row is found by check and replay`()
        throws
    {
        fixture.corrupt(2, "choosingEpisode", "choosingEpisodf")
        try fixture.write()
        // A report locks the journal until it is released, at the end of the block.
        do { #expect(try replay().verdict == "row 3 is damaged: its checksum is wrong") }
        let report = try check()
        #expect(report.defectCount == 1)
        #expect(
            report.lines.last == "damaged: row 3, session main: its checksum is wrong")
        #expect(report.json["sound"] == .bool(false))
        guard case .array(let damage)? = report.json["damage"] else {
            Issue.record("no damage")
            return
        }
        #expect(damage.map { $0.find("position") } == [.int(3)])
        let fixtureWithLostRow = StateDirectoryFixture()
        try fixtureWithLostRow.play()
        fixtureWithLostRow.rows.remove(at: 3)
        try fixtureWithLostRow.write()
        do {
            let check = CheckReport(
                try fixtureWithLostRow.journal(), AnyFlow.shipped(), terminal)
            #expect(check.defectCount == 1)
        }
        #expect(
            try ReplayReport(fixtureWithLostRow.journal(), AnyFlow.shipped(), terminal)
                .verdict?.hasPrefix("row 5") == true)
    }

    @Test func `a sound journal is reported with counts`() throws {
        try fixture.write()
        let report = try check()
        #expect(report.defectCount == 0)
        #expect(
            report.lines.filter { !$0.hasPrefix("bytes") } == [
                "rows      10", "sessions  1 open, 1 closed, 0 quarantined",
                "time      0:00:00.000 to 0:00:21.000 (0:21)", "clock     virtual",
                "instance  f00d", "", "sound",
            ])
        #expect(report.json["open"] == .int(1))
        #expect(report.json["clock"] == .string("virtual"))
    }

    @Test func `a journal shorter than its high-water mark is found`() throws {
        try fixture.write()
        HighWaterMarkFile(fixture.path)?.write(HighWaterMark(position: 12, atNs: 30_000_000_000))
        let report = try check()
        #expect(report.defectCount == 1)
        #expect(
            report.lines.last
                == "damaged: the journal ends at row 10, but had at least 12 rows: the last ones "
                + "are lost")
    }

    @Test func `a session with an unknown state is found`() throws {
        fixture.corrupt(9, "playingLevel", "playedLevel", withValidChecksum: true)
        try fixture.write()
        let report = try check()
        #expect(
            report.lines.last
                == "quarantined: session main: the flow has no state playedLevel")
        #expect(report.lines[1] == "sessions  0 open, 1 closed, 1 quarantined")
    }

    @Test func `reading leaves no files, and a locked journal is refused`() throws {
        try fixture.write()
        func files() -> [String] {
            ["journal.db", "journal.db-wal", "journal.db-shm", "journal.mark"].filter {
                access("\(fixture.path)/\($0)", F_OK) == 0
            }
        }
        let before = files()
        _ = try check()
        _ = try replay()
        #expect(files() == before)
        let file = try JournalFile(fixture.path)
        let error = #expect(throws: CommandError.self) { try fixture.journal() }
        #expect(error?.status == .refused)
        #expect(error?.why.contains("another gamed or gamectl is using it") == true)
        #expect(try file.newestPosition() == 10)
    }

    @Test
    func `a replay with the recorded flow shows no difference, a replay with another flow does`()
        throws
    {
        try fixture.write()
        for name in ["game", "quiz"] {
            let flow = try #require(AnyFlow.shipped().first { $0.name == name })
            let report = try counterfactual(flow)
            #expect(report.differingCount == 0)
            #expect(
                report.lines.last == "no difference in 1 session")
            #expect(report.json.map { $0["same"] } == [.bool(true)])
        }
        let quiz = try #require(AnyFlow.shipped().first { $0.name == "quiz" })
        #expect(try counterfactual(quiz).lines.first == "q: the same, 4 changes")
        let startup = try #require(AnyFlow.shipped().first { $0.name == "startup" })
        let report = try counterfactual(startup)
        #expect(report.lines.first == "no session has the flow startup: all are tried")
        #expect(
            report.lines[1...5] == [
                "main: differs after 0 changes, at 0:00:00.000: a change differs",
                "  then  #1 opened → introduction  pid 11", "  now   #1 opened → launching  pid 11",
                "  recorded end        playingLevel episode=2 level=1",
                "  end with this flow  error message=\"launch timed out\"",
            ])
        #expect(report.verdict == "2 of 2 sessions would have differed")
        #expect(
            report.json[0]["endThen"]?.find("state") == .string("playingLevel"))
    }

    @Test func `a session whose opening was removed is not counted, whether it differs or not`()
        throws
    {
        try fixture.write()
        // The opening of the session and its first change.
        try JournalFile(fixture.path).prune([2, 3])
        let quiz = try #require(AnyFlow.shipped().first { $0.name == "quiz" })
        #expect(try counterfactual(quiz).json.map { $0["fromOpening"] } == [.bool(true)])
        let game = try #require(AnyFlow.shipped().first { $0.name == "game" })
        let report = try counterfactual(game)
        #expect(report.differingCount == 0)
        #expect(
            report.lines == [
                "main (without its opening): the same, 1 change",
                "not counted: 1 session whose opening was removed from the journal",
                "no difference in 0 sessions",
            ])
        #expect(report.json.map { $0["fromOpening"] } == [.bool(false)])
    }

    @Test func `the number of a change is an ordinal`() {
        let ordinals = [2, 3, 4, 11, 12, 13, 20, 21, 22, 23, 101, 111, 112]
            .map(CounterfactualReport.ordinal)
        #expect(
            ordinals == [
                "second", "third", "4th", "11th", "12th", "13th", "20th", "21st", "22nd", "23rd",
                "101st", "111th", "112th",
            ])
    }
}
