import GameFlow
import Glibc
import Journal
import SQLiteStore
import Sessions
import Testing

@testable import GamectlTool

/// Runs gamectl's journal verbs as processes. python3, jq and head read their output.
@Suite struct JournalCommandTests {
    private let fixture = StateDirectoryFixture()

    init() throws {
        try fixture.play()
    }

    @Test func `a journal verb's exit status tells a difference from an error`() throws {
        try fixture.write()
        for verb in ["replay", "journal check", "replay --flow game", "journal export"] {
            #expect(StateDirectoryFixture.run("\(verb) \(fixture.path)").status == 0, "\(verb)")
        }
        #expect(StateDirectoryFixture.run("replay --flow startup \(fixture.path)").status == 6)
        #expect(StateDirectoryFixture.run("replay \(fixture.path)/nothing").status == 2)
        #expect(StateDirectoryFixture.run("journal chek \(fixture.path)").status == 2)
        let file = try JournalFile(fixture.path)
        let busy = StateDirectoryFixture.run("journal check \(fixture.path)")
        #expect(busy.status == 1)
        #expect(busy.output.contains("another gamed or gamectl is using it"))
        #expect(try file.newestPosition() == 10)
    }

    @Test func `replay and check of a damaged journal exit with 6`() throws {
        fixture.corrupt(4, "lobby", "lobbi")
        try fixture.write()
        for verb in ["replay", "journal check", "--json replay", "--json journal check"] {
            #expect(StateDirectoryFixture.run("\(verb) \(fixture.path)").status == 6, "\(verb)")
        }
    }

    @Test func `each row is exported as JSON, damaged ones included`() throws {
        fixture.corrupt(4, "{", "\u{1}{", withValidChecksum: false)
        try fixture.write()
        let python = """
            python3 -c 'import json, sys
            rows = [json.loads(line) for line in sys.stdin]
            print(len(rows), [row["position"] for row in rows] == list(range(1, 11)))
            print([row["kind"] for row in rows if row["session"] is None])
            print([row["position"] for row in rows if not row["whole"]])
            print(["raw" in row for row in rows].index(True), rows[4]["session"])
            print(rows[1]["body"]["to"]["state"], rows[5]["id"], rows[6]["time"])'
            """
        let (output, status) = StateDirectoryFixture.run("journal export \(fixture.path)", python)
        #expect(status == 0)
        #expect(
            output == """
                10 True
                ['daemon', 'daemon']
                [5]
                4 q
                introduction k 1970-01-01T00:00:20.000Z

                """)
        let quiz = StateDirectoryFixture.run(
            "journal export --session q \(fixture.path)", "jq -c .seq")
        #expect(quiz.output.split(separator: "\n") == ["1", "2", "3", "4"])
        #expect(quiz.status == 0)
    }

    @Test func `an export ends when its reader closes the pipe, and no write-ahead log is left`()
        throws
    {
        // The export must be longer than the buffer of a pipe.
        for game in 0..<300 {
            try fixture.sessions.close(
                fixture.sessions.session(.main), RequestContext(from: StateDirectoryFixture.player))
            try fixture.play(id: "k\(game)")
        }
        try fixture.write()
        #expect(
            StateDirectoryFixture.run("journal export \(fixture.path)", "head -n 1").output
                .hasPrefix(
                    "{\"position\":1,"))
        #expect(access("\(fixture.path)/journal.db-wal", F_OK) != 0)
    }
}
