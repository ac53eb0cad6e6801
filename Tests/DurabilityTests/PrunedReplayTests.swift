import Durability
import FlowFiles
import GameFlow
import Journal
import Sessions
import Testing
import Timers

/// Replays of journals whose old rows were removed.
@Suite struct PrunedReplayTests {
    private static let text = """
        flow: count
        start: one
        events: {up: }
        data: {n: integer = 0}
        states:
          one:
            timers: {tick: {every: 3s}}
            on: {up: {with: {n: =n + 1}}, tick: stay}
        """

    private let flow: AnyFlow
    private let fixture: RestartFixture
    private let context = RequestContext(from: .program)

    init() throws {
        flow = try FlowFile(text: Array(Self.text.utf8), file: "count.yaml").flow
        fixture = RestartFixture([flow])
    }

    private func session(_ name: String) throws -> Session {
        try fixture.sessions.session(SessionName(name)!)
    }

    private func up(_ name: String, id: String? = nil) throws {
        _ = try fixture.sessions.send(
            "up", to: session(name), RequestContext(from: .program, id: id))
    }

    private func undo(_ name: String, after seq: Int? = nil) throws {
        _ = try fixture.sessions.undo(after: seq, session(name), context)
    }

    private func close(_ name: String) throws {
        _ = try fixture.sessions.close(session(name), context)
    }

    /// Replays the rows without those at the positions `removed`. Returns the first difference, and the number of changes that were
    /// compared.
    private func replay(without removed: [Int], prunedUpTo pruned: Int? = nil) -> (
        difference: JournalReplay.Difference?, changes: Int
    ) {
        let replay = JournalReplay([flow], prunedUpTo: pruned ?? removed.last ?? 0)
        for row in fixture.rows where !removed.contains(row.position) {
            if let difference = replay.execute(row) { return (difference, replay.changes) }
        }
        return (replay.finish(), replay.changes)
    }

    // Row 1 is the start, and row 2 the text of the flow.

    @Test func `a session that was opened after removed rows is replayed with its numbers`()
        throws
    {
        try fixture.open("a")  // row 3
        for _ in 0..<5 { try up("a") }  // rows 4 to 8
        try fixture.open("b")  // row 9
        try close("a")
        try up("b")
        try fixture.open("a")  // row 12
        try up("a")
        // Row 8 was the newest of its session when the rows before it were removed.
        #expect(replay(without: [3, 4, 5, 6, 7]).difference == nil)
        // Rows are missing before both openings.
        let result = replay(without: [3, 4, 5, 6, 7, 8, 10])
        #expect(result.difference == nil)
        #expect(result.changes == 4)
        // Unless rows were removed, no number may be missing.
        #expect(replay(without: [3, 4, 5, 6, 7, 8], prunedUpTo: 0).difference?.position == 9)
        // The row 11 is lost, and was not removed.
        #expect(replay(without: [3, 4, 11], prunedUpTo: 4).difference?.position == 12)
    }

    @Test func `a session continues from a row whose previous row was removed`() throws {
        _ = try fixture.sessions.open(
            SessionName("a")!, flow, RequestContext(from: .program, id: "k"))  // row 3
        for _ in 0..<3 { try up("a") }  // rows 4 to 6
        try up("a", id: "l")
        try up("a")
        // The rows of requests with an id are needed.
        let result = replay(without: [4, 5, 6])
        #expect(result.difference == nil)
        #expect(result.changes == 2)
    }

    @Test func `an undo of steps whose rows were removed is taken from its row`() throws {
        try fixture.open("a")  // row 3
        for _ in 0..<4 { try up("a") }  // rows 4 to 7
        fixture.advance(by: .seconds(4))
        try undo("a")  // row 8
        try up("a")
        try undo("a")
        try undo("a", after: 2)  // row 11
        fixture.advance(by: .seconds(4))
        try up("a")
        try undo("a")
        #expect(try session("a").machine.place.data == [Member("n", 1)])
        // Row 7 was the newest when the rows before it were removed. The undos in the rows 8 and 11 take back older steps.
        let result = replay(without: [3, 4, 5, 6])
        #expect(result.difference == nil)
        #expect(result.changes == 4)
        // With all rows, each undo is compared.
        #expect(replay(without: []).changes == 11)
    }

    @Test func `an undo is taken from its row if another session was restored after the step`()
        throws
    {
        try fixture.open("a")  // row 3
        try fixture.open("b")
        try up("b")  // row 5
        try up("a")
        try up("b")  // row 7
        try undo("a")
        try up("b")
        try undo("b")
        let first = replay(without: [4, 5])
        #expect(first.difference == nil)
        #expect(first.changes == 4)
        // A session that was opened again has all its steps in its rows.
        try close("a")
        try fixture.open("a")
        try up("a")
        try undo("a")
        let result = replay(without: [4, 5])
        #expect(result.difference == nil)
        #expect(result.changes == 8)
    }
}
