import Journal
import JournalTestSupport
import PostgresStore
import Testing
import Timers

/// A link whose server executes each acquisition, and answers nothing else.
private final class SilentLink: DatabaseLink {
    private(set) var isConnected = false
    var opened: () -> Void = {}
    var failed: (_ error: PostgresError, _ silence: Duration) -> Void = { _, _ in }
    private var waiting: [(Result<[PostgresResult], PostgresError>) -> Void] = []

    func start() {
        isConnected = true
        opened()
    }

    func stop() { isConnected = false }

    func execute(
        _ commands: [PostgresCommand],
        _ done: @escaping (Result<[PostgresResult], PostgresError>) -> Void
    ) {
        guard case .prepared(.acquire)? = commands.first?.form else { return waiting.append(done) }
        let row = [BinaryValue.int8(0).bytes, BinaryValue.int8(1).bytes]
        done(.success([PostgresResult(columns: 2, rows: [row])]))
    }

    /// The server was silent for this time, and the connection is given up.
    func lose(after silence: Duration) {
        isConnected = false
        for done in waiting { done(.failure(.timedOut)) }
        waiting = []
        failed(.timedOut, silence)
    }
}

/// How long a store waits for its server.
@Suite struct HoldTests {
    @Test func `the time for which a server was silent counts as a part of the hold`() {
        let clock = VirtualClock()
        let link = SilentLink()
        let store = PostgresStore(link, owner: "a test", hold: .seconds(30), on: clock)
        store.start()
        store.acquire([ShardClaim(0)], lease: .seconds(3)) { _ in }
        var outcome: StoreOutcome?
        store.shard(0).append(SampleRows.rows(1...1)) { outcome = $0 }
        clock.advance(by: .seconds(5))
        link.lose(after: .seconds(5))
        clock.advance(by: .milliseconds(24_999))
        #expect(outcome == nil)
        clock.advance(by: .milliseconds(1))
        #expect(outcome == .unknown(why: "the server does not answer"))
        store.stop()
        #expect(clock.pending.isEmpty)
    }
}
