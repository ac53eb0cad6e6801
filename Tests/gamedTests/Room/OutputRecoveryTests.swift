import Durability
import GameFlow
import Journal
import Outputs
import Sessions
import TestSupport
import Testing
import Timers

@testable import GamedServer

/// Reading the outputs that an earlier start, or an earlier owner, has left.
@Suite struct OutputRecoveryTests {
    /// A store whose first reads fail.
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
            fatalError("it does not run")
        }
        composer = OutputComposer(
            OnLines(), instance: "i", journal: 0, OutputNodes(options), remoteShard: { _, _ in nil }
        )
    }

    private func recovery(retries: Bool) -> OutputRecovery {
        OutputRecovery(
            store, Sessions(AnyFlow.shipped(), on: clock), RowTimes(), upTo: 0, lastAlive: .zero,
            isRealTime: true, retries: retries, on: clock)
    }

    @Test func `the next owner reads until the database answers, with growing pauses`() {
        store.failures = 8
        let recovery = recovery(retries: true)
        var ends = 0
        recovery.read(composer) { _ in ends += 1 }
        #expect(store.reads == 1 && ends == 0)
        clock.advance(by: .milliseconds(700))
        #expect(store.reads == 4)
        clock.advance(by: .seconds(60))
        #expect(store.reads == 9 && ends == 1)
        withExtendedLifetime(recovery) {}
    }

    @Test func `a released recovery reads no more`() {
        store.failures = .max
        var recovery: OutputRecovery? = recovery(retries: true)
        recovery?.read(composer) { _ in Issue.record("it was read") }
        recovery = nil
        clock.advance(by: .seconds(60))
        #expect(store.reads == 1)
    }

    @Test func `a line is not applied to changes that were made before it was there`() throws {
        let sessions = Sessions(AnyFlow.shipped(), on: clock)
        sessions.recorder = { [store] record, previous in
            let row = JournalRow(record, at: store.rows.count + 1, after: previous)
            store.insert([row])
            return row.mark
        }
        for name in ["early", "late"] {
            clock.advance(by: .seconds(10))
            _ = try sessions.open(
                SessionName(name)!, sessions.flow("game"), RequestContext(from: .program))
        }
        let file = Folder()
        let path = file.write(
            "gamed.conf", "on enter=* open=other-$session\non enter=* open=old-$session\n")
        guard
            case .run(let options) = try Options.read(["--config", path], flows: AnyFlow.shipped())
        else {
            Issue.record("the options are not read")
            return
        }
        let composer = OutputComposer(
            options.onLines, instance: "i", journal: 0, OutputNodes(options),
            remoteShard: { _, _ in 1 })
        let new = try #require(options.onLines.links.first).fingerprint
        let recovery = OutputRecovery(
            store, sessions, RowTimes(), upTo: 2, lastAlive: clock.timerQueue.now, isRealTime: true,
            on: clock
        ) { $0 == new ? Instant.zero + .seconds(15) : .zero }
        var ids: [String] = []
        recovery.read(composer) { left in ids = left.map(\.output.id) }
        clock.advance(by: .seconds(1))
        // The numbers at their ends are those of the lines, as if both had been there.
        #expect(ids == ["i:early:1:2", "i:late:2:1", "i:late:2:2"])
        for session in sessions.list(limit: 10).sessions { session.machine.end() }
    }

    @Test func `a directory is read once, and the new outputs do not wait for it`() {
        store.failures = .max
        let recovery = recovery(retries: false)
        var ends = 0
        recovery.read(composer) { left in
            #expect(left.isEmpty)
            ends += 1
        }
        clock.advance(by: .seconds(60))
        #expect(store.reads == 1 && ends == 1)
        withExtendedLifetime(recovery) {}
    }
}
