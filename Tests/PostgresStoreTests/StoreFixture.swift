import EventLoop
import Journal
import JournalTestSupport
import PostgresStore
import PostgresTestSupport
import SQLiteStore
import Sessions
import Testing
import Timers

/// A database with gamed's tables, and the stores that use the database.
final class StoreFixture {
    let server: PostgresServer
    let database: String
    let loop: LibeventLoop

    init(_ server: PostgresServer = .shared) throws {
        self.server = server
        database = server.makeDatabase()
        loop = try LibeventLoop()
        let location = try PostgresLocation(server.url(database))
        let outcome = try StorePreparation.prepare(location)
        #expect(outcome == .prepared(from: 0, to: 3))
    }

    var location: PostgresLocation {
        get throws { try PostgresLocation(server.url(database)) }
    }

    /// Returns shard 0 of a connected store. With `owns`, this process becomes the shard's owner. `hold` is how long the store
    /// waits for a lost server before it reports an unknown outcome.
    func store(
        _ owner: String = "first", owns: Bool = true, hold: Duration = .seconds(30)
    ) throws -> PostgresShard {
        register(owner)
        let store = PostgresStore(
            try location, owner: owner, hold: hold, backups: SQLiteJournal.self, on: loop)
        let events = StoreEvents(loop)
        store.delegate = events
        store.start()
        events.wait { $0.connections > 0 }
        let shard = store.shard(0)
        if owns { #expect(try acquire(shard)) }
        store.delegate = nil
        return shard
    }

    /// Writes the row of a node: only a node that reads the store's codec gets shards.
    func register(_ owner: String, codec: Int = StoreCodec.newest, leaseMinutes: Int = 60) {
        server.sql(
            """
            INSERT INTO gamed_node (id, name, codec, lease_until)
            VALUES ('\(owner)', '\(owner)', \(codec), now() + interval '\(leaseMinutes) min')
            ON CONFLICT (id) DO UPDATE SET codec = EXCLUDED.codec, lease_until = EXCLUDED.lease_until
            """, in: database)
    }

    /// Tries to make the process `shard.store.owner` the owner of shard 0. Returns whether it succeeded.
    func acquire(_ shard: PostgresShard, lease: Duration = .seconds(3)) throws -> Bool {
        try ask { shard.store.acquire([ShardClaim(0)], lease: lease, $0) }.get()[0] != nil
    }

    /// Runs the loop until `question` has called its closure, and returns the answer.
    func ask<T>(_ question: (@escaping (T) -> Void) -> Void) throws -> T {
        try loop.ask(question)
    }

    func append(_ rows: [JournalRow], to store: PostgresShard) throws -> StoreOutcome {
        try ask { store.append(rows, $0) }
    }

    /// The positions in the database, read by another client.
    var positions: String {
        server.sql(
            "SELECT string_agg(position::text, ',' ORDER BY position) FROM gamed_row", in: database)
    }
}

extension LibeventLoop {
    /// Runs until `question` has called its closure, and returns the answer.
    func ask<T>(_ question: (@escaping (T) -> Void) -> Void) throws -> T {
        var answer: T?
        question { [unowned self] in
            answer = $0
            stop()
        }
        while answer == nil { run() }
        return try #require(answer)
    }
}

/// Records the notifications of a store.
final class StoreEvents: PostgresStoreDelegate {
    private let loop: LibeventLoop
    private(set) var connections = 0
    private(set) var resumptions = 0
    private(set) var fencings = 0
    private(set) var failures: [String] = []
    private(set) var isFatal = false

    init(_ loop: LibeventLoop) { self.loop = loop }

    /// Runs the loop until a condition holds.
    func wait(_ condition: (StoreEvents) -> Bool) {
        while !condition(self) { loop.run() }
    }

    func storeIsConnected() {
        connections += 1
        loop.stop()
    }

    func storeIsDisconnected(why: String, isFatal: Bool) {
        failures.append(why)
        self.isFatal = isFatal
        loop.stop()
    }

    func storeHasResumed() {
        resumptions += 1
        loop.stop()
    }

    func shardWasFenced(_ shard: Int) {
        fencings += 1
        loop.stop()
    }
}
