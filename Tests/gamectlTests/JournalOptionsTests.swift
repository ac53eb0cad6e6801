import Testing

@testable import GamectlTool

@Suite struct JournalOptionsTests {
    private func options(_ words: String...) throws -> JournalOptions {
        guard case .journal(let options, _) = try Command.read(words) else {
            throw CommandError.usage("no journal command")
        }
        return options
    }

    @Test func `the journal verbs are read with their options`() throws {
        #expect(try options("replay", "d") == .replay(path: "d", flow: nil))
        #expect(try options("replay", "d", "--flow", "quiz") == .replay(path: "d", flow: "quiz"))
        #expect(try options("journal", "check", "d") == .check(path: "d"))
        #expect(try options("journal", "export", "d") == .export(path: "d", session: nil))
        #expect(
            try options("journal", "export", "--session", "a", "d")
                == .export(path: "d", session: "a"))
        for (option, isDryRun) in [("--yes", false), ("--dry-run", true)] {
            #expect(
                try options("journal", "forget", "a", "--state-dir", "d", option)
                    == .forget(path: "d", session: "a", isDryRun: isDryRun))
            #expect(
                try options("journal", "forget", "a", "--store", "postgresql://db", option)
                    == .forget(path: "postgresql://db", session: "a", isDryRun: isDryRun))
        }
        let words = ["d", "since=7d", "without=test", "quiz"]
        let statistics = try options("journal", "stats", "d", "since=7d", "without=test", "quiz")
        #expect(statistics == .stats(try StatisticsOptions(words[...])))
        #expect(try Command.read(["--json", "replay", "d"]).isJSON)
    }

    @Test func `an invalid command line is a usage error with a hint`() {
        for (words, hint) in [
            (["replay"], "a state directory or backup is missing"),
            (["replay", "a", "b"], "one journal at a time"),
            (["replay", "a", "--flow", "gaem"], "did you mean game?"),
            (["journal"], "add check, convert, copy, export, forget, prune or stats"),
            (["journal", "prune"], "confirm with --yes"),
            (["journal", "prune", "d", "--yes"], "takes no path"),
            (["prune"], "gamectl journal prune --yes"),
            (["status", "--yes"], "is an option of journal"),
            (["journal", "chekc", "a"], "did you mean check?"),
            (["journal", "stats"], "a state directory or backup is missing"),
            (["journal", "stats", "a", "b", "c"], "name one journal, and at most one flow"),
            (["journal", "stats", "a", "since=then"], "since=then: expected a duration"),
            (["journal", "stats", "a", "since=1h", "since=2h"], "since= is given twice"),
            (["journal", "stats", "a", "without=a-b"], "without=a-b: "),
            (["journal", "forget"], "name one session"),
            (["journal", "forget", "a b", "--state-dir", "d"], "not a valid session name"),
            (["journal", "forget", "a"], "add --state-dir DIR (its daemon must"),
            (["journal", "forget", "a", "--state-dir", "d"], "confirm with --yes"),
            (["journal", "forget", "a", "--state-dir", "d", "--store", "u", "--yes"], "exclude"),
            (["journal", "check", "d", "--store", "u"], "--store is an option of journal forget"),
            (["journal", "forget", "a", "--state-dir", "d", "--yes", "--dry-run"], "--dry-run"),
            (["journal", "check", "d", "--dry-run"], "--dry-run is an option of journal forget"),
            (["journal", "check"], "a state directory or backup is missing"),
            (
                ["journal", "check", "a", "--session", "x"],
                "--session is an option of journal export"
            ),
            (["journal", "export", "a", "--session", "a b"], "not a valid session name"),
            (["status", "--flow", "game"], "--flow is an option of replay"),
            (["repaly", "a"], "did you mean replay?"),
        ] {
            let error = #expect(throws: CommandError.self) { _ = try Command.read(words) }
            #expect(error?.status == .usage, "\(words)")
            #expect(error?.why.contains(hint) == true, "\(words): \(error?.why ?? "")")
        }
    }

    @Test func `a missing path or journal is an error with the path`() {
        for (path, why) in [
            ("/nowhere/at/all", "/nowhere/at/all: No such file or directory"),
            ("/usr", "/usr: no journal.db in this directory"),
        ] {
            let error = #expect(throws: CommandError.self) {
                try OpenJournal(directoryOrBackup: path)
            }
            #expect(error == .malformed([why]))
        }
        let error = #expect(throws: CommandError.self) {
            try OpenJournal(directoryOrBackup: #filePath)
        }
        #expect(error?.status == .check)
        #expect(error?.why.hasSuffix("the file is not a journal") == true)
    }
}
