import EventLoop
import Journal
import PostgresStore
import PostgresTestSupport
import Sessions
import Testing
import Timers

/// The switch of a store from an older codec of rows to the newest, and what keeps an older node from getting shards.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct CodecSwitchTests {
    private let fixture: StoreFixture

    /// A database as an older gamed has prepared it and used it.
    init() throws {
        fixture = try StoreFixture()
        sql("DROP TRIGGER gamed_check_codec ON gamed_shard")
        sql("DROP FUNCTION gamed_check_codec()")
        sql("UPDATE gamed_fact SET value = '2' WHERE name = 'schema'")
        sql("UPDATE gamed_fact SET value = '1' WHERE name = 'codec'")
    }

    @discardableResult private func sql(_ text: String) -> String {
        fixture.server.sql(text, in: fixture.database)
    }

    /// A connected lease table.
    private func table() throws -> LeaseTable {
        let table = LeaseTable(
            try fixture.location, owner: "switcher",
            node: NodeDescription(name: "switcher", codec: StoreCodec.newest), lease: .seconds(3),
            acceptsWeakStore: true, on: fixture.loop)
        table.start()
        var isConnected = false
        let loop = fixture.loop
        let pulse = ScopedPendulum(on: loop, .milliseconds(5)) { _ in
            table.read { result in
                guard case .success = result else { return }
                isConnected = true
                loop.stop()
            }
        }
        while !isConnected { loop.run() }
        withExtendedLifetime(pulse) {}
        return table
    }

    private func fact(_ name: String) -> String {
        sql("SELECT value FROM gamed_fact WHERE name = '\(name)'")
    }

    private func switchCodec() throws -> Result<Void, LeaseTable.SwitchError> {
        let table = try table()
        defer { table.stop() }
        return try fixture.ask { table.switchCodec($0) }
    }

    private func snapshot() throws -> LeaseTable.Snapshot {
        let table = try table()
        defer { table.stop() }
        return try fixture.ask { table.read($0) }.get()
    }

    @Test func `a new database has the newest codec, and an older one is not changed by prepare`()
        throws
    {
        #expect(try snapshot().codec == 1)
        #expect(try StorePreparation.prepare(try fixture.location) == .prepared(from: 2, to: 2))
        #expect(fact("codec") == "1")
        let new = try StoreFixture()
        #expect(
            new.server.sql("SELECT value FROM gamed_fact WHERE name = 'codec'", in: new.database)
                == "2")
    }

    @Test func `the switch changes the codec and the version of the tables, once`() throws {
        fixture.register("new")
        #expect(try snapshot().nodesWithOlderCodec == [])
        guard case .success = try switchCodec() else {
            Issue.record("the switch is refused")
            return
        }
        #expect(fact("codec") == "2" && fact("schema") == "3")
        #expect(try snapshot().codec == 2)
        guard case .success = try switchCodec() else {
            Issue.record("the second switch is refused")
            return
        }
    }

    @Test(arguments: [60, -1, -9])
    func `a node with an older codec prevents it while it is live, and for ten minutes`(
        _ leaseMinutes: Int
    ) throws {
        fixture.register("old", codec: 1, leaseMinutes: leaseMinutes)
        #expect(try snapshot().nodesWithOlderCodec == ["old"])
        guard case .failure(.olderNodes) = try switchCodec() else {
            Issue.record("the switch is not refused")
            return
        }
        #expect(fact("codec") == "1" && fact("schema") == "2")
    }

    @Test func `a node that was away for longer does not prevent it`() throws {
        fixture.register("old", codec: 1, leaseMinutes: -11)
        #expect(try snapshot().nodesWithOlderCodec == [])
        guard case .success = try switchCodec() else {
            Issue.record("the switch is refused")
            return
        }
    }

    @Test func `an older node that returns after the switch keeps no shard and gets none`() throws {
        fixture.register("old", codec: 1)
        let old = try fixture.store("first")
        sql(
            "UPDATE gamed_shard SET owner = 'old', lease_until = now() - interval '1 s' WHERE id = 0"
        )
        sql("UPDATE gamed_node SET lease_until = now() - interval '12 min' WHERE id = 'old'")
        guard case .success = try switchCodec() else {
            Issue.record("the switch is refused")
            return
        }
        // It writes its own row again, and then renews the lease that nobody has taken meanwhile.
        fixture.register("old", codec: 1)
        sql("UPDATE gamed_shard SET lease_until = now() + interval '1 h' WHERE owner = 'old'")
        #expect(sql("SELECT lease_until < now() FROM gamed_shard WHERE id = 0") == "t")
        // The process `first` reads the newest codec.
        #expect(try fixture.acquire(old))
        sql(
            "UPDATE gamed_shard SET owner = 'old', lease_until = now() + interval '1 h' WHERE id = 1"
        )
        #expect(sql("SELECT owner FROM gamed_shard WHERE id = 1") == "")
    }

    @Test func `rows of the newest format are not copied into a database of an older gamed`() throws
    {
        let location = try fixture.location
        let target = try PostgresImport(location, hasPruned: false) { _ in 0 }
        let error = #expect(throws: PostgresError.self) {
            try target.append([
                JournalRow(
                    position: 1, session: "main", seq: 1, atNs: 1, body: [3, 1], after: .start)
            ])
        }
        #expect(error?.why.contains("--prepare") == true)
    }
}
