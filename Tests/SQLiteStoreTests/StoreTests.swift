import EventLoop
import Glibc
import Journal
import JournalTestSupport
import SQLiteStore
import Sessions
import TestSupport
import Testing
import Timers

@Suite struct StoreTests {
    private let folder = Folder()

    @Test func `batches are stored, and each completion is called once, in order`() throws {
        let loop = try LibeventLoop()
        let rows = SampleRows.rows(1...200)
        var completed: [Int] = []
        let store = try SQLiteStore(folder.path, on: loop)
        for number in 0..<100 {
            store.append(Array(rows[(2 * number)..<(2 * number + 2)])) { outcome in
                #expect(outcome == .durable)
                completed.append(number)
            }
        }
        #expect(completed.isEmpty)
        var isClosed = false
        store.close {
            isClosed = true
            loop.stop()
        }
        while !isClosed { loop.run() }
        #expect(completed == Array(0..<100))
        // One transaction can commit several batches.
        #expect(1...100 ~= store.transactions)
        var found: [JournalRow] = []
        try JournalFile(folder.path).rows {
            found.append($0)
            return true
        }
        #expect(found == rows)
    }

    @Test func `appends that wait are committed in one transaction`() throws {
        let loop = try LibeventLoop()
        let inbox = try ThreadInbox<JournalMessage>()
        let writer = try JournalWriter(folder.path, inbox)
        for row in SampleRows.rows(1...300) { writer.append([row]) }
        var messages: [JournalMessage] = []
        let descriptor = try inbox.open(on: loop) {
            messages.append($0)
            loop.stop()
        }
        try writer.start()
        while messages.count < 2 { loop.run() }
        #expect(messages == [.opened, .durable(upTo: 300, transactions: 1)])
        writer.finish()
        while messages.count < 3 { loop.run() }
        #expect(messages.last == .ended(upTo: 300, .durable))
        withExtendedLifetime(descriptor) {}
    }

    @Test func `after a failure, a missing or replaced journal file is not used`() throws {
        let loop = try LibeventLoop()
        let store = try SQLiteStore(folder.path, on: loop)
        let rows = SampleRows.rows(1...4)
        var isAppended = false
        store.append(Array(rows[..<2])) { _ in
            isAppended = true
            loop.stop()
        }
        while !isAppended { loop.run() }
        var errors: [String?] = []
        func recover(_ last: JournalPosition) {
            store.recover(keeping: last) {
                errors.append($0)
                loop.stop()
            }
        }
        // This append fails, because the file already has a row 1.
        store.append([rows[0]]) { _ in
            unlink("\(folder.path)/journal.db")
            unlink("\(folder.path)/journal.db-wal")
            recover(rows[1].journalPosition)
        }
        while errors.count < 1 { loop.run() }
        #expect(errors[0]?.contains("the file is gone") == true)
        // The new file has the rows 2 and 3, but not the row 1 that the recovery expects.
        do { try JournalFile(folder.path).append(Array(SampleRows.rows(1...4)[1...2])) }
        recover(rows[0].journalPosition)
        while errors.count < 2 { loop.run() }
        #expect(errors[1]?.contains("it is another journal") == true)
    }

    @Test func `a backup contains every row and overwrites no file`() throws {
        let loop = try LibeventLoop()
        let store = try SQLiteStore(folder.path, on: loop)
        let rows = SampleRows.rows(1...10_000)
        store.append(rows) { #expect($0 == .durable) }
        var results: [Result<BackupSummary, StoreError>] = []
        func record(_ result: Result<BackupSummary, StoreError>) {
            results.append(result)
            loop.stop()
        }
        let path = "\(folder.path)/copy.db"
        store.backup(to: path, notes: ["who": "a test"], record)
        while results.count < 1 { loop.run() }
        let summary = try results[0].get()
        #expect(summary.rows == 10_000 && summary.sessions == 2 && summary.position == 10_000)
        #expect(summary.damaged == 0 && summary.bytes > 100_000)
        let copy = try JournalFile(existing: path)
        #expect(try copy.note("who") == "a test")
        #expect(try copy.count() == 10_000)
        store.backup(to: path, notes: ["who": "a test"], record)
        while results.count < 2 { loop.run() }
        #expect(throws: StoreError.self) { try results[1].get() }
    }

    @Test func `after a failure, unacknowledged rows are removed and the store continues`() throws {
        let loop = try LibeventLoop()
        let store = try SQLiteStore(folder.path, on: loop)
        let rows = SampleRows.rows(1...4)
        var steps: [String] = []
        var isAppended = false
        store.append(Array(rows[..<2])) { _ in
            isAppended = true
            loop.stop()
        }
        while !isAppended { loop.run() }
        // This append fails, because the file already has a row 1.
        store.append([rows[0]]) { outcome in
            if case .unknown = outcome { steps.append("unknown") }
            store.recover(keeping: rows[0].journalPosition) { why in
                steps.append(why ?? "recovered")
                store.append([rows[1]]) { outcome in
                    steps.append("\(outcome)")
                    store.find(.init(session: rows[1].session, positions: 1...2, limit: 9)) {
                        steps.append("\((try? $0.get().rows.count) ?? -1)")
                        store.close { loop.stop() }
                    }
                }
            }
        }
        while steps.count < 4 { loop.run() }
        #expect(steps == ["unknown", "recovered", "durable", "1"])
    }

    @Test(arguments: ["journal.db", "journal.db-wal", "journal.mark", "the directory"])
    func `removing or replacing the journal file is a storage failure`(
        _ name: String
    ) throws {
        for isReplaced in [false, true] {
            let directory = "\(folder.path)/\(isReplaced)"
            mkdir(directory, 0o700)
            let loop = try LibeventLoop()
            let store = try SQLiteStore(directory, on: loop)
            var broken = ""
            store.onFailure = {
                broken = $0
                loop.stop()
            }
            store.append(SampleRows.rows(1...2)) { _ in loop.stop() }
            loop.run()
            let path = name == "the directory" ? directory : "\(directory)/\(name)"
            rename(path, "\(folder.path)/moved-\(isReplaced)")
            if isReplaced {
                if path == directory { mkdir(path, 0o700) } else { fclose(fopen(path, "w")) }
            }
            store.mark(HighWaterMark(position: 2, atNs: 1))
            loop.run()
            #expect(
                broken.hasPrefix(path) && broken.hasSuffix("removed or replaced by somebody else"))
        }
    }

    @Test func `unchanged files are not a storage failure`() throws {
        let loop = try LibeventLoop()
        let store = try SQLiteStore(folder.path, on: loop)
        store.onFailure = { Issue.record("\($0)") }
        store.append(SampleRows.rows(1...2)) { _ in
            store.mark(HighWaterMark(position: 2, atNs: 1))
            store.close { loop.stop() }
        }
        loop.run()
        #expect(HighWaterMarkFile.newest(in: folder.path) == HighWaterMark(position: 2, atNs: 1))
    }

    @Test func `after a failure each append is refused with the reason`() throws {
        let loop = try LibeventLoop()
        let store = try SQLiteStore(folder.path, on: loop)
        let rows = SampleRows.rows(1...3)
        var outcomes: [StoreOutcome] = []
        func record(_ outcome: StoreOutcome) {
            outcomes.append(outcome)
            loop.stop()
        }
        store.append([rows[0]], record)
        while outcomes.count < 1 { loop.run() }
        // This append fails, because the file already has a row 1.
        store.append([rows[0]], record)
        while outcomes.count < 2 { loop.run() }
        store.append([rows[1]], record)
        #expect(outcomes.count == 3)
        #expect(outcomes[0] == .durable)
        guard case .unknown(let why) = outcomes[1], case .lost(let same) = outcomes[2] else {
            Issue.record("\(outcomes)")
            return
        }
        #expect(why.contains("UNIQUE"))
        #expect(same == why)
    }

    @Test func `an append to a missing directory fails with the reason`() throws {
        let loop = try LibeventLoop()
        let store = try SQLiteStore("\(folder.path)/nowhere", on: loop)
        var outcomes: [StoreOutcome] = []
        store.append(SampleRows.rows(1...1)) {
            outcomes.append($0)
            loop.stop()
        }
        while outcomes.isEmpty { loop.run() }
        guard case .lost = outcomes[0] else {
            Issue.record("\(outcomes)")
            return
        }
    }

    @Test func `a store in memory acknowledges appends immediately`() {
        let store = MemoryStore()
        var outcomes: [StoreOutcome] = []
        store.append(SampleRows.rows(1...3)) { outcomes.append($0) }
        #expect(outcomes == [.durable])
        #expect(store.rows == SampleRows.rows(1...3))
    }
}
