import Outputs
import Sessions
import Testing
import Timers

@Suite struct OutputQueueTests {
    private let session = SessionName("vault")!
    private let start = Instant.zero

    private func output(_ seq: Int, isOnce: Bool = false) -> Output<Int> {
        let key = DeliveryRecord.Key(pos: seq, line: 7, occasion: 0)
        return Output(
            id: "\(seq)", target: "lock", line: 7,
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
        #expect(queue.unwritten.isEmpty)
        queue.ended("1", of: "lock", .delivered, at: start)
        #expect(queue.unwritten.map(\.outcome) == [.delivered])
        #expect(queue.unwritten.map(\.key.pos) == [1])
        queue.wrote(in: 4)
        #expect(queue.unwritten.isEmpty)
        #expect(queue.takeFinished().map(\.outcome) == [.delivered])
        queue.commit(upTo: 4, at: start)
        queue.rollBack(to: 4)
        #expect(queue.unwritten.isEmpty)
    }

    @Test func `outputs of rolled back changes are dropped without a record`() {
        var queue = OutputQueue<Int>()
        queue.add(output(1), after: 3)
        queue.add(output(2), after: 5)
        queue.rollBack(to: 4)
        queue.commit(upTo: 9, at: start)
        #expect(ids(queue.due(at: start)) == ["1"])
        queue.ended("1", of: "lock", .delivered, at: start)
        #expect(queue.waiting == 0)
        #expect(queue.unwritten.map(\.key.pos) == [1])
    }

    @Test func `a record that was rolled back is written again`() {
        var queue = OutputQueue<Int>()
        queue.add(output(1), after: 1)
        queue.commit(upTo: 1, at: start)
        _ = queue.due(at: start)
        queue.ended("1", of: "lock", .delivered, at: start)
        queue.wrote(in: 2)
        queue.rollBack(to: 1)
        #expect(queue.unwritten.map(\.outcome) == [.delivered])
    }

    @Test func `an output whose beginning could not be recorded is given up, not sent`() {
        var queue = OutputQueue<Int>()
        queue.add(output(1, isOnce: true), after: 5, change: 4)
        queue.rollBack(to: 4)
        queue.commit(upTo: 9, at: start)
        #expect(queue.due(at: start).isEmpty)
        #expect(queue.takeFinished().map(\.why) == ["the storage failed"])
    }

    @Test func `an undo gives up the outputs that still wait, when it is durable`() {
        var queue = OutputQueue<Int>()
        for seq in 1...3 { queue.add(output(seq), after: seq) }
        queue.commit(upTo: 3, at: start)
        queue.undo(session, 2...3, after: 4)
        #expect(queue.waiting == 3)
        queue.undo(SessionName("other")!, 1...3, after: 4)
        queue.commit(upTo: 4, at: start)
        #expect(queue.waiting == 1)
        #expect(queue.takeFinished().map(\.output.id) == ["2", "3"])
        #expect(queue.unwritten.map(\.outcome) == [.givenUp, .givenUp])
    }

    @Test func `an undo that is durable with its changes lets nothing be sent`() {
        var queue = OutputQueue<Int>()
        queue.add(output(1), after: 1)
        queue.undo(session, 1...1, after: 2)
        queue.commit(upTo: 2, at: start)
        #expect(queue.due(at: start).isEmpty)
    }

    @Test func `while outputs are off they are recorded as withheld and not sent`() {
        var queue = OutputQueue<Int>()
        queue.add(output(1), after: 1)
        queue.commit(upTo: 1, at: start) { _ in false }
        #expect(queue.due(at: start).isEmpty)
        #expect(queue.unwritten.map(\.outcome) == [.withheld])
        #expect(queue.takeFinished().map(\.outcome) == [.withheld])
    }

    @Test func `the age counts from the change, and the attempts from its commit`() {
        var queue = OutputQueue<Int>()
        queue.add(output(1).made(at: start), after: 1)
        let commit = start + .seconds(7)
        queue.commit(upTo: 1, at: commit)
        #expect(ids(queue.due(at: commit)) == ["1"])
        queue.ended("1", of: "lock", .failed("x"), at: commit)
        #expect(queue.nextWake == commit + .seconds(1))
        _ = queue.due(at: commit + .seconds(1))
        queue.ended("1", of: "lock", .failed("x"), at: commit + .seconds(1))
        _ = queue.due(at: commit + .seconds(2))
        // The next attempt would be 12 s after the change.
        queue.ended("1", of: "lock", .failed("x"), at: commit + .seconds(2))
        #expect(queue.takeFinished().map(\.why) == ["too old: x"])
    }

    @Test func `an output of an earlier start counts its age from its change`() {
        var queue = OutputQueue<Int>()
        let now = start + .seconds(100)
        queue.add(output(1).made(at: now + .seconds(-11), isCommitted: true), after: 0)
        queue.add(output(2).made(at: now + .seconds(-3), isCommitted: true), after: 0)
        queue.commit(upTo: 0, at: now)
        #expect(ids(queue.due(at: now)) == ["2"])
        #expect(queue.takeFinished().map(\.why) == ["too old"])
    }
}
