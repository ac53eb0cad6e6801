import Glibc
import Journal
import JournalTestSupport
import SQLiteStore
import Sessions
import Shell
import TestSupport
import Testing

@testable import GamectlTool

/// `gamectl restore` and `gamectl journal convert`.
@Suite struct RestoreReportTests {
    private let folder = Folder()
    private var directory: String { "\(folder.path)/state" }
    private var backupPath: String { "\(folder.path)/backup.db" }

    /// Makes a state directory with 20 rows, and a backup with the first 12. The backup contains tokens unless `tokens`
    /// is empty. The log of the journal has the rows that the backup does not have, as after a kill of the daemon.
    private func makeFiles(tokens: String = "desk 1234\n") throws {
        mkdir(directory, 0o750)
        let rows = SampleRows.rows(1...20)
        do {
            let file = try JournalFile(directory)
            try file.append(Array(rows[..<12]))
            try file.checkpoint()
            let copy = try SQLiteJournalCopy(to: backupPath)
            try copy.append(Array(rows[..<12]))
            try copy.setNote(JournalNote.tokens, tokens)
            _ = try copy.finish()
            try file.append(Array(rows[12...]))
            try keep("\(directory)/journal.db-wal")
        }
        rename("\(directory)/journal.db-wal.kept", "\(directory)/journal.db-wal")
        folder.write("state/tokens", "old 5678\n")
    }

    /// Copies a file, because SQLite removes the log when the journal is closed.
    private func keep(_ path: String) throws { try copy(path, to: "\(path).kept") }

    private func copy(_ path: String, to target: String) throws {
        let source = open(path, O_RDONLY)
        let copy = open(target, O_WRONLY | O_CREAT | O_TRUNC, 0o640)
        defer {
            close(source)
            close(copy)
        }
        try #require(source >= 0 && copy >= 0)
        while sendfile(copy, source, nil, 1 << 20) > 0 {}
    }

    private func positions(_ path: String) throws -> Int {
        try JournalFile(reading: path).newestPosition()
    }

    @Test func `a backup that was put beside the old log is refused, and restore does it rightly`()
        throws
    {
        try makeFiles()
        try copy(backupPath, to: "\(directory)/journal.db")
        let error = #expect(throws: SQLiteError.self) { try JournalFile(directory) }
        #expect(error?.message.contains("gamectl restore FILE DIR") == true)
        // The refusal has changed nothing: a second attempt is refused too.
        #expect(throws: SQLiteError.self) { try JournalFile(directory) }
        _ = try RestoreReport(backupPath, to: directory)
        #expect(try JournalFile(directory).newestPosition() == 12)
    }

    @Test func `a journal whose log has rows is opened, because it is no copy`() throws {
        try makeFiles()
        #expect(try JournalFile(directory).newestPosition() == 20)
    }

    @Test func `restore keeps the old files and says what is lost`() throws {
        try makeFiles()
        let report = try RestoreReport(backupPath, to: directory)
        #expect(try positions("\(directory)/journal.db") == 12)
        #expect(report.lines.count == 3)
        #expect(report.lines[0].hasPrefix("12 rows of "))
        #expect(report.lines[1] == "what was played since is lost: 8 rows")
        let kept = report.lines[2]
        #expect(kept.split(separator: ",").count == 3)
        for name in ["journal.db", "journal.db-wal", "tokens"] {
            #expect(kept.contains(" \(name).replaced-"), "\(name)")
        }
        #expect(!folder.has("state/tokens") && !folder.has("state/journal.db-wal"))
        #expect(!folder.has("state/journal.db.part"))
    }

    @Test func `a backup without tokens leaves those of the directory`() throws {
        try makeFiles(tokens: "")
        _ = try RestoreReport(backupPath, to: directory)
        #expect(folder.text("state/tokens") == "old 5678\n")
    }

    @Test func `a directory that is missing is made`() throws {
        try makeFiles()
        let report = try RestoreReport(backupPath, to: "\(folder.path)/new")
        #expect(try positions("\(folder.path)/new/journal.db") == 12)
        #expect(report.lines.count == 1)
    }

    @Test func `a damaged backup is refused, and nothing is changed`() throws {
        try makeFiles()
        let damaged = "\(folder.path)/damaged.db"
        do {
            let copy = try SQLiteJournalCopy(to: damaged)
            let rows = SampleRows.rows(1...5)
            try copy.append([rows[0], rows[1], rows[4]])
            _ = try copy.finish()
        }
        #expect(throws: CommandError.self) { try RestoreReport(damaged, to: directory) }
        #expect(try JournalFile(directory).newestPosition() == 20)
    }

    @Test func `a directory in use is refused`() throws {
        try makeFiles()
        let lock = try DirectoryLock(directory)
        defer { withExtendedLifetime(lock) {} }
        #expect(throws: CommandError.self) { try RestoreReport(backupPath, to: directory) }
        #expect(throws: CommandError.self) {
            try ConversionReport(directory, isCheck: false, Terminal.standardOutput)
        }
    }

    @Test func `a conversion says what it does, and restore leads back`() throws {
        try makeFiles()
        do {
            let file = try JournalFile(directory)
            try file.setNote("schema", "2")
        }
        let plan = try ConversionReport(directory, isCheck: true, Terminal.standardOutput)
        #expect(plan.lines[0].contains("would be converted from version 2 to 3"))
        #expect(plan.lines.contains("no row is rewritten; new rows get the new format"))
        #expect(try JournalFile(reading: "\(directory)/journal.db").version == "2")
        #expect(!folder.has("state/journal.db.v2"))
        let done = try ConversionReport(directory, isCheck: false, Terminal.standardOutput)
        #expect(done.lines[0].contains("converted from version 2 to 3"))
        #expect(try JournalFile(reading: "\(directory)/journal.db").version == "3")
        let again = try ConversionReport(directory, isCheck: false, Terminal.standardOutput)
        #expect(again.lines == ["\(directory): the journal has version 3 already"])
        let back = try RestoreReport("\(directory)/journal.db.v2", to: directory)
        #expect(back.lines.last?.contains("has version 2") == true)
        #expect(try JournalFile(reading: "\(directory)/journal.db").version == "2")
        #expect(folder.has("state/tokens"))
    }

    @Test func `a journal of version 1 is converted by gamectl, also after it was restored`() throws
    {
        mkdir(directory, 0o750)
        try copy(
            "\(RepositoryFile.root)/Tests/DurabilityTests/Version1Journal/journal.db",
            to: "\(directory)/journal.db")
        let hint = "first run `gamectl journal convert \(directory)`"
        let refusal = #expect(throws: CommandError.self) {
            try OpenJournal(directoryOrBackup: directory)
        }
        #expect("\(try #require(refusal))".contains(hint))
        let plan = try ConversionReport(directory, isCheck: true, Terminal.standardOutput)
        #expect(plan.lines.contains("all rows are rewritten"))
        #expect(!folder.has("state/journal.db.v1"))
        let done = try ConversionReport(directory, isCheck: false, Terminal.standardOutput)
        #expect(done.lines[0].contains("converted from version 1 to 3"))
        #expect(try OpenJournal(directoryOrBackup: directory).newestPosition == 74)
        let back = try RestoreReport("\(directory)/journal.db.v1", to: directory)
        #expect(back.lines.last?.contains(hint) == true)
        let again = try ConversionReport(directory, isCheck: false, Terminal.standardOutput)
        #expect(again.lines[0].contains("converted from version 1 to 3"))
    }
}
