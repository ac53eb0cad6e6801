import Connections
import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// Alerts of nodes that share a database.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct AlertsInDatabaseTests {
    @Test func `another clock and shards without an owner are alerts until they are mended`() throws
    {
        let cluster = try ClusterFixture()
        // The nodes read the database's clock from this function, because its schema comes first in the search path.
        cluster.sql(
            """
            CREATE SCHEMA test;
            CREATE TABLE test.clock_error AS SELECT interval '0' AS by;
            CREATE FUNCTION test.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
                'SELECT pg_catalog.clock_timestamp() + by FROM test.clock_error';
            DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = test, pg_catalog, public',
                current_database()); END $$;
            """)
        let (a, b) = (try cluster.startNode("a"), try cluster.startNode("b"))
        try cluster.waitForBalancedShards(of: [a, b])
        let client = try Client(a.socket)
        _ = client.ask("alerts", until: "[]")
        cluster.sql("UPDATE test.clock_error SET by = interval '-2 s'")
        let clock = client.ask("alerts", until: #""id":"clock:database""#)
        #expect(clock.contains("differs from the database's by "), "\(clock)")
        // While the clocks differ, a node acquires no shard.
        b.signal(SIGKILL)
        b.waitForEnd()
        let shards = client.ask("alerts", until: #""id":"shard:owner""#)
        #expect(shards.contains("128 shards have no owner."), "\(shards)")
        cluster.sql("UPDATE test.clock_error SET by = interval '0'")
        #expect(client.ask("alerts", until: "[]") == #"OK {"alerts":[]}"#)
    }

    @Test func `the next owner of a session shows the alerts of the session's outputs`() throws {
        let cluster = try ClusterFixture()
        let lines = """
            serial door \(cluster.folder.path)/tty
            on enter=question serial=door line=OPEN once=yes

            """
        let first = try cluster.startNode("a", lines)
        let client = try Client(first.socket)
        #expect(client.ask("open @s1 flow=quiz").hasPrefix("OK"))
        #expect(client.ask("send @s1 start rounds=2").hasPrefix("OK"))
        let given = client.ask("alerts", until: "OPEN was not sent: tried once")
        #expect(given.contains("OPEN was not sent: tried once"))
        // When the answer to a later request arrives, the record of the alert is durable.
        #expect(client.ask("label @s1 team=Owls").hasPrefix("OK"))
        first.signal(SIGKILL)
        first.waitForEnd()
        let next = try cluster.startNode("b", lines)
        let nextClient = try Client(next.socket)
        let restored = nextClient.ask("alerts", until: "OPEN was not sent")
        #expect(restored.contains(#""session":"s1""#), "\(restored)")
    }

    @Test func `an alert of another node's output ends by an acknowledgement at any node`() throws {
        let cluster = try ClusterFixture()
        let lines = """
            serial door \(cluster.folder.path)/tty
            on enter=question serial=door line=OPEN once=yes

            """
        let nodes = [try cluster.startNode("a", lines), try cluster.startNode("b", lines)]
        try cluster.waitForBalancedShards(of: nodes)
        let clients = [try Client(nodes[0].socket), try Client(nodes[1].socket)]
        #expect(clients[0].ask("open @s1 flow=quiz").hasPrefix("OK"))
        #expect(clients[0].ask("send @s1 start rounds=2").hasPrefix("OK"))
        let alerts = clients[0].ask("alerts", until: "OPEN was not sent")
        let alert = try #require(
            alerts.firstMatch(of: /"id":"([^"]*)","kind":"output"[^}]*"node":"([ab])"/), "\(alerts)"
        )
        let otherNode = alert.output.2 == "a" ? 1 : 0
        let acknowledged = clients[otherNode].ask("alerts ack \(alert.output.1)")
        #expect(!acknowledged.contains("there is no alert"), "\(acknowledged)")
        #expect(!acknowledged.contains("OPEN was not sent"), "\(acknowledged)")
        let repeated = clients[otherNode].ask("alerts ack \(alert.output.1)")
        #expect(repeated.contains("there is no alert \(alert.output.1)"), "\(repeated)")
    }

    @Test func `each node shows the alerts of all, and an acknowledgement goes to all`() throws {
        let cluster = try ClusterFixture()
        func lines(_ name: String) -> String { "serial \(name) \(cluster.folder.path)/tty\n" }
        let a = try cluster.startNode("a", lines("door"))
        let b = try cluster.startNode("b", lines("lamp"))
        try cluster.waitForBalancedShards(of: [a, b])
        let (clientOfA, clientOfB) = (try Client(a.socket), try Client(b.socket))
        for client in [clientOfA, clientOfB] {
            let alerts = client.ask("alerts") {
                $0.contains("connection:door") && $0.contains("connection:lamp")
            }
            #expect(
                alerts.contains(#""id":"connection:door""#) && alerts.contains(#","node":"a"}"#),
                "\(alerts)")
            #expect(
                alerts.contains(#""id":"connection:lamp""#) && alerts.contains(#","node":"b"}"#),
                "\(alerts)")
        }
        let acknowledged = clientOfA.ask("alerts ack connection:lamp")
        #expect(acknowledged.contains(#""acked":true,"node":"b""#), "\(acknowledged)")
        #expect(clientOfB.ask("alerts").contains(#""acked":true,"node":"b""#))
        let printed = ShellCommand.run("gamectl --socket \"$S\" alerts", a)
        #expect(printed.contains("node b  connection:lamp  acknowledged"), "\(printed)")
        b.signal(SIGKILL)
        b.waitForEnd()
        // Its alerts go with it, after a moment in which it may still be asked.
        let remaining = clientOfA.ask("alerts") { !$0.contains("connection:lamp") }
        #expect(remaining.contains("connection:door"), "\(remaining)")
    }
}
