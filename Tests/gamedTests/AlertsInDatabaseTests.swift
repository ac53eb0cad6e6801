import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// Alerts of nodes that share a database.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct AlertsInDatabaseTests {
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
}
