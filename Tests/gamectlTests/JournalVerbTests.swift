import GameFlow
import Glibc
import Journal
import SQLiteStore
import Sessions
import Testing

@testable import gamectl

/// The verbs as they are typed, and clients that nobody here wrote behind them.
@Suite struct JournalVerbTests {
    private let kept = StateDirectoryFixture()

    init() throws {
        try kept.play()
    }

    @Test func `the exit status tells a script what came of it`() throws {
        try kept.write()
        for verb in ["replay", "journal check", "replay --flow game", "journal export"] {
            #expect(StateDirectoryFixture.run("\(verb) \(kept.path)").status == 0, "\(verb)")
        }
        #expect(StateDirectoryFixture.run("replay --flow startup \(kept.path)").status == 6)
        #expect(StateDirectoryFixture.run("replay \(kept.path)/nothing").status == 2)
        #expect(StateDirectoryFixture.run("journal chek \(kept.path)").status == 2)
        let file = try JournalFile(kept.path)
        let busy = StateDirectoryFixture.run("journal check \(kept.path)")
        #expect(busy.status == 1)
        #expect(busy.said.contains("another gamed or gamectl is using it"))
        #expect(try file.head() == 10)
    }

    @Test func `what is damaged ends with 6`() throws {
        kept.spoil(4, "lobby", "lobbi")
        try kept.write()
        for verb in ["replay", "journal check", "--json replay", "--json journal check"] {
            #expect(StateDirectoryFixture.run("\(verb) \(kept.path)").status == 6, "\(verb)")
        }
    }

    @Test func `every row is exported as JSON, a damaged one, too`() throws {
        kept.spoil(4, "{", "\u{1}{", isWhole: false)
        try kept.write()
        let python = """
            python3 -c 'import json, sys
            rows = [json.loads(line) for line in sys.stdin]
            print(len(rows), [row["position"] for row in rows] == list(range(1, 11)))
            print([row["kind"] for row in rows if row["session"] is None])
            print([row["position"] for row in rows if not row["whole"]])
            print(["raw" in row for row in rows].index(True), rows[4]["session"])
            print(rows[1]["body"]["to"]["state"], rows[5]["id"], rows[6]["time"])'
            """
        let (said, status) = StateDirectoryFixture.run("journal export \(kept.path)", python)
        #expect(status == 0)
        #expect(
            said == """
                10 True
                ['daemon', 'daemon']
                [5]
                4 q
                introduction k 1970-01-01T00:00:20.000Z

                """)
        let quiz = StateDirectoryFixture.run(
            "journal export --session q \(kept.path)", "jq -c .seq")
        #expect(quiz.said.split(separator: "\n") == ["1", "2", "3", "4"])
        #expect(quiz.status == 0)
    }

    @Test func `whoever has seen enough ends the export, and nothing is left behind`() throws {
        for _ in 0..<300 {
            try kept.sessions.close(
                kept.sessions.session(.main), RequestContext(from: StateDirectoryFixture.player))
            try kept.play()
        }
        try kept.write()
        #expect(
            StateDirectoryFixture.run("journal export \(kept.path)", "head -n 1").said.hasPrefix(
                "{\"position\":1,"))
        #expect(access("\(kept.path)/journal.db-wal", F_OK) != 0)
    }
}
