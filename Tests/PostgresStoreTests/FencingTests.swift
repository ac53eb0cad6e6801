import EventLoop
import Journal
import JournalTestSupport
import PostgresStore
import PostgresTestSupport
import Testing
import Timers

/// If two processes use the same store, only the owner of a shard writes its rows. Some tests acquire a shard with a lease
/// of zero, so that another process can take the shard over at once.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct FencingTests {
    private let rows = SampleRows.rows(1...6)

    @Test func `while an owner has a lease, no other process becomes the owner`() throws {
        let fixture = try StoreFixture()
        let first = try fixture.store("first")
        let second = try fixture.store("second", owns: false)
        #expect(try !fixture.acquire(second))
        #expect(try fixture.append([rows[0]], to: first) == .durable)
        #expect(try fixture.append([rows[1]], to: second).why?.contains("does not own") == true)
        // The same process may acquire again: it gets a new epoch.
        let epoch = first.epoch
        #expect(try fixture.acquire(first))
        #expect(first.epoch == epoch.map { $0 + 1 })
    }

    @Test func `a process adds no row after another process has taken over its shard`() throws {
        let fixture = try StoreFixture()
        let first = try fixture.store("first", owns: false)
        #expect(try fixture.acquire(first, lease: .zero))
        #expect(try fixture.append([rows[0]], to: first) == .durable)
        let events = StoreEvents(fixture.loop)
        first.store.delegate = events
        let second = try fixture.store("second")
        let outcome = try fixture.append([rows[1]], to: first)
        #expect(outcome == .unknown(why: "another node owns the sessions now"))
        #expect(events.fencings == 1)
        #expect(fixture.positions == "1")
        let why: String? = try fixture.ask { first.recover(keeping: rows[0].journalPosition, $0) }
        #expect(why == "another node owns the sessions now")
        #expect(try fixture.append([rows[1]], to: second) == .durable)
        #expect(fixture.positions == "1,2")
    }

    @Test func `a process that was fenced out removes nothing`() throws {
        let fixture = try StoreFixture()
        let first = try fixture.store("first", owns: false)
        #expect(try fixture.acquire(first, lease: .zero))
        #expect(try fixture.append(rows, to: first) == .durable)
        _ = try fixture.store("second")
        let _: Result<Void, StoreError> = try fixture.ask { first.prune([1, 2], $0) }
        #expect(fixture.positions == "1,2,3,4,5,6")
    }

    @Test func `the recovery of a fenced-out process cannot remove rows of the new owner`() throws {
        let fixture = try StoreFixture()
        let first = try fixture.store("first", owns: false)
        #expect(try fixture.acquire(first, lease: .zero))
        #expect(try fixture.append([rows[0]], to: first) == .durable)
        // There is already a row at this position: the store fails, and before it recovers, another process acquires the shard.
        #expect(try fixture.append([rows[0]], to: first).why != nil)
        let second = try fixture.store("second")
        #expect(try fixture.append([rows[1]], to: second) == .durable)
        let why: String? = try fixture.ask { first.recover(keeping: rows[0].journalPosition, $0) }
        #expect(why == "another node owns the sessions now")
        #expect(fixture.positions == "1,2")
    }

    @Test func `the next owner ends the connection of an owner that stalls with the lock`() throws {
        let fixture = try StoreFixture()
        fixture.register("stalled")
        // psql acts as an earlier owner that is in the middle of an append.
        let stalled = StalledOwner(fixture)
        #expect(stalled.isHolding)
        let second = try fixture.store("second", owns: false)
        var failedAttempts = 0
        while try !fixture.acquire(second), failedAttempts < 5 { failedAttempts += 1 }
        #expect(1...2 ~= failedAttempts, "the first attempt waits for the lock for a second")
        #expect(try fixture.append([rows[0]], to: second) == .durable)
        #expect(!stalled.isHolding)
    }

    @Test func `several shards are written in one transaction, and each is fenced separately`()
        throws
    {
        let fixture = try StoreFixture()
        let first = try fixture.store("first", owns: false)
        let (store, otherShard) = (first.store, first.store.shard(1))
        let epochs = try fixture.ask {
            store.acquire([ShardClaim(0), ShardClaim(1)], lease: .zero, $0)
        }.get()
        #expect(epochs == [0: 1, 1: 1])
        // Another process acquires one of the two shards.
        let second = try fixture.store("second")
        var outcomes: [Int: StoreOutcome] = [:]
        store.collect {
            first.append([rows[0]]) { outcomes[0] = $0 }
            otherShard.append([rows[0]]) {
                outcomes[1] = $0
                fixture.loop.stop()
            }
        }
        while outcomes.count < 2 { fixture.loop.run() }
        #expect(outcomes[0] == .unknown(why: "another node owns the sessions now"))
        #expect(outcomes[1] == .durable)
        #expect(store.transactions == 1)
        #expect(try fixture.append([rows[0]], to: second) == .durable)
        let found = fixture.server.sql(
            "SELECT string_agg(shard || ':' || position, ' ' ORDER BY shard) FROM gamed_row",
            in: fixture.database)
        #expect(found == "0:1 1:1")
    }
}
