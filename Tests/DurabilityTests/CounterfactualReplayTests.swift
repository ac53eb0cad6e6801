import Durability
import GameFlow
import Journal
import Sessions
import ShippedFlows
import TestSupport
import Testing
import Timers

@Suite struct CounterfactualReplayTests {
    /// Replays sessions of `rows` with `flow`: the sessions whose flow has the same name, or all sessions if none has. The rows
    /// up to the position `pruned` were removed.
    private func traces(_ flow: AnyFlow, _ rows: [JournalRow], prunedUpTo pruned: Int = 0)
        -> [SessionTrace]
    {
        let isPlayed = rows.contains { CounterfactualReplay.plays(flow.name, $0) }
        let replay = CounterfactualReplay(
            flow, programFlows: AnyFlow.shipped(), replaysAllSessions: !isPlayed, prunedUpTo: pruned
        )
        for row in rows { replay.execute(row) }
        replay.finish()
        return replay.traces
    }

    /// The name of the state in a record; nil if the record has no state.
    private func state(_ record: SessionRecord?) -> String? {
        record.flatMap { RecordContent($0).state?.state }
    }

    /// Two lamps: `a` is lit and goes out after its time-out of a minute; `b` is lit and broken by a hit.
    private func twoLamps() throws -> RestartFixture {
        let fixture = RestartFixture([AnyFlow(Lamp())])
        try fixture.open("a")
        try fixture.open("b")
        try fixture.send("press", to: "a")
        fixture.advance(by: .seconds(10))
        try fixture.send("press", to: "b")
        try fixture.send("hit", to: "b")
        fixture.advance(by: .seconds(55), late: .milliseconds(3))
        return fixture
    }

    /// Random steps of sessions of all flows, with late timers and restarts.
    @Test(arguments: seeds(4, long: 20))
    func `a replay with an unchanged flow has no differences`(
        _ seed: UInt64
    ) throws {
        var random = SeededRandom(seed)
        let fixture = RestartFixture()
        let names = ["a", "b", "c"].map { SessionName($0)! }
        for _ in 0..<200 { try fixture.step(&random, random.pick(names)) }
        func text(_ record: SessionRecord?) -> String {
            record.map { "\($0.at) " + "\($0.members)" } ?? "-"
        }
        let replay = JournalReplay(fixture.sessions.flows)
        let firstDifference = fixture.rows.lazy.compactMap { replay.execute($0) }.first
        #expect(
            firstDifference?.position == nil,
            """
            seed \(seed): row \(firstDifference?.position ?? 0), \(firstDifference?.why ?? "")
            \(text(firstDifference?.recorded))
            \(text(firstDifference?.replayed))
            """)
        for flow in AnyFlow.shipped() {
            guard fixture.rows.contains(where: { CounterfactualReplay.plays(flow.name, $0) }) else {
                continue
            }
            for trace in traces(flow, fixture.rows) {
                guard let difference = trace.difference else { continue }
                Issue.record(
                    """
                    seed \(seed), \(flow.name), \(trace.session.text) \(trace.opening): \
                    row \(difference.position ?? 0), \(difference.kind)
                    \(text(difference.recorded))
                    \(text(difference.replayed))
                    """)
                return
            }
        }
    }

    @Test func `with a shorter time-out, the first difference is the earlier firing`() throws {
        let rows = try twoLamps().rows
        #expect(traces(AnyFlow(Lamp()), rows).allSatisfy { $0.difference == nil })
        let foundTraces = traces(AnyFlow(Lamp(limit: .seconds(30))), rows)
        #expect(foundTraces.map(\.session.text) == ["a", "b"])
        let difference = try #require(foundTraces[0].difference)
        #expect(difference.kind == .different)
        #expect(difference.at == Instant(nanoseconds: 30_000_000_000))
        // `changes` counts the changes that are equal in the recording and the replay: `a` was opened and pressed.
        #expect(foundTraces[0].changes == 2)
        // Lamp `b` was hit before the recorded time-out and before the shorter time-out.
        #expect(foundTraces[1].difference == nil)
        #expect(foundTraces[1].changes == 3)
    }

    @Test func `with a longer time-out, a recorded change that no longer happens is found`()
        throws
    {
        let foundTraces = traces(AnyFlow(Lamp(limit: .seconds(3600))), try twoLamps().rows)
        let difference = try #require(foundTraces[0].difference)
        #expect(difference.kind == .missing)
        #expect(state(difference.recorded) == "off")
        #expect(state(foundTraces[0].newestRecorded) == "off")
        #expect(state(foundTraces[0].newestReplayed) == "on")
    }

    @Test func `a change that only the replay makes is found, even after the last recorded one`()
        throws
    {
        let fixture = RestartFixture([AnyFlow(Lamp())])
        try fixture.open("a")
        try fixture.send("press", to: "a")
        fixture.advance(by: .seconds(40))
        try fixture.open("b")
        let foundTraces = traces(AnyFlow(Lamp(limit: .seconds(30))), fixture.rows)
        #expect(foundTraces[0].difference?.kind == .extra)
        #expect(foundTraces[0].difference?.recorded == nil)
        #expect(state(foundTraces[0].newestReplayed) == "off")
        #expect(foundTraces[1].difference == nil)
    }

    @Test func `an event that only the replay refuses is a difference, and the replay continues`()
        throws
    {
        let foundTraces = traces(AnyFlow(Lamp(hasBroken: false)), try twoLamps().rows)
        #expect(foundTraces[1].difference?.kind == .refused("noTransition"))
        #expect(state(foundTraces[1].newestRecorded) == "broken")
        #expect(state(foundTraces[1].newestReplayed) == "on")
        #expect(foundTraces[0].difference == nil)
    }

    @Test
    func `a recorded refusal of an event that the replay accepts is a difference`()
        throws
    {
        let fixture = RestartFixture([AnyFlow(Lamp())])
        try fixture.open("a")
        try fixture.send("press", to: "a")
        #expect(throws: RequestError.self) { try fixture.send("press", to: "a") }
        let foundTraces = traces(AnyFlow(Lamp(acceptsPressWhileOn: true)), fixture.rows)
        #expect(foundTraces[0].difference?.kind == .accepted("noTransition"))
        #expect(foundTraces[0].difference?.position == 4)
    }

    @Test func `after a recorded restart the replay continues with its own state`() throws {
        let fixture = RestartFixture([AnyFlow(Lamp())])
        try fixture.open("a")
        try fixture.send("press", to: "a")
        fixture.advance(by: .seconds(40))
        fixture.restart(after: .seconds(5))
        fixture.advance(by: .seconds(10))
        #expect(throws: (any Error).self) { try fixture.send("nothing", to: "a") }
        // In the recording the lamp was on at the restart; with the shorter time-out it is off by then.
        let foundTraces = traces(AnyFlow(Lamp(limit: .seconds(30))), fixture.rows)
        #expect(foundTraces[0].difference?.kind == .extra)
        #expect(foundTraces[0].difference?.at == Instant(nanoseconds: 30_000_000_000))
        #expect(state(foundTraces[0].newestRecorded) == "on")
        #expect(state(foundTraces[0].newestReplayed) == "off")
        let withoutBroken = traces(AnyFlow(Lamp(hasBroken: false)), fixture.rows)
        #expect(withoutBroken[0].difference == nil)
    }

    @Test func `a flow that no session uses is tried with all sessions`() throws {
        let fixture = RestartFixture()
        // 1 is the index of a shipped flow.
        try fixture.open("a", 1)
        let flow = AnyFlow(Lamp())
        #expect(!fixture.rows.contains { CounterfactualReplay.plays("lamp", $0) })
        let foundTraces = traces(flow, fixture.rows)
        #expect(foundTraces.count == 1)
        #expect(state(foundTraces[0].newestReplayed) == "off")
    }

    @Test func `a session whose first rows were removed is replayed from its first remaining row`()
        throws
    {
        let fixture = try twoLamps()
        try fixture.send("press", to: "a")
        let rows = fixture.rows.filter { $0.session != "" && $0.position > 4 }
        let foundTraces = traces(AnyFlow(Lamp()), rows, prunedUpTo: 4)
        #expect(foundTraces.map(\.session.text) == ["b", "a"])
        #expect(foundTraces.allSatisfy { !$0.beginsAtOpening })
        #expect(foundTraces.allSatisfy { $0.difference == nil })
        let replay = JournalReplay(fixture.sessions.flows, prunedUpTo: 4)
        #expect(rows.allSatisfy { replay.execute($0) == nil })
    }

    @Test func `a damaged row is a difference of a replay, and a counterfactual replay skips it`()
        throws
    {
        var rows = try twoLamps().rows
        let row = rows[3]
        rows[3] = JournalRow(
            row.kind, position: row.position, session: row.session, seq: row.seq, atNs: .max,
            id: row.id, body: row.body,
            after: row.previous, checksum: row.checksum)
        let replay = JournalReplay([AnyFlow(Lamp())])
        let first = rows.lazy.compactMap { replay.execute($0) }.first
        #expect(first?.position == 4 && first?.why == "its checksum is wrong")
        let counterfactual = CounterfactualReplay(
            AnyFlow(Lamp()), programFlows: [], replaysAllSessions: false)
        for row in rows { counterfactual.execute(row) }
        counterfactual.finish()
        #expect(counterfactual.unreadRows == 1)
    }

    @Test func `each session that reuses a name has a trace of its own`() throws {
        let fixture = RestartFixture([AnyFlow(Lamp())])
        for _ in 0..<2 {
            try fixture.open("a")
            try fixture.send("press", to: "a")
            try fixture.sessions.close(
                fixture.sessions.session(SessionName("a")!), RequestContext(from: Players.player))
        }
        let foundTraces = traces(AnyFlow(Lamp()), fixture.rows)
        #expect(foundTraces.map(\.opening) == [1, 2])
        #expect(foundTraces.map(\.changes) == [3, 3])
        #expect(foundTraces.allSatisfy { state($0.newestRecorded) == nil && $0.difference == nil })
    }
}
