import Testing

@testable import gamectl

@Suite struct JournalOptionsTests {
    private func order(_ words: String...) throws -> JournalOptions {
        guard case .journal(let order, _) = try Command.read(words) else {
            throw Failure.usage("no order for a journal")
        }
        return order
    }

    @Test func `a journal is run again, tried, checked or exported`() throws {
        #expect(try order("replay", "d") == .replay(path: "d", flow: nil))
        #expect(try order("replay", "d", "--flow", "quiz") == .replay(path: "d", flow: "quiz"))
        #expect(try order("journal", "check", "d") == .check(path: "d"))
        #expect(try order("journal", "export", "d") == .export(path: "d", session: nil))
        #expect(
            try order("journal", "export", "--session", "a", "d")
                == .export(path: "d", session: "a"))
        for (option, isDryRun) in [("--yes", false), ("--dry-run", true)] {
            #expect(
                try order("journal", "forget", "a", "--state-dir", "d", option)
                    == .forget(path: "d", session: "a", isDryRun: isDryRun))
        }
        #expect(try Command.read(["--json", "replay", "d"]).isJSON)
    }

    @Test func `what cannot be meant is a usage error with a hint`() {
        for (words, hint) in [
            (["replay"], "of which state directory, or backup?"),
            (["replay", "a", "b"], "one journal at a time"),
            (["replay", "a", "--flow", "gaem"], "did you mean game?"),
            (["journal"], "check, export, forget or prune?"),
            (["journal", "prune"], "with --yes it is done"),
            (["journal", "prune", "d", "--yes"], "no directory is named"),
            (["prune"], "gamectl journal prune --yes"), (["status", "--yes"], "goes with journal"),
            (["journal", "chekc", "a"], "did you mean check?"),
            (["journal", "forget"], "which session?"),
            (["journal", "forget", "a b", "--state-dir", "d"], "no session can be called so"),
            (["journal", "forget", "a"], "--state-dir names the directory"),
            (["journal", "forget", "a", "--state-dir", "d"], "with --yes it is done"),
            (["journal", "forget", "a", "--state-dir", "d", "--yes", "--dry-run"], "--dry-run"),
            (["journal", "check", "d", "--dry-run"], "--dry-run goes with journal forget"),
            (["journal", "check"], "of which state directory, or backup?"),
            (["journal", "check", "a", "--session", "x"], "--session goes with journal export"),
            (["journal", "export", "a", "--session", "a b"], "no session can be called so"),
            (["status", "--flow", "game"], "--flow goes with replay"),
            (["repaly", "a"], "did you mean replay?"),
        ] {
            let error = #expect(throws: Failure.self) { _ = try Command.read(words) }
            #expect(error?.status == .usage, "\(words)")
            #expect(error?.message.contains(hint) == true, "\(words): \(error?.message ?? "")")
        }
    }

    @Test func `a path where nothing is, or no journal, is told plainly`() {
        for (path, why) in [
            ("/nowhere/at/all", "/nowhere/at/all: No such file or directory"),
            ("/usr", "/usr: there is no journal.db in it"),
        ] {
            let error = #expect(throws: Failure.self) { try OpenJournal(path) }
            #expect(error == .malformed([why]))
        }
        let error = #expect(throws: Failure.self) { try OpenJournal(#filePath) }
        #expect(error?.status == .check)
        #expect(error?.message.hasSuffix("the file is no journal") == true)
    }
}
