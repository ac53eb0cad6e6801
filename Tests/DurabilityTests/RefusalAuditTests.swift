import Durability
import GameFlow
import JSONCoding
import Journal
import JournalTestSupport
import RPC
import Sessions
import ShippedFlows
import TestSupport
import Testing
import Timers

/// The rows of refusals, which gamed's option `--audit refusals` records, and the limits of their size and number.
@Suite struct RefusalAuditTests {
    private let fixture = DurabilityFixture(audits: true)
    private let (ann, bob): (DurabilityFixture.Client, DurabilityFixture.Client)

    init() {
        (ann, bob) = (fixture.client(), fixture.client())
        fixture.request("open session=main flow=game", from: ann)
        fixture.store.commit()
        _ = fixture.received(by: ann)
    }

    /// Commits the pending rows, and returns the bodies of the rows of all refusals so far.
    private var refusalBodies: [String] {
        fixture.store.commit()
        return fixture.store.rows.filter { $0.kind == .refusal }.map(\.json)
    }

    @Test func `a short refusal is recorded completely`() {
        fixture.request(#"send pause {"note":"why not?"}"#, from: ann)
        #expect(refusalBodies.count == 1)
        #expect(refusalBodies[0].contains(#""event":{"name":"pause","args":{"note":"why not?"}}"#))
        #expect(!refusalBodies[0].contains("omittedBytes") && !refusalBodies[0].contains("dropped"))
    }

    @Test(arguments: [
        #"send pause {"a":"short","b":"LONG","c":"short"}"#, #"send LONG {"a":1}"#,
        #"send pause {"LONG":1}"#, #"send buzz {"LONG":{"LONG":1}}"#,
    ])
    func `a long refusal is recorded with 1 KiB of arguments and the number of omitted bytes`(
        _ line: String
    ) throws {
        let long = String(repeating: "x", count: 20_000)
        fixture.request(line.replacing("LONG", with: long), from: ann)
        let body = try #require(refusalBodies.first)
        #expect(body.utf8.count < 3000 && body.contains(#""omittedBytes":"#))
        if line.contains("short") { #expect(body.contains(#""args":{"a":"short"},"#)) }
        fixture.request("history", from: bob)
        #expect(fixture.received(by: bob)[0].contains("omittedBytes"))
    }

    @Test
    func `refusals of a source are recorded up to a limit per second, and the others are counted`()
    {
        let limit = fixture.sessions.limits.auditBytes
        for _ in 0..<1000 { fixture.request("send pause", from: ann) }
        let recorded = refusalBodies
        #expect(recorded.map(\.utf8.count).reduce(0, +) < limit + recorded[0].utf8.count)
        #expect(recorded.count < 1000 && fixture.sessions.droppedRefusals == 1000 - recorded.count)
        // The next second begins. The row of the next refusal contains the number of omitted ones.
        fixture.sessions.renewAuditLimits()
        fixture.request("send pause", from: ann)
        #expect(refusalBodies.last?.contains(#""dropped":\#(1000 - recorded.count)}"#) == true)
        fixture.request("history limit=1", from: bob)
        #expect(fixture.received(by: bob)[0].contains(#""dropped":\#(1000 - recorded.count)}"#))
        fixture.request("send pause", from: ann)
        #expect(refusalBodies.last?.contains("dropped") == false)
    }

    @Test func `a row counts the refusals of its own session that were left out`() {
        fixture.request("open session=other flow=game", from: ann)
        for _ in 0..<1000 { fixture.request("send pause", from: ann) }
        let dropped = fixture.sessions.droppedRefusals
        #expect(dropped > 0)
        fixture.sessions.renewAuditLimits()
        fixture.request("send @other pause", from: ann)
        #expect(refusalBodies.last?.contains("dropped") == false)
        fixture.request("send pause", from: ann)
        #expect(refusalBodies.last?.contains(#""dropped":\#(dropped)}"#) == true)
    }

    // MARK: failures of the store

    /// The answer of `presses` for `pause`.
    private func presses() -> String {
        fixture.request("presses event=pause", from: bob)
        // The reply may wait for rows. The store ignores this while it does not work.
        fixture.groupCommit.flush()
        fixture.store.commit()
        return fixture.received(by: bob).last ?? ""
    }

    /// Whether the journal tells a daemon that is started now that no press is missing. Memory has none.
    private func isCompleteAfterRestart() throws -> Bool {
        fixture.groupCommit.flush()
        fixture.store.commit()
        let store = MemoryStore()
        store.insert(fixture.store.rows)
        var reading = JournalReading(prunedUpTo: 0, answerLimit: 100)
        for row in store.rows { reading.add(row) }
        let now = fixture.time.now + .seconds(1)
        let sessions = Sessions(AnyFlow.shipped(), on: VirtualClock(startingAt: now))
        defer { sessions.endMachines() }
        sessions.auditsRefusals = true
        #expect(sessions.restore(reading.content(), lastAlive: now).isEmpty)
        let groupCommit = GroupCommit(sessions, in: store, newest: store.rows.last!.journalPosition)
        sessions.recordStart([SessionRecord.Start.auditNote], lastAlive: now)
        let identity = Dispatcher.ServerIdentity(version: "0", instance: "0", limits: [])
        let handler = ProtocolHandler(Dispatcher(sessions, identity, archive: groupCommit))
        let caller = TestCaller(Players.player, sessions)
        handler.answer(.line(Array("presses event=pause".utf8)[...]), from: caller)
        groupCommit.flush()
        caller.outbox.release(upTo: sessions.durableRow)
        let answer = String(decoding: caller.outbox.takeSendableBytes(), as: UTF8.self)
        #expect(answer.contains(#""complete":"#), "\(answer)")
        return answer.contains(#""complete":true"#)
    }

    /// Begins to record, and sends a refused event in a new session, whose opening begins the list of presses.
    private func begin() {
        fixture.sessions.recordStart([SessionRecord.Start.auditNote], lastAlive: .zero)
        fixture.request("advance 1s", from: ann)
        fixture.request("close session=main", from: ann)
        fixture.request("open session=main flow=game", from: ann)
        fixture.request("send pause", from: ann)
        fixture.store.commit()
    }

    @Test func `after a restart, recorded refusals are complete if the store has worked`() throws {
        begin()
        #expect(try isCompleteAfterRestart())
    }

    @Test(arguments: [0, 2])
    func
        `refusals while the store does not work are counted, and the journal says that they are missing`(
            _ count: Int
        ) throws
    {
        begin()
        // The row of this refusal is undone.
        fixture.request("send pause", from: ann)
        fixture.store.fail()
        fixture.store.completeRecovery(works: false)
        // The error of an unknown event does not depend on the store; that of `pause` is `storage`, which is no refusal.
        for _ in 0..<count { fixture.request("send nothing", from: ann) }
        fixture.request("send pause", from: ann)
        #expect(fixture.sessions.droppedRefusals == 1 + count)
        #expect(presses().contains(#""complete":false"#))
        fixture.retry()
        fixture.store.completeRecovery(works: true)
        #expect(presses().contains(#""complete":false"#))
        #expect(try !isCompleteAfterRestart())
        // The store fails again, and then once more before it has the row that says so.
        for _ in 0..<2 {
            fixture.request("send pause", from: ann)
            fixture.store.fail()
            fixture.store.completeRecovery(works: true)
            fixture.retry()
            fixture.store.completeRecovery(works: true)
        }
        #expect(try !isCompleteAfterRestart())
        fixture.request("send pause", from: ann)
        #expect(refusalBodies.last?.contains(#""dropped":\#(3 + count)}"#) == true)
        // The next list is complete again.
        fixture.request("advance 1s", from: ann)
        fixture.request("close session=main", from: ann)
        fixture.request("open session=main flow=game", from: ann)
        fixture.request("send pause", from: ann)
        #expect(presses().contains(#""complete":true"#))
        #expect(try isCompleteAfterRestart())
        #expect(fixture.sessions.droppedRefusals == 3 + count)
        let replay = JournalReplay(AnyFlow.shipped())
        for row in fixture.store.rows { #expect(replay.execute(row) == nil) }
    }
}
