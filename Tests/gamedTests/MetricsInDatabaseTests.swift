import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// The metrics of nodes whose journal is in a database.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct MetricsInDatabaseTests {
    private let cluster: ClusterFixture

    init() throws { cluster = try ClusterFixture() }

    private func startNode(_ name: String) throws -> DaemonProcess {
        try cluster.startNode(name, "metrics 127.0.0.1:0\n")
    }

    /// The value of a metric without labels; nil if the node does not show it.
    private func value(_ name: String, of node: DaemonProcess) -> Int? {
        ShellCommand.run("curl -sS -m 60 $METRICS/metrics", node).split(separator: "\n")
            .first { $0.hasPrefix("\(name) ") }
            .flatMap { Int($0.split(separator: " ")[1]) }
    }

    @Test func `each node shows the rows and bytes of all shards, and the last backup`() throws {
        let nodes = [try startNode("a"), try startNode("b")]
        try cluster.waitForBalancedShards(of: nodes)
        let client = try Client(nodes[0].socket)
        for number in 1...20 { #expect(client.ask("open @s\(number)").hasPrefix("OK")) }
        for node in nodes {
            // The first reading asks the database.
            #expect(
                Wait.until {
                    let count = Int(cluster.sql("SELECT count(*) FROM gamed_row")) ?? 0
                    return count >= 20 && value("gamed_journal_rows_total", of: node) == count
                }, "\(node.output)")
            let bytes = try #require(value("gamed_journal_bytes", of: node))
            let tableBytes = Int(cluster.sql("SELECT pg_table_size('gamed_row')")) ?? 0
            #expect(bytes > tableBytes && tableBytes > 0, "\(bytes), \(tableBytes)")
            #expect(value("gamed_backup_timestamp_seconds", of: node) == 0)
        }
        let backup = ShellCommand.run(
            "gamectl --socket $S backup '\(cluster.folder.path)/copy.db'", nodes[0])
        let time = try #require(value("gamed_backup_timestamp_seconds", of: nodes[0]), "\(backup)")
        let now = Glibc.time(nil)
        #expect(now - time < 60 && time <= now, "\(backup)")
        // The other node, and a node that begins later, read the time in the database.
        #expect(Wait.until { value("gamed_backup_timestamp_seconds", of: nodes[1]) == time })
        let third = try startNode("c")
        #expect(Wait.until { value("gamed_backup_timestamp_seconds", of: third) == time })
    }

    @Test func `without the database a node shows the figures that it has read before`() throws {
        let server = PostgresServer()
        let url = server.url(server.makeDatabase())
        #expect(try DaemonProcess(["--store", url, "--prepare"]).waitForEnd() == 0)
        let node = try DaemonProcess(["--store", url, "--metrics", "127.0.0.1:0"])
        #expect(Wait.until { value("gamed_journal_bytes", of: node) != nil })
        let client = try Client(node.socket)
        #expect(client.ask("status").hasPrefix("OK"))
        server.stop()
        // A row that waits shows that the database does not answer.
        client.write("send displayHelp\n")
        #expect(Wait.until { value("gamed_storage_up", of: node) == 0 })
        #expect(value("gamed_journal_bytes", of: node) != nil)
    }
}
