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

/// Which old rows are removed from a journal, and which are kept.
@Suite struct JournalRetentionTests {
    private let folder = StateFolder()
    private let loop: LibeventLoop
    private let time = VirtualClock()
    private let sessions: Sessions
    private let store: SQLiteStore
    private let groupCommit: GroupCommit
    private let player = Source(.unix, peer: .process(pid: 1, uid: 2, gid: 3))

    init() throws {
        loop = try LibeventLoop()
        sessions = Sessions(AnyFlow.shipped(), on: time)
        store = try SQLiteStore(folder.path, on: loop)
        groupCommit = GroupCommit(sessions, in: store)
        sessions.recordStart([], lastAlive: .zero)
    }

    /// Runs the loop until the condition is true.
    private func run(until condition: () -> Bool) {
        for _ in 0..<10_000 where !condition() {
            groupCommit.flush()
            let end = ScopedCountdown(on: loop, .milliseconds(1)) { loop.stop() }
            loop.run()
            withExtendedLifetime(end) {}
        }
        #expect(condition())
    }

    private func close() throws -> [JournalRow] {
        groupCommit.flush()
        var isClosed = false
        store.close { isClosed = true }
        run { isClosed }
        sessions.recorder = nil
        for session in sessions.list(limit: .max - 1).sessions {
            try sessions.close(session, RequestContext(from: player))
        }
        return try folder.rows
    }

    private func play(_ name: String, _ count: Int, ids: Bool = false) throws {
        let session = try sessions.open(
            SessionName(name)!, sessions.flow("game"), RequestContext(from: player))
        for number in 0..<count {
            _ = try sessions.send(
                number % 2 == 0 ? "displayHelp" : "dismissHelp", to: session,
                RequestContext(from: player, id: ids ? "k\(number)" : nil))
        }
    }

    @Test func `old rows are removed in small steps, and needed ones stay`() throws {
        try play("over", 9)
        try sessions.close(sessions.session(SessionName("over")!), RequestContext(from: player))
        try play("open", 9)
        try play("ids", 1100, ids: true)
        _ = try sessions.advance(.by(.seconds(3600)))
        try play("young", 9)
        run { groupCommit.isIdle }
        var schedule = JournalRetention.RetentionSchedule()
        schedule.rowsPerStep = 50
        (schedule.stepPause, schedule.firstPause) = (.milliseconds(1), .milliseconds(1))
        // The newest row of `open` is also old: its help screen timed out at 30 s.
        let retention = JournalRetention(
            store, groupCommit, on: loop, keeping: .seconds(1800), schedule: schedule)
        run { retention.rounds == 1 }
        retention.end()
        let rows = try close()
        func count(_ session: String) -> Int { rows.count { $0.session == session } }
        #expect(count("over") == 0)
        #expect(count("open") == 1)
        #expect(count("ids") == 1024)
        #expect(count("young") == 10)
        #expect(count("") == 2, "rows other than those of the start and of the advance are left")
        var reading = JournalReading(pruned: try JournalFile(folder.path).pruned(), answers: 65_536)
        for row in rows { reading.add(row) }
        #expect(reading.scan.damage == [])
        let again = Sessions(AnyFlow.shipped(), on: VirtualClock(startingAt: time.now))
        #expect(
            reading.written().pos == sessions.pos - 3, "changes that were not recorded were counted"
        )
        var more = rows
        again.recorder = { record, previous in
            let row = JournalRow(record, at: Int(more.last!.position) + 1, after: previous)
            more.append(row)
            return row.mark
        }
        defer { again.recorder = nil }
        #expect(again.restore(reading.written(), lastAlive: time.now) == [])
        #expect(again.list(limit: 9).sessions.map(\.seq) == [1101, 11, 10])
        // The rows that were pruned before the restart do not change which session the remaining ids belong to.
        let ids = try again.session(SessionName("ids")!)
        _ = try again.send("displayHelp", to: ids, RequestContext(from: player))
        again.settle(upTo: again.newestRow)
        let oldest = rows.first { $0.session == "ids" && $0.id?.number == 1100 - 1022 }
        #expect(
            again.needs(
                Int(try #require(oldest).position), of: ids.name, idNumber: 1100 - 1022))
        for session in again.list(limit: 9).sessions {
            try again.close(session, RequestContext(from: player))
        }
    }

    @Test func `a heartbeat has the time of its sending`() throws {
        let folder = StateFolder()
        let clock = LoopClock(on: loop)
        let sessions = Sessions(AnyFlow.shipped(), on: clock)
        let store = try SQLiteStore(folder.path, on: loop)
        let groupCommit = GroupCommit(sessions, in: store)
        let retention = JournalRetention(store, groupCommit, on: loop, keeping: nil)
        // Time passes, but the loop does not run.
        let before = clock.now
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .milliseconds(20) {}
        retention.end()
        var isClosed = false
        store.close { isClosed = true }
        run { isClosed }
        let mark = try #require(HighWaterMarkFile.newest(in: folder.path))
        #expect(mark.atNs - before.nanoseconds >= 20_000_000)
    }
}
