import Glibc
import Journal
import JournalTestSupport
import SQLiteStore
import TestSupport
import Testing

/// Opening a journal for reading only.
@Suite struct ReadOnlyTests {
    private let folder = Folder()
    private let copyFolder = Folder()

    private func bytes(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        return Array(bytes[..<fread(&bytes, 1, bytes.count, file)])
    }

    private func write(_ bytes: [UInt8], to path: String) {
        guard let file = fopen(path, "w") else { return }
        defer { fclose(file) }
        fwrite(bytes, 1, bytes.count, file)
    }

    @Test func `the files of a killed daemon are read without changing them`() throws {
        let file = try JournalFile(folder.path)
        try file.append(SampleRows.rows(1...50))
        // A kill leaves the files as they are while the journal is open.
        let names = ["journal.db", "journal.db-wal"]
        for name in names {
            write(bytes("\(folder.path)/\(name)"), to: "\(copyFolder.path)/\(name)")
        }
        let before = names.map { bytes("\(copyFolder.path)/\($0)") }
        #expect(before[1].count > 0)
        do {
            let readOnly = try JournalFile(reading: "\(copyFolder.path)/journal.db")
            #expect(try readOnly.count() == 50)
            #expect(try readOnly.quickCheck() == [])
            #expect(readOnly.bytes == before[0].count + before[1].count)
        }
        #expect(names.map { bytes("\(copyFolder.path)/\($0)") } == before)
        #expect(try JournalFile(copyFolder.path).newestPosition() == 50)
    }

    @Test func `reading a closed journal creates no log file`() throws {
        do { try JournalFile(folder.path).append(SampleRows.rows(1...5)) }
        let before = bytes("\(folder.path)/journal.db")
        do { #expect(try JournalFile(reading: "\(folder.path)/journal.db").newestPosition() == 5) }
        #expect(bytes("\(folder.path)/journal.db") == before)
        #expect(access("\(folder.path)/journal.db-wal", F_OK) != 0)
    }

    @Test func `a file that is not a journal, or is in use, is an error`() throws {
        write(
            Array("no journal at all, but some text that is long enough".utf8),
            to: "\(copyFolder.path)/copy.db")
        let notJournal = #expect(throws: SQLiteError.self) {
            try JournalFile(reading: "\(copyFolder.path)/copy.db")
        }
        #expect(notJournal?.isDamage == true)
        let file = try JournalFile(folder.path)
        let busy = #expect(throws: SQLiteError.self) {
            try JournalFile(reading: "\(folder.path)/journal.db")
        }
        let error = busy.map { StoreError(forUser: $0) }
        #expect(
            error?.kind == .busy
                && error?.why.hasPrefix("another gamed or gamectl is using it") == true)
        #expect(try file.newestPosition() == 0)
    }

    @Test func `reading a missing high-water mark does not create its file`() {
        #expect(HighWaterMarkFile.newest(in: folder.path) == nil)
        #expect(access("\(folder.path)/journal.mark", F_OK) != 0)
        HighWaterMarkFile(folder.path)?.write(HighWaterMark(position: 3, atNs: 4))
        #expect(HighWaterMarkFile.newest(in: folder.path) == HighWaterMark(position: 3, atNs: 4))
    }
}
