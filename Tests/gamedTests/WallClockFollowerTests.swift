import Durability
import FlowFiles
import GameFlow
import JSONCoding
import Journal
import RPC
import Sessions
import Shards
import ShippedFlows
import TestSupport
import Testing
import Timers

@testable import GamedServer

/// The wall clock of the machine is set while the daemon runs.
@Suite struct WallClockFollowerTests {
    private let clock = ReplayClock(startingAt: Instant(nanoseconds: 1_000_000_000_000))
    private let sessions: Sessions

    init() { sessions = Sessions(AnyFlow.shipped(), on: clock) }

    /// Moves the sessions' clock by a second, and checks the wall clock, which is ahead by `lead`.
    private func step(lead: Duration) -> Duration? {
        clock.move(to: sessions.now + .seconds(1))
        return WallClockFollower.check(sessions, sessions.now + lead, isStored: true)
    }

    @Test func `a step of more than a second is noticed once, and dates follow it`() {
        #expect(step(lead: .milliseconds(900)) == nil)
        #expect(sessions.clockCorrections.date(of: sessions.now) == sessions.now)
        #expect(step(lead: .seconds(3600)) == .seconds(3600))
        #expect(step(lead: .seconds(3600) + .milliseconds(900)) == nil)
        #expect(sessions.clockCorrections.date(of: sessions.now) == sessions.now + .seconds(3600))
        #expect(step(lead: .seconds(-10)) == .seconds(-3610))
        #expect(sessions.clockCorrections.date(of: sessions.now) == sessions.now + .seconds(-10))
    }

    @Test func `a step is recorded, and the dates of before are kept over a restart`() throws {
        var rows: [JournalRow] = []
        sessions.recorder = { record, previous in
            let row = JournalRow(record, at: rows.count + 1, after: previous)
            rows.append(row)
            return row.journalPosition
        }
        sessions.recordStart([], lastAlive: sessions.now)
        let before = sessions.now
        _ = step(lead: .seconds(100))
        let after = sessions.now
        _ = try sessions.open(
            SessionName("a")!, sessions.flows[0], RequestContext(from: .program))
        var reading = JournalReading(prunedUpTo: 0, answerLimit: 10)
        for row in rows { reading.add(row) }
        let restored = Sessions(
            AnyFlow.shipped(), on: ReplayClock(startingAt: after + .seconds(5)))
        _ = restored.restore(reading.content(), lastAlive: after)
        #expect(restored.clockCorrections.date(of: before) == before)
        #expect(restored.clockCorrections.date(of: after) == after + .seconds(100))
        let replay = JournalReplay(sessions.flows)
        #expect(rows.allSatisfy { replay.execute($0) == nil } && replay.finish() == nil)
        for session in sessions.all + restored.all { session.machine.end() }
    }

    @Test func `timers at a time of day follow the wall clock, and a replay finds that`() throws {
        let text =
            "{flow: x, start: a, events: {go: }, states: {a: {timers: {t: {until: '20:00'}}, on: {t: a, go: stay}}}}"
        let flow = try FlowFile(text: Array(text.utf8), file: "x.yaml").flow
        let sessions = Sessions([flow], on: clock)
        var rows: [JournalRow] = []
        sessions.recorder = { record, previous in
            let row = JournalRow(record, at: rows.count + 1, after: previous)
            rows.append(row)
            return row.journalPosition
        }
        _ = try sessions.open(SessionName("a")!, flow, RequestContext(from: .program))
        let session = try sessions.session(SessionName("a")!)
        let before = try #require(session.machine.timer("t")?.info.deadline)
        #expect(
            WallClockFollower.check(sessions, sessions.now + .seconds(100), isStored: true) != nil)
        let after = try #require(session.machine.timer("t")?.info.deadline)
        #expect(after == before + .seconds(-100))
        #expect(rows.count == 4)
        clock.move(to: after)
        clock.fireNext(at: after)
        #expect(session.seq == 3)
        let replay = JournalReplay([flow])
        #expect(rows.allSatisfy { replay.execute($0) == nil } && replay.finish() == nil)
        session.machine.end()
    }

    @Test func `changes show the date of then, and atMs does not follow it`() throws {
        _ = step(lead: .seconds(86_400))
        _ = try sessions.open(
            SessionName("a")!, sessions.flows[0], RequestContext(from: .program))
        let change = try #require(try sessions.session(SessionName("a")!).last)
        var writer = JSONWriter()
        Encoder(sessions.clockCorrections).write(change, .full, to: &writer)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(text.contains(#""atMs":1001000,"time":"1970-01-02T00:16:41.000Z""#), "\(text)")
        for session in sessions.all { session.machine.end() }
    }
}
