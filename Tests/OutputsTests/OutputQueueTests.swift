import Outputs
import Sessions
import Testing
import Timers

/// The queue's methods take positions of rows in the journal: `after:` is the row of a change, `upTo:` and `to:` are the newest
/// durable row, and `recordsWritten(in:)` names the row that contains all records of `unwrittenRecords`.
@Suite struct OutputQueueTests {
    private let session = SessionName("vault")!
    private let start = Instant.zero

    private func output(
        _ seq: Int, isOnce: Bool = false, of journal: Int = 0, to target: String = "lock"
    ) -> Output<Int> {
        let key = DeliveryRecord.Key(pos: seq, line: 7, occasion: 0)
        return Output(
            id: "\(seq)", target: target, line: 7, journal: journal,
            origin: OutputOrigin(session, seq: seq, key, number: 1), isOnce: isOnce, content: seq)
    }

    private func ids(_ outputs: [Output<Int>]) -> [String] { outputs.map(\.id) }

    @Test func `an output waits until its change is durable, and its delivery is recorded once`() {
        var queue = OutputQueue<Int>()
        queue.add(output(1), after: 3)
        queue.commit(upTo: 2, at: start)
        #expect(queue.due(at: start).isEmpty)
        queue.commit(upTo: 3, at: start)
        #expect(ids(queue.due(at: start)) == ["1"])
        #expect(queue.unwrittenRecords().isEmpty)
        queue.attemptEnded("1", of: "lock", .delivered, at: start)
        #expect(queue.unwrittenRecords().map(\.outcome) == [.delivered])
        #expect(queue.unwrittenRecords().map(\.key.pos) == [1])
        queue.recordsWritten(in: 4)
        #expect(queue.unwrittenRecords().isEmpty)
        #expect(queue.takeFinished().map(\.outcome) == [.delivered])
        // The record is in row 4 and durable, so after a rollback to row 4 it is not written again.
        queue.commit(upTo: 4, at: start)
        queue.rollBack(to: 4)
        #expect(queue.unwrittenRecords().isEmpty)
    }

    @Test func `outputs of rolled back changes are dropped without a record`() {
        var queue = OutputQueue<Int>()
        queue.add(output(1), after: 3)
        queue.add(output(2), after: 5)
        queue.rollBack(to: 4)
        queue.commit(upTo: 9, at: start)
        #expect(ids(queue.due(at: start)) == ["1"])
        queue.attemptEnded("1", of: "lock", .delivered, at: start)
        #expect(queue.waiting == 0)
        #expect(queue.unwrittenRecords().map(\.key.pos) == [1])
    }

    @Test func `a record that was rolled back is written again`() {
        var queue = OutputQueue<Int>()
        queue.add(output(1), after: 1)
        queue.commit(upTo: 1, at: start)
        _ = queue.due(at: start)
        queue.attemptEnded("1", of: "lock", .delivered, at: start)
        queue.recordsWritten(in: 2)
        queue.rollBack(to: 1)
        #expect(queue.unwrittenRecords().map(\.outcome) == [.delivered])
    }

    /// Before an output that may be sent only once is sent, a record says that its attempt begins. The output waits until this
    /// record is durable. Here the change is in row 4, and the record in row 5.
    @Test func `an output is given up, not sent, if the record of its attempt was rolled back`() {
        var queue = OutputQueue<Int>()
        queue.add(output(1, isOnce: true), after: 5, change: 4)
        queue.rollBack(to: 4)
        queue.commit(upTo: 9, at: start)
        #expect(queue.due(at: start).isEmpty)
        #expect(queue.takeFinished().map(\.why) == ["the storage failed"])
    }

    @Test func `a durable undo gives up the outputs of the undone changes that still wait`() {
        var queue = OutputQueue<Int>()
        for seq in 1...3 { queue.add(output(seq), after: seq) }
        queue.commit(upTo: 3, at: start)
        queue.undo(session, 2...3, after: 4)
        #expect(queue.waiting == 3)
        queue.undo(SessionName("other")!, 1...3, after: 4)
        queue.commit(upTo: 4, at: start)
        #expect(queue.waiting == 1)
        #expect(queue.takeFinished().map(\.output.id) == ["2", "3"])
        #expect(queue.unwrittenRecords().map(\.outcome) == [.givenUp, .givenUp])
    }

    @Test func `the outputs of a change that is undone in the same commit are not sent`() {
        var queue = OutputQueue<Int>()
        queue.add(output(1), after: 1)
        queue.undo(session, 1...1, after: 2)
        queue.commit(upTo: 2, at: start)
        #expect(queue.due(at: start).isEmpty)
    }

    @Test func `an output with a reason to withhold it is recorded as withheld and not sent`() {
        var queue = OutputQueue<Int>()
        queue.add(output(1), after: 1)
        queue.commit(upTo: 1, at: start) { _ in "outputs are off" }
        #expect(queue.due(at: start).isEmpty)
        #expect(queue.unwrittenRecords().map(\.outcome) == [.withheld])
        let finished = queue.takeFinished()
        #expect(finished.map(\.outcome) == [.withheld])
        #expect(finished.map(\.why) == ["outputs are off"])
    }

    @Test
    func
        `the maximum age is measured from the change, and the times of the attempts from the commit`()
    {
        var queue = OutputQueue<Int>()
        queue.add(output(1).made(at: start), after: 1)
        let commit = start + .seconds(7)
        queue.commit(upTo: 1, at: commit)
        #expect(ids(queue.due(at: commit)) == ["1"])
        queue.attemptEnded("1", of: "lock", .failed("x"), at: commit)
        #expect(queue.nextWake == commit + .seconds(1))
        _ = queue.due(at: commit + .seconds(1))
        queue.attemptEnded("1", of: "lock", .failed("x"), at: commit + .seconds(1))
        _ = queue.due(at: commit + .seconds(2))
        // The third attempt is due 5 s after the commit. The commit is 7 s after the change, so the output would then be 12 s old.
        // Its maximum age is 10 s.
        queue.attemptEnded("1", of: "lock", .failed("x"), at: commit + .seconds(2))
        #expect(queue.takeFinished().map(\.why) == ["too old: x"])
    }

    @Test
    func `after a restart of the daemon, the age of an output is still measured from its change`() {
        var queue = OutputQueue<Int>()
        // The maximum age is 10 s.
        let now = start + .seconds(100)
        queue.add(output(1).made(at: now + .seconds(-11), isCommitted: true), after: 0)
        queue.add(output(2).made(at: now + .seconds(-3), isCommitted: true), after: 0)
        queue.commit(upTo: 0, at: now)
        #expect(ids(queue.due(at: now)) == ["2"])
        #expect(queue.takeFinished().map(\.why) == ["too old"])
    }

    // MARK: several journals

    @Test func `a commit or rollback of one journal does not affect the outputs of another`() {
        var queue = OutputQueue<Int>()
        queue.add(output(1, of: 4), after: 9)
        queue.add(output(2, of: 5), after: 3)
        queue.commit(upTo: 8, in: 5, at: start)
        #expect(ids(queue.due(at: start)) == ["2"])
        queue.attemptEnded("2", of: "lock", .delivered, at: start)
        #expect(queue.unwrittenJournals == [5])
        queue.recordsWritten(in: 4, of: 5)
        queue.rollBack(to: 8, in: 4)
        #expect(!queue.waits(for: 4) && queue.waits(for: 5))
        queue.rollBack(to: 3, in: 5)
        #expect(queue.unwrittenRecords(in: 5).map(\.outcome) == [.delivered])
        #expect(queue.unwrittenRecords(in: 4).isEmpty)
    }

    @Test
    func `an output that waits for its journal delays only the later outputs of its target`() {
        var queue = OutputQueue<Int>()
        queue.add(output(1, of: 4), after: 1)
        queue.add(output(2, of: 5), after: 1)
        queue.add(output(3, of: 5, to: "lamp"), after: 1)
        for journal in [4, 5] { queue.commit(upTo: 1, in: journal, at: start) }
        #expect(ids(queue.due(at: start) { $0.journal != 4 }) == ["3"])
        let later = start + .seconds(1)
        #expect(ids(queue.due(at: later)) == ["1"])
        queue.attemptEnded("1", of: "lock", .delivered, at: later)
        #expect(ids(queue.due(at: later)) == ["2"])
        #expect(queue.isSending(for: 5) && !queue.isSending(for: 4))
    }

    @Test func `when another process takes a journal over, the queue forgets its outputs`() {
        var queue = OutputQueue<Int>()
        for seq in 1...3 { queue.add(output(seq, of: 4), after: seq) }
        queue.add(output(4, of: 5), after: 1)
        queue.commit(upTo: 2, in: 4, at: start)
        queue.commit(upTo: 1, in: 5, at: start)
        #expect(ids(queue.due(at: start)) == ["1"])
        queue.removeAll(of: 4)
        #expect(queue.waiting == 1)
        // The end of the attempt for the forgotten output is ignored.
        queue.attemptEnded("1", of: "lock", .delivered, at: start)
        #expect(queue.takeFinished().isEmpty && queue.unwrittenJournals.isEmpty)
        queue.commit(upTo: 9, in: 4, at: start)
        #expect(ids(queue.due(at: start)) == ["4"])
    }
}
