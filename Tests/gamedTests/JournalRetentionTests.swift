import Durability
import EventLoop
import GameFlow
import Journal
import RPC
import SQLiteStore
import Sessions
import ShippedFlows
import TestSupport
import Testing
import Timers

@testable import GamedServer
@testable import Shards

/// Which old rows are removed from a journal, and which are kept.
@Suite struct JournalRetentionTests {
    private let folder = StateFolder()
    private let loop: LibeventLoop
    private let clock = VirtualClock()
    private let sessions: Sessions
    private let store: SQLiteStore
    private let groupCommit: GroupCommit
    private let player = Source(.unix, peer: .process(pid: 1, uid: 2, gid: 3))

    init() throws {
        loop = try LibeventLoop()
        sessions = Sessions(AnyFlow.shipped(), on: clock)
        store = try SQLiteStore(folder.path, on: loop)
        groupCommit = GroupCommit(sessions, in: store)
        sessions.recordStart([], lastAlive: .zero)
    }

    /// Runs the loop until the condition is true.
    private func run(until condition: () -> Bool) {
        for _ in 0..<10_000 where !condition() {
            groupCommit.flush()
            loop.run(for: .milliseconds(1))
        }
        #expect(condition())
    }

    /// Closes the store and all sessions, and returns the rows of the journal.
    private func closeAndReadRows() throws -> [JournalRow] {
        groupCommit.flush()
        var isClosed = false
        store.close { isClosed = true }
        run { isClosed }
        sessions.recorder = nil
        for session in sessions.all {
            try sessions.close(session, RequestContext(from: player))
        }
        return try folder.rows
    }

    /// Opens a session and sends `count` events to it.
    private func play(_ name: String, _ count: Int, hasRequestIDs: Bool = false) throws {
        let session = try sessions.open(
            SessionName(name)!, sessions.flow("game"), RequestContext(from: player))
        for number in 0..<count {
            _ = try sessions.send(
                number % 2 == 0 ? "displayHelp" : "dismissHelp", to: session,
                RequestContext(from: player, id: hasRequestIDs ? "k\(number)" : nil))
        }
    }

    @Test func `old rows are removed in small steps, and rows that are still needed stay`() throws {
        try play("over", 9)
        try sessions.close(sessions.session(SessionName("over")!), RequestContext(from: player))
        try play("open", 9)
        try play("ids", 1100, hasRequestIDs: true)
        _ = try sessions.advance(.by(.seconds(3600)))
        try play("young", 9)
        run { groupCommit.isIdle }
        var schedule = JournalRetention.RetentionSchedule()
        schedule.rowsPerStep = 50
        (schedule.stepPause, schedule.firstPause) = (.milliseconds(1), .milliseconds(1))
        // The newest row of `open` is also old: its help screen timed out at 30 s.
        let retention = JournalRetention(
            store, groupCommit, on: loop, keeping: .limited(.seconds(1800)), schedule: schedule)
        run { retention.rounds == 1 }
        retention.end()
        let rows = try closeAndReadRows()
        func count(_ session: String) -> Int { rows.count { $0.session == session } }
        // A closed session needs no row, and an open one its newest row and the rows of its last 1024 request ids.
        #expect(count("over") == 0)
        #expect(count("open") == 1)
        #expect(count("ids") == 1024)
        #expect(count("young") == 10)
        #expect(count("") == 2, "rows other than those of the start and of the advance are left")
        var reading = JournalReading(
            prunedUpTo: try JournalFile(folder.path).prunedUpTo(), answerLimit: 65_536)
        for row in rows { reading.add(row) }
        #expect(reading.scan.damage == [])
        let restored = Sessions(AnyFlow.shipped(), on: VirtualClock(startingAt: clock.now))
        // `closeAndReadRows` closed three sessions without recording these changes.
        #expect(
            reading.content().pos == sessions.pos - 3, "changes that were not recorded were counted"
        )
        var allRows = rows
        restored.recorder = { record, previous in
            let row = JournalRow(record, at: Int(allRows.last!.position) + 1, after: previous)
            allRows.append(row)
            return row.journalPosition
        }
        defer { restored.recorder = nil }
        #expect(restored.restore(reading.content(), lastAlive: clock.now) == [])
        #expect(restored.list(limit: 9).sessions.map(\.seq) == [1101, 11, 10])
        // The rows contain the numbers of the request ids, so the last number is still 1100 although some rows were pruned. The
        // id with the number 78 is one of the last 1024, so its row is needed.
        let ids = try restored.session(SessionName("ids")!)
        _ = try restored.send("displayHelp", to: ids, RequestContext(from: player))
        restored.rowsBecameDurable(upTo: restored.newestRow)
        let neededRow = rows.first { $0.session == "ids" && $0.id?.number == 78 }
        #expect(
            restored.needs(Int(try #require(neededRow).position), of: ids.name, idNumber: 78))
        for session in restored.list(limit: 9).sessions {
            try restored.close(session, RequestContext(from: player))
        }
    }

    /// Waits for the answer to a request to remove old rows.
    private func removeOldRows(_ retention: JournalRetention) throws -> PruneReport {
        var answer: Result<PruneReport, StoreError>?
        retention.removeOldRows { answer = $0 }
        run { answer != nil }
        return try #require(answer).get()
    }

    @Test func `a request removes old rows at once, and says what needs the others`() throws {
        try play("over", 9)
        try sessions.close(sessions.session(SessionName("over")!), RequestContext(from: player))
        try play("open", 9)
        _ = try sessions.advance(.by(.seconds(3600)))
        try play("young", 9)
        run { groupCommit.isIdle }
        var schedule = JournalRetention.RetentionSchedule()
        schedule.rowsPerStep = 4
        schedule.stepPause = .milliseconds(1)
        let retention = JournalRetention(
            store, groupCommit, on: loop, keeping: .limited(.seconds(1800)), isHeld: true,
            schedule: schedule)
        let rowCount = sessions.newestRow
        let report = try removeOldRows(retention)
        // The session `over` had 11 rows, and 10 of the 11 old rows of `open` are not needed.
        #expect(report.removed == 21)
        #expect((report.ofOpenSessions, report.ofQuarantinedSessions) == (1, 0))
        #expect(report.wasHeld && report.ofDaemon >= 1)
        let repeated = try removeOldRows(retention)
        #expect(repeated.removed == 0 && !repeated.wasHeld && repeated.ofOpenSessions == 1)
        retention.end()
        #expect(try closeAndReadRows().count == rowCount - 21)
    }

    @Test func `requests during one round get the same report`() throws {
        try play("over", 9)
        try sessions.close(sessions.session(SessionName("over")!), RequestContext(from: player))
        _ = try sessions.advance(.by(.seconds(3600)))
        try play("young", 9)
        run { groupCommit.isIdle }
        let retention = JournalRetention(
            store, groupCommit, on: loop, keeping: .limited(.seconds(1800)), isHeld: true)
        var reports: [PruneReport] = []
        for _ in 0..<2 {
            retention.removeOldRows { if case .success(let report) = $0 { reports.append(report) } }
        }
        run { reports.count == 2 }
        #expect(reports.map(\.removed) == [11, 11])
        #expect(reports.map(\.wasHeld) == [true, false])
        #expect(retention.rounds == 1)
        retention.end()
        _ = try closeAndReadRows()
    }

    @Test func `without a retention period, a request removes nothing and is answered`() throws {
        let retention = JournalRetention(store, groupCommit, on: loop, keeping: .forever)
        #expect(try removeOldRows(retention) == PruneReport())
        retention.end()
        _ = try closeAndReadRows()
    }

    /// A store that cannot remove rows, or does not answer.
    private final class FailingStore: MemoryStore {
        var answers = true

        override func prune(
            _ positions: [Int], _ done: @escaping (Result<Void, StoreError>) -> Void
        ) {
            if answers { done(.failure(StoreError(.other, why: "no"))) }
        }
    }

    @Test(arguments: [true, false])
    func `a request is answered with an error if the store fails, or if the work ends`(
        answers: Bool
    )
        throws
    {
        let failingStore = FailingStore()
        failingStore.answers = answers
        let clock = VirtualClock()
        let sessions = Sessions(AnyFlow.shipped(), on: clock)
        let groupCommit = GroupCommit(sessions, in: failingStore)
        sessions.recordStart([], lastAlive: .zero)
        let session = try sessions.open(
            SessionName("over")!, sessions.flow("game"), RequestContext(from: player))
        try sessions.close(session, RequestContext(from: player))
        _ = try sessions.advance(.by(.seconds(3600)))
        groupCommit.flush()
        let retention = JournalRetention(
            failingStore, groupCommit, on: loop, keeping: .limited(.seconds(1800)), isHeld: true)
        var errors: [String] = []
        retention.removeOldRows { if case .failure(let error) = $0 { errors.append(error.why) } }
        if !answers {
            #expect(errors == [])
            retention.end()
        }
        let end = "the work on this journal ended before all old rows were examined"
        #expect(errors == [answers ? "no" : end])
        retention.end()
        retention.removeOldRows { if case .failure(let error) = $0 { errors.append(error.why) } }
        #expect(errors.last == end)
        groupCommit.end()
        sessions.recorder = nil
    }

    @Test
    func `the last high-water mark has the present time, not the time of the loop's previous turn`()
        throws
    {
        let folder = StateFolder()
        let clock = LoopClock(on: loop)
        let sessions = Sessions(AnyFlow.shipped(), on: clock)
        let store = try SQLiteStore(folder.path, on: loop)
        let groupCommit = GroupCommit(sessions, in: store)
        let retention = JournalRetention(store, groupCommit, on: loop, keeping: .forever)
        // Time passes, but the loop does not run.
        let timeOfPreviousTurn = clock.now
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .milliseconds(20) {}
        retention.end()
        var isClosed = false
        store.close { isClosed = true }
        run { isClosed }
        let mark = try #require(HighWaterMarkFile.newest(in: folder.path))
        #expect(mark.atNs - timeOfPreviousTurn.nanoseconds >= 20_000_000)
    }
}
