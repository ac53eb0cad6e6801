import EventLoop
import Journal
import JournalTestSupport
import PostgresStore
import PostgresTestSupport
import SQLiteStore
import TestSupport
import Testing
import Timers

/// The connection or the server is lost between an append and its answer. These tests have a server
/// of their own.
@Suite(.enabled(if: PostgresServer.absence == nil), .serialized) struct CrashTests {
    private static let server = PostgresServer()
    private let rows = SampleRows.rows(1...6)

    /// `position:epoch` of each row. A row that was sent again has the epoch of the later connection.
    private func epochs(_ fixture: StoreFixture) -> String {
        fixture.server.sql(
            "SELECT string_agg(position || ':' || epoch, ' ' ORDER BY position) FROM gamed_row",
            in: fixture.database)
    }

    /// Runs the loop until `condition` is true. Checks the condition every 20 ms.
    private func wait(_ fixture: StoreFixture, _ condition: @escaping () -> Bool) {
        var holds = false
        let pulse = ScopedPendulum(on: fixture.loop, .milliseconds(20)) { _ in
            holds = condition()
            if holds { fixture.loop.stop() }
        }
        while !holds { fixture.loop.run() }
        withExtendedLifetime(pulse) {}
    }

    /// Whether one of gamed's connections to the database has this `wait_event` of PostgreSQL.
    private func isWaiting(_ fixture: StoreFixture, for event: String) -> Bool {
        fixture.server.sql(
            """
            SELECT count(*) > 0 FROM pg_stat_activity WHERE datname = '\(fixture.database)'
                AND wait_event = '\(event)' AND application_name = 'gamed'
            """) == "t"
    }

    @Test func `an append that was committed and not answered is not sent again`() throws {
        let fixture = try StoreFixture(Self.server)
        let store = try fixture.store()
        #expect(try fixture.append([rows[0]], to: store) == .durable)
        // The server commits, and then waits for a standby that does not exist before it answers.
        fixture.server.sql("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        fixture.server.sql("SELECT pg_reload_conf()")
        // Each `sql` opens a new connection. When a new connection sees the new setting, the store's connection has it as well.
        wait(fixture) { fixture.server.sql("SHOW synchronous_standby_names") == "nobody" }
        var outcomes: [StoreOutcome] = []
        store.append([rows[1]]) { outcomes.append($0) }
        store.append([rows[2]]) {
            outcomes.append($0)
            fixture.loop.stop()
        }
        wait(fixture) { isWaiting(fixture, for: "SyncRep") }
        #expect(outcomes.isEmpty)
        fixture.server.reset("synchronous_standby_names")
        fixture.server.killConnections(to: fixture.database)
        while outcomes.count < 2 { fixture.loop.run() }
        #expect(outcomes == [.durable, .durable])
        #expect(epochs(fixture) == "1:1 2:1 3:2")
    }

    @Test func `an append that was not executed is sent again`() throws {
        let fixture = try StoreFixture(Self.server)
        let store = try fixture.store()
        // Locks the table, so that the append is sent but waits for the lock.
        PostgresServer.background(
            "psql -X -q -h '\(fixture.server.folder)' -U tester \(fixture.database) -c "
                + "'BEGIN; LOCK TABLE gamed_row IN EXCLUSIVE MODE; SELECT pg_sleep(60)'")
        wait(fixture) {
            fixture.server.sql(
                "SELECT count(*) FROM pg_locks WHERE mode = 'ExclusiveLock' AND relation IS NOT NULL"
            )
                != "0"
        }
        var outcome: StoreOutcome?
        store.append([rows[0]]) {
            outcome = $0
            fixture.loop.stop()
        }
        wait(fixture) { isWaiting(fixture, for: "relation") }
        fixture.server.killConnections(to: fixture.database)
        while outcome == nil { fixture.loop.run() }
        #expect(outcome == .durable)
        #expect(epochs(fixture) == "1:2")
    }

    @Test func `a read whose answer was lost is repeated`() throws {
        let fixture = try StoreFixture(Self.server)
        let store = try fixture.store()
        #expect(try fixture.append(rows, to: store) == .durable)
        var found: Result<[JournalRow], StoreError>?
        store.walk(after: 0, limit: 9) {
            found = $0
            fixture.loop.stop()
        }
        fixture.server.killConnections(to: fixture.database)
        while found == nil { fixture.loop.run() }
        #expect(found == .success(rows))
    }

    @Test func `a server that crashes again and again loses and doubles no row`() throws {
        let fixture = try StoreFixture(Self.server)
        let shard = try fixture.store()
        let crashes = TestLength.count(2, long: 8)
        let rows = SampleRows.rows(1...TestLength.count(20_000, long: 60_000))
        var (acknowledged, sent, isEnding) = (0, 0, false)
        func send() {
            guard sent < rows.count, !isEnding else { return }
            let row = rows[sent]
            sent += 1
            shard.append([row]) { outcome in
                #expect(outcome == .durable)
                acknowledged += 1
                send()
            }
        }
        let events = StoreEvents(fixture.loop)
        shard.store.delegate = events
        for _ in 0..<8 { send() }
        for crash in 1...crashes {
            PostgresServer.background(fixture.server.crashCommand)
            while events.resumptions < crash { fixture.loop.run() }
        }
        isEnding = true
        let sentCount = sent
        let _: Bool = try fixture.ask { done in shard.close { done(true) } }
        #expect(acknowledged == sentCount)
        #expect(fixture.positions.split(separator: ",").count == sentCount)
        let countAndNewest = fixture.server.sql(
            "SELECT count(*), max(position) FROM gamed_row", in: fixture.database)
        #expect(countAndNewest == "\(sentCount)|\(sentCount)")
    }

    /// The hold is the time for which the store waits for a lost server before it reports the outcome of an append as unknown.
    @Test
    func
        `without a server for longer than the hold, an outcome is unknown, and the store recovers`()
        throws
    {
        let fixture = try StoreFixture(Self.server)
        let store = try fixture.store(hold: .milliseconds(300))
        #expect(try fixture.append([rows[0]], to: store) == .durable)
        fixture.server.stop()
        let outcome = try fixture.append([rows[1]], to: store)
        guard case .unknown = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(try fixture.append([rows[2]], to: store).why != nil)
        var whyNotRecovered: String? = try fixture.ask {
            store.recover(keeping: rows[0].journalPosition, $0)
        }
        #expect(whyNotRecovered != nil)
        fixture.server.start()
        let pulse = ScopedPendulum(on: fixture.loop, .milliseconds(20)) { _ in fixture.loop.stop() }
        while whyNotRecovered != nil {
            fixture.loop.run()
            whyNotRecovered = try fixture.ask {
                store.recover(keeping: rows[0].journalPosition, $0)
            }
        }
        withExtendedLifetime(pulse) {}
        #expect(try fixture.append([rows[1]], to: store) == .durable)
        #expect(fixture.positions == "1,2")
    }

    @Test func `a wrong password in a file is reported, and a right password is used`() throws {
        let fixture = try StoreFixture(Self.server)
        let role = fixture.database
        fixture.server.sql("CREATE ROLE \(role) LOGIN SUPERUSER PASSWORD 'a right word'")
        fixture.server.requirePassword(of: role)
        func connectionFailure(_ password: String) throws -> String? {
            let folder = Folder()
            let file = folder.write("password", password + "\n", mode: 0o600)
            let location = try PostgresLocation(
                fixture.server.url(fixture.database, user: role), passwordFile: file)
            fixture.register("a test")
            let store = PostgresStore(
                location, owner: "a test", backups: SQLiteJournal.self, on: fixture.loop)
            let events = StoreEvents(fixture.loop)
            store.delegate = events
            store.start()
            events.wait { !$0.failures.isEmpty || $0.connections > 0 }
            return events.failures.first
        }
        let why = try connectionFailure("a wrong word")
        #expect(why?.contains("password authentication failed") == true, "\(why ?? "")")
        #expect(why?.contains("wrong word") == false)
        #expect(try connectionFailure("a right word") == nil)
    }

    @Test func `a server without fsync is refused`() throws {
        let fixture = try StoreFixture(Self.server)
        fixture.server.sql("ALTER SYSTEM SET fsync = off")
        fixture.server.sql("SELECT pg_reload_conf()")
        defer { fixture.server.reset("fsync") }
        fixture.register("a test")
        let store = PostgresStore(
            try fixture.location, owner: "a test", backups: SQLiteJournal.self, on: fixture.loop)
        let events = StoreEvents(fixture.loop)
        store.delegate = events
        store.start()
        events.wait { !$0.failures.isEmpty }
        #expect(events.failures[0].contains("fsync is off"))
        #expect(events.isFatal)
    }
}
