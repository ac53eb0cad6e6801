import Connections
import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// Flow files of a node with a database.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct FlowFilesInDatabaseTests {
    private let folder = Folder()
    private let server = PostgresServer.shared
    private let database = PostgresServer.shared.makeDatabase()

    private func startNode() throws -> DaemonProcess {
        try DaemonProcess([
            "--store", server.url(database), "--node", "a", "--no-main", "--flows", folder.path,
        ])
    }

    @Test func `a start with a broken file uses the version in the database`() throws {
        #expect(
            try DaemonProcess(["--store", server.url(database), "--prepare"]).waitForEnd() == 0)
        _ = folder.write(
            "door.yaml",
            """
            flow: door
            start: shut
            events: {open: }
            states:
              shut: {on: {open: opened}}
              opened: {final: true}

            """)
        let node = try startNode()
        #expect(try Client(node.socket).ask("open @a flow=door").hasPrefix("OK"))
        node.signal(SIGKILL)
        node.waitForEnd()
        _ = folder.write("door.yaml", "flow: [")
        let restarted = try startNode()
        defer { withExtendedLifetime(restarted) {} }
        let client = try Client(restarted.socket)
        #expect(restarted.output.contains("door.yaml:2:1: not YAML"))
        #expect(client.ask("status @a").contains(#""state":"shut""#))
        let reply = client.ask("open @b flow=door")
        #expect(reply.contains(#""state":"shut""#), "\(reply)")
    }
}
