import EventLoop
import Journal
import JournalTestSupport
import PostgresStore
import PostgresTestSupport
import SQLiteStore
import Sessions
import TestSupport
import Testing

/// Behaviour that all stores have in common.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct EveryStoreTests {
    enum Kind: CaseIterable { case memory, sqlite, postgres }

    /// An empty store, with its loop and its folder or database.
    private struct TestedStore {
        let store: any Store
        let loop: LibeventLoop
        let folder = Folder()
        var fixture: StoreFixture?

        init(_ kind: Kind) throws {
            switch kind {
            case .memory: (store, loop) = (MemoryStore(), try LibeventLoop())
            case .sqlite:
                loop = try LibeventLoop()
                store = try SQLiteStore(folder.path, on: loop)
            case .postgres:
                let fixture = try StoreFixture()
                (store, loop, self.fixture) = (try fixture.store(), fixture.loop, fixture)
            }
        }

        func ask<T>(_ question: (@escaping (T) -> Void) -> Void) throws -> T {
            try loop.ask(question)
        }
    }

    /// Nine rows of the sessions `odd` and `even`, and then a refusal of `even`. The row at position N, from 1 to 9, was
    /// recorded at N · 1000 ns. Its `seq` is (N + 1) / 2, and its body has 10 bytes. Only row 5 has the id of a request.
    private static let rows: [JournalRow] = {
        let rows = SampleRows.rows(1...9)
        let refused = JournalRow(
            .refusal, position: 10, session: "even", seq: 4, atNs: 9500, body: [],
            after: rows[7].journalPosition)
        return rows + [refused]
    }()

    private func filled(_ kind: Kind) throws -> TestedStore {
        let tested = try TestedStore(kind)
        #expect(try tested.ask { tested.store.append(Self.rows, $0) } == .durable)
        return tested
    }

    @Test(arguments: Kind.allCases)
    func `rows are walked in order, a page at a time`(_ kind: Kind) throws {
        let (tested, rows) = (try filled(kind), Self.rows)
        let store = tested.store
        #expect(
            try tested.ask { store.walk(after: 0, limit: 4, $0) } == .success(Array(rows[..<4])))
        #expect(
            try tested.ask { store.walk(after: 8, limit: 4, $0) } == .success(Array(rows[8...])))
        #expect(try tested.ask { store.walk(after: 10, limit: 4, $0) } == .success([]))
        let all = try tested.ask { store.walk(after: 0, limit: 99, $0) }.get()
        #expect(all.allSatisfy { $0.flaw == nil })
    }

    @Test(arguments: Kind.allCases)
    func `the newest rows of sessions are found, in the order of the names`(_ kind: Kind) throws {
        let (tested, rows) = (try filled(kind), Self.rows)
        #expect(
            try tested.ask { tested.store.newest(of: ["odd", "none", "even"], $0) }
                == .success([
                    NewestRow(rows[8], newestPosition: rows[8].journalPosition),
                    NewestRow(rows[7], newestPosition: rows[9].journalPosition),
                ]))
    }

    @Test(arguments: Kind.allCases)
    func `a page of a session ends at its limits`(_ kind: Kind) throws {
        let (tested, rows) = (try filled(kind), Self.rows)
        func page(
            _ session: String, _ positions: ClosedRange<Int> = 1...99, before: Int = .max,
            kinds: Set<JournalRow.Kind> = [.change], limit: Int = 99, bytes: Int = .max
        ) throws -> JournalPage {
            let query = JournalQuery(
                session: session, positions: positions, beforeSeq: before, kinds: kinds,
                limit: limit, byteLimit: bytes)
            let found = try tested.ask { tested.store.find(query, $0) }.get()
            #expect(found == query.page(of: rows))
            return found
        }
        #expect(try page("even").rows.map(\.position) == [8, 6, 4, 2])
        #expect(
            try page("even", kinds: [.change, .refusal]).rows.map(\.position) == [10, 8, 6, 4, 2])
        #expect(try page("even", limit: 2).rows.map(\.position) == [8, 6])
        #expect(try !page("even", limit: 4).isComplete)
        #expect(try page("even", bytes: 1).rows.map(\.position) == [8])
        #expect(try page("even", bytes: 20).rows.map(\.position) == [8, 6])
        #expect(try page("odd", 2...7, before: 4).rows.map(\.position) == [5, 3])
        #expect(try page("nobody").rows.isEmpty)
    }

    @Test(arguments: Kind.allCases)
    func `old rows are found and removed, but never the journal's newest row`(_ kind: Kind) throws {
        let tested = try filled(kind)
        let store = tested.store
        let old = try tested.ask {
            store.pruneCandidates(after: 1, recordedBefore: 5000, limit: 9, $0)
        }.get()
        #expect(old.map(\.position) == [2, 3, 4] && old.map(\.session) == ["even", "odd", "even"])
        let few = try tested.ask {
            store.pruneCandidates(after: 0, recordedBefore: .max, limit: 2, $0)
        }.get()
        #expect(few.map(\.position) == [1, 2])
        let withID = try tested.ask {
            store.pruneCandidates(after: 4, recordedBefore: .max, limit: 1, $0)
        }.get()
        #expect(withID.map(\.idNumber) == [5] && withID.map(\.seq) == [3])
        let all = try tested.ask {
            store.pruneCandidates(after: 8, recordedBefore: .max, limit: 9, $0)
        }.get()
        #expect(all.map(\.position) == [9])
        let pruned: Result<Void, StoreError> = try tested.ask { store.prune([1, 3], $0) }
        #expect((try? pruned.get()) != nil)
        let left = try tested.ask { store.walk(after: 0, limit: 100, $0) }.get()
        #expect(left.map(\.position) == [2] + Array(4...10))
    }

    @Test(arguments: Kind.allCases)
    func `batches are stored, and each completion is called once, in order`(_ kind: Kind) throws {
        let tested = try TestedStore(kind)
        let rows = SampleRows.rows(1...200)
        var completed: [Int] = []
        for number in 0..<100 {
            tested.store.append(Array(rows[(2 * number)..<(2 * number + 2)])) { outcome in
                #expect(outcome == .durable)
                completed.append(number)
            }
        }
        let found = try tested.ask { tested.store.walk(after: 0, limit: 999, $0) }.get()
        #expect(found == rows, "a page contains what was appended before it was requested")
        #expect(completed == Array(0..<100))
        #expect(1...100 ~= tested.store.transactions)
        let _: Bool = try tested.ask { done in tested.store.close { done(true) } }
        #expect(completed.count == 100)
    }

    @Test(arguments: [Kind.sqlite, .postgres])
    func `after a failure appends are refused until the store has recovered`(_ kind: Kind) throws {
        let tested = try TestedStore(kind)
        let store = tested.store
        let rows = SampleRows.rows(1...4)
        #expect(try tested.ask { store.append([rows[0], rows[1]], $0) } == .durable)
        // There is already a row at this position.
        let refused: StoreOutcome = try tested.ask { store.append([rows[0]], $0) }
        #expect(refused.why?.contains("row") == true && refused != .durable)
        let after: StoreOutcome = try tested.ask { store.append([rows[2]], $0) }
        guard case .lost = after else { throw StoreError(.other, why: "\(after)") }
        let wrongPosition = JournalPosition(position: 2, checksum: 1)
        let why: String? = try tested.ask { store.recover(keeping: wrongPosition, $0) }
        #expect(why != nil, "row 2 has another checksum")
        let failure: String? = try tested.ask {
            store.recover(keeping: rows[0].journalPosition, $0)
        }
        #expect(failure == nil)
        #expect(try tested.ask { store.append([rows[1], rows[2]], $0) } == .durable)
        let found = try tested.ask { store.walk(after: 0, limit: 9, $0) }.get()
        #expect(found == Array(rows[..<3]))
    }

    @Test(arguments: Kind.allCases.filter { $0 != .memory })
    func `a closed store refuses every call`(_ kind: Kind) throws {
        let tested = try filled(kind)
        let _: Bool = try tested.ask { done in tested.store.close { done(true) } }
        let store = tested.store
        var errors: [StoreError] = []
        func note<T>(_ result: Result<T, StoreError>) {
            if case .failure(let error) = result { errors.append(error) }
        }
        store.walk(after: 0, limit: 1, note)
        store.newest(of: ["odd"], note)
        store.find(.init(session: "odd", positions: 1...2, limit: 9), note)
        store.pruneCandidates(after: 0, recordedBefore: 1, limit: 1, note)
        store.prune([1], note)
        store.backup(to: "\(tested.folder.path)/copy.db", notes: [:], note)
        #expect(errors.count == 6 && errors.allSatisfy { $0.kind == .unavailable })
        var outcome: StoreOutcome?
        store.append(SampleRows.rows(11...11)) { outcome = $0 }
        #expect(outcome?.why != nil)
    }

    @Test(arguments: [Kind.sqlite, .postgres])
    func `a backup is a journal file with every row and overwrites no file`(
        _ kind: Kind
    ) throws {
        let tested = try TestedStore(kind)
        let store = tested.store
        let rows = SampleRows.rows(1...2500)
        store.append(rows) { #expect($0 == .durable) }
        let path = "\(tested.folder.path)/copy.db"
        let summary = try tested.ask { store.backup(to: path, notes: ["who": "a test"], $0) }.get()
        #expect(summary.rows == 2500 && summary.sessions == 2 && summary.position == 2500)
        #expect(summary.damaged == 0 && summary.bytes > 50_000)
        let copy = try JournalFile(existing: path)
        #expect(try copy.note("who") == "a test")
        var found: [JournalRow] = []
        try copy.rows {
            found.append($0)
            return true
        }
        #expect(found == rows)
        let second = try tested.ask { store.backup(to: path, notes: [:], $0) }
        #expect(throws: StoreError.self) { try second.get() }
    }

    @Test func `while a backup begins, a second backup is refused, and both get an answer`()
        throws
    {
        let (fixture, folder) = (try StoreFixture(), Folder())
        let store = try fixture.store()
        #expect(try fixture.append(Self.rows, to: store) == .durable)
        var results: [String: Result<BackupSummary, StoreError>] = [:]
        for name in ["a", "b"] {
            store.backup(to: "\(folder.path)/\(name)", notes: [:]) {
                results[name] = $0
                fixture.loop.stop()
            }
        }
        while results.count < 2 { fixture.loop.run() }
        #expect(try results["a"]?.get().rows == Self.rows.count)
        guard case .failure(let error)? = results["b"] else {
            Issue.record("two backups were made at the same time")
            return
        }
        #expect(error.kind == .busy)
    }
}
