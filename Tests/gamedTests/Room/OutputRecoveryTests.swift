import Cluster
import Durability
import GameFlow
import Journal
import Outputs
import Sessions
import TestSupport
import Testing
import Timers

@testable import GamedServer
@testable import Parts
@testable import Room

/// `OutputRecovery` reads the outputs that an earlier run of the daemon, or the earlier owner of a shard, has not sent.
@Suite struct OutputRecoveryTests {
    /// A store whose first `failures` reads fail.
    private final class FailingStore: MemoryStore {
        var failures = 0
        private(set) var reads = 0

        override func walk(
            after position: Int, limit: Int,
            _ done: @escaping (Result<[JournalRow], StoreError>) -> Void
        ) {
            reads += 1
            guard reads > failures else {
                return done(.failure(StoreError(.other, why: "no connection")))
            }
            super.walk(after: position, limit: limit, done)
        }
    }

    private let clock = VirtualClock()
    private let store = FailingStore()
    private let composer: OutputComposer

    init() throws {
        guard case .run(let options) = try Options.read([], flows: AnyFlow.shipped()) else {
            fatalError("the options do not start a daemon")
        }
        composer = OutputComposer(
            OnLines(), instance: "i", journal: 0, OutputNodes(options),
            shardNumber: { _ in 0 })
    }

    private func makeRecovery(retriesFailedReads: Bool) -> OutputRecovery {
        OutputRecovery(
            store, Sessions(AnyFlow.shipped(), on: clock), RowTimes(), upTo: 0, lastAlive: .zero,
            isRealTime: true, retriesFailedReads: retriesFailedReads, on: clock)
    }

    @Test func `the next owner of a shard reads until the database answers, with growing pauses`() {
        store.failures = 8
        let recovery = makeRecovery(retriesFailedReads: true)
        var completions = 0
        recovery.read(composer) { _ in completions += 1 }
        #expect(store.reads == 1 && completions == 0)
        // The first three pauses are 100, 200 and 400 ms.
        clock.advance(by: .milliseconds(700))
        #expect(store.reads == 4)
        clock.advance(by: .seconds(60))
        #expect(store.reads == 9 && completions == 1)
        withExtendedLifetime(recovery) {}
    }

    @Test func `a recovery that is released does not read again`() {
        store.failures = .max
        var recovery: OutputRecovery? = makeRecovery(retriesFailedReads: true)
        recovery?.read(composer) { _ in Issue.record("a released recovery has read") }
        recovery = nil
        clock.advance(by: .seconds(60))
        #expect(store.reads == 1)
    }

    @Test func `a line with open= is not applied to changes from before it was added`() throws {
        let sessions = Sessions(AnyFlow.shipped(), on: clock)
        sessions.recorder = { [store] record, previous in
            let row = JournalRow(record, at: store.rows.count + 1, after: previous)
            store.insert([row])
            return row.journalPosition
        }
        for name in ["early", "late"] {
            clock.advance(by: .seconds(10))
            _ = try sessions.open(
                SessionName(name)!, sessions.flow("game"), RequestContext(from: .program))
        }
        let folder = Folder()
        let path = folder.write(
            "gamed.conf", "on enter=* open=other-$session\non enter=* open=old-$session\n")
        guard
            case .run(let options) = try Options.read(["--config", path], flows: AnyFlow.shipped())
        else {
            Issue.record("the options are not read")
            return
        }
        // The target sessions are in another shard, so the lines make outputs.
        let composer = OutputComposer(
            options.room.onLines, instance: "i", journal: 0, OutputNodes(options),
            shardNumber: { _ in 1 })
        let addedLine = try #require(options.room.onLines.links.first).fingerprint
        let recovery = OutputRecovery(
            store, sessions, RowTimes(), upTo: 2, lastAlive: clock.timerQueue.now, isRealTime: true,
            on: clock
        ) { $0 == addedLine ? Instant.zero + .seconds(15) : .zero }
        var ids: [String] = []
        recovery.read(composer) { remaining in ids = remaining.map(\.output.id) }
        clock.advance(by: .seconds(1))
        // The first line, `other-`, applies only to changes after 15 seconds. The last number of an id is the number of the
        // output's line. The lines are counted as if both lines had always been there.
        #expect(ids == ["i:early:1:2", "i:late:2:1", "i:late:2:2"])
        for session in sessions.list(limit: 10).sessions { session.machine.end() }
    }

    @Test func `a recovery without retriesFailedReads reads once, and a failure gives no outputs`()
    {
        store.failures = .max
        let recovery = makeRecovery(retriesFailedReads: false)
        var completions = 0
        recovery.read(composer) { remaining in
            #expect(remaining.isEmpty)
            completions += 1
        }
        clock.advance(by: .seconds(60))
        #expect(store.reads == 1 && completions == 1)
        withExtendedLifetime(recovery) {}
    }
}
