import EventLoop
import Glibc
import Journal
import PostgresStore
import PostgresTestSupport
import SQLiteStore
import TestSupport
import Testing

/// A store refuses an unsuitable server or database before it writes anything, with a sentence that says what to do.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct ServerCheckTests {
    private let server = PostgresServer.shared

    /// Why a store does not get a connection; nil if it does.
    private func connectionFailure(_ location: PostgresLocation, acceptsWeakStore: Bool = false)
        throws -> String?
    {
        let loop = try LibeventLoop()
        let store = PostgresStore(
            location, owner: "a test", acceptsWeakStore: acceptsWeakStore,
            backups: SQLiteJournal.self, on: loop)
        let events = StoreEvents(loop)
        store.delegate = events
        store.start()
        events.wait { !$0.failures.isEmpty || $0.connections > 0 }
        return events.failures.first
    }

    @Test func `without tables the error says how to create them`() throws {
        let location = try PostgresLocation(server.url(server.makeDatabase()))
        #expect(
            try connectionFailure(location) == "there are no tables; `gamed --prepare` makes them")
    }

    @Test func `tables of another version are refused, and newer ones are not upgraded`() throws {
        let fixture = try StoreFixture()
        fixture.server.sql(
            "UPDATE gamed_fact SET value = '7' WHERE name = 'schema'", in: fixture.database)
        let why =
            "the tables have version 7, and this gamed knows versions up to 3; use a newer gamed"
        #expect(try connectionFailure(fixture.location) == why)
        let error = #expect(throws: PostgresError.self) {
            try StorePreparation.prepare(try fixture.location)
        }
        #expect(error?.why == why)
        fixture.server.sql(
            "UPDATE gamed_fact SET value = 'x' WHERE name = 'schema'", in: fixture.database)
        #expect(try connectionFailure(fixture.location)?.contains("version unknown") == true)
    }

    @Test func `tables of version 1 are upgraded and keep their rows`() throws {
        let database = server.makeDatabase()
        // The tables contain one row, whose body has the bytes 1 and 2, and the instance `abc`.
        let tables = RepositoryFile.text("Tests/PostgresStoreTests/Version1.sql")
        server.sql(tables, in: database)
        let location = try PostgresLocation(server.url(database))
        #expect(
            try connectionFailure(location)
                == "the tables have version 1; `gamed --prepare` upgrades them to 2")
        #expect(try StorePreparation.prepare(location) == .prepared(from: 1, to: 2))
        #expect(try connectionFailure(location) == nil)
        #expect(server.sql("SELECT body FROM gamed_row", in: database) == "\\x0102")
        #expect(server.sql("SELECT count(*) FROM gamed_shard", in: database) == "256")
        #expect(
            server.sql("SELECT value FROM gamed_fact WHERE name = 'instance'", in: database)
                == "abc")
        #expect(try PostgresJournal(location).tokenLines() == [])
        #expect(try StorePreparation.prepare(location) == .prepared(from: 2, to: 2))
    }

    @Test func `preparing twice changes nothing`() throws {
        let fixture = try StoreFixture()
        let again = try StorePreparation.prepare(try fixture.location)
        #expect(again == .prepared(from: 3, to: 3))
    }

    @Test
    func `without the right to create tables, prepare returns the SQL for another role`() throws {
        // The role has the name of its database.
        let database = server.makeDatabase()
        server.sql("CREATE ROLE \(database) LOGIN")
        server.sql("REVOKE CREATE ON SCHEMA public FROM public", in: database)
        let location = try PostgresLocation(server.url(database, user: database))
        guard case .forbidden(let why, let sql) = try StorePreparation.prepare(location) else {
            Issue.record("the role may make tables")
            return
        }
        #expect(why.contains("permission denied"))
        server.sql(sql, in: database)
        let refusal = try connectionFailure(location)
        #expect(refusal?.contains("may not use the tables") == true, "\(refusal ?? "")")
        #expect(refusal?.contains("GRANT") == true)
        server.sql(
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(database)",
            in: database)
        #expect(try connectionFailure(location) == nil)
    }

    @Test(arguments: [
        ("synchronous_commit=off", "synchronous_commit is off"),
        ("synchronous_commit=local", "synchronous_commit is local"),
    ])
    func `settings with which acknowledged changes may be lost are refused`(
        _ setting: String, _ reason: String
    ) throws {
        let fixture = try StoreFixture()
        server.sql("ALTER DATABASE \(fixture.database) SET \(setting)")
        let why = try connectionFailure(try fixture.location)
        #expect(why?.contains(reason) == true && why?.contains("--accept-weak-store") == true)
        #expect(try connectionFailure(try fixture.location, acceptsWeakStore: true) == nil)
    }

    @Test
    func `tables without a log, and several servers without a synchronous standby, are refused`()
        throws
    {
        let fixture = try StoreFixture()
        let urlOfTwoServers =
            "postgresql://tester@/\(fixture.database)?host=\(server.folder),\(server.folder)"
        #expect(
            try connectionFailure(try PostgresLocation(urlOfTwoServers))?.contains(
                "synchronous_standby_names is empty")
                == true)
        server.sql("ALTER TABLE gamed_row SET UNLOGGED", in: fixture.database)
        #expect(
            try connectionFailure(try fixture.location)?.contains("a table is UNLOGGED") == true)
    }

    @Test func `a database of another encoding is refused`() throws {
        let database = server.makeDatabase("ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
        let error = #expect(throws: PostgresError.self) {
            try StorePreparation.prepare(try PostgresLocation(server.url(database)))
        }
        #expect(error?.why.contains("encoding is LATIN1") == true)
    }

    @Test func `the report of an unreachable server does not contain the password`() throws {
        let folder = Folder()
        let file = folder.write("password", "a secret word\nanother line\n", mode: 0o600)
        let location = try PostgresLocation(
            "postgresql://someone@/nothing?host=\(folder.path)", passwordFile: file)
        let why = try connectionFailure(location)
        #expect(why?.contains("No such file or directory") == true, "\(why ?? "")")
        #expect(why?.contains("secret") == false)
    }
}

/// The URL of a database, and the file with its password.
@Suite struct PostgresLocationTests {
    @Test(arguments: [
        "postgresql://me:secret@db/rooms", "postgresql://me@db/rooms?password=secret",
        "postgres://:secret@db", "postgresql://me@db/rooms?sslpassword=secret",
    ])
    func `the error about a URL with a password does not contain the password`(_ url: String) {
        let error = #expect(throws: PostgresLocation.LocationError.self) {
            try PostgresLocation(url)
        }
        #expect(error?.why.contains("--store-password-file") == true)
        #expect(error?.why.contains("secret") == false)
    }

    @Test(arguments: [
        "postgresql://me:secret@[db", "postgresql://me@db/rooms?pass=secret",
        "postgresql://me:sec%ret@db",
    ])
    func `the error about an invalid URL does not contain the URL`(_ url: String) {
        let error = #expect(throws: PostgresLocation.LocationError.self) {
            try PostgresLocation(url)
        }
        #expect(error?.why == "expected a URL such as postgresql://USER@HOST/DATABASE")
    }

    @Test func `a path is not a URL`() {
        #expect(!PostgresLocation.isURL("/var/lib/gamed"))
        #expect(!PostgresLocation.isURL("postgresql"))
        #expect(PostgresLocation.isURL("postgres://db"))
    }
}
