import Connections
import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// Backups of a database that nodes use, restored into another database.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct RestoredDatabaseTests {
    private let server = PostgresServer.shared
    private let cluster: ClusterFixture
    private let sessions = (1...6).map { "s\($0)" }

    init() throws { cluster = try ClusterFixture() }

    /// Starts two nodes, and opens sessions on both nodes. Each session has a running timer and a request whose id is
    /// remembered. The timer of the session `later` fires after an hour, and the timers of the other sessions after 2.5 s.
    private func startNodesWithSessions() throws -> [DaemonProcess] {
        let nodes = [try cluster.startNode("a"), try cluster.startNode("b")]
        try cluster.waitForBalancedShards(of: nodes)
        let client = try Client(nodes[0].socket)
        for name in sessions {
            let open = "open @\(name) flow=game settings={\"help\":\"2500ms\",\"choosing\":\"1h\"}"
            #expect(client.ask(open).hasPrefix("OK"))
            #expect(client.ask("send @\(name) id=k-\(name) displayHelp").contains(#""seq":2"#))
        }
        #expect(client.ask("open @later flow=game settings={\"choosing\":\"1h\"}").hasPrefix("OK"))
        #expect(client.ask("send @later id=k-later startPlaying").contains(#""seq":2"#))
        return nodes
    }

    /// The name of the nodes' database.
    private var database: Substring {
        cluster.url.prefix { $0 != "?" }.split(separator: "/").last ?? ""
    }

    /// Starts a node with the database at a URL.
    private func startNode(_ name: String, on url: String) throws -> DaemonProcess {
        let address = "127.0.0.1:\(LoopbackPort.findUnused())"
        return try DaemonProcess([
            "--store", url, "--node", name, "--listen", address, "--advertise", address,
            "--node-secret-file", "\(cluster.folder.path)/secret", "--no-main",
        ])
    }

    private func stop(_ nodes: [DaemonProcess]) {
        for node in nodes { node.signal(SIGTERM) }
        for node in nodes { #expect(node.waitForEnd() == 0) }
    }

    /// Starts nodes with a restored database, and checks that sessions, timers and remembered ids continue.
    private func checkContinuation(with url: String) throws {
        let journalCheck = ShellCommand.run("gamectl journal check '\(url)'; echo $?")
        #expect(journalCheck.hasSuffix("sound\n0\n"), "\(journalCheck)")
        let nodes = [try startNode("c", on: url), try startNode("d", on: url)]
        defer { withExtendedLifetime(nodes) {} }
        try cluster.waitForBalancedShards(of: nodes)
        for node in nodes {
            let client = try Client(node.socket)
            for name in sessions {
                // The timer has fired once, in the restored database or before the backup.
                let status = client.ask("status @\(name)", until: #""state":"introduction""#)
                #expect(status.contains(#""state":"introduction""#), "\(status)")
                #expect(status.contains(#""seq":3"#), "\(status)")
                // The id of the request is remembered, so the first answer is repeated.
                #expect(client.ask("send @\(name) id=k-\(name) displayHelp").contains(#""seq":2"#))
            }
            let laterStatus = client.ask("status @later")
            #expect(laterStatus.contains(#""state":"choosingEpisode""#), "\(laterStatus)")
            #expect(
                laterStatus.contains(/"remainingMs":3[45]\d{5},/),
                "the timer has not 3400 s to 3600 s left: \(laterStatus)")
        }
        let client = try Client(nodes[0].socket)
        for name in sessions {
            #expect(client.ask("send @\(name) displayHelp").contains(#""seq":4"#))
        }
    }

    @Test func `a dump of PostgreSQL continues in another database`() throws {
        let nodes = try startNodesWithSessions()
        let restoredDatabase = server.makeDatabase()
        // The nodes run while the dump is made.
        let output = server.run(
            "pg_dump -h '\(server.folder)' -U tester \(database) | psql -X -q -v ON_ERROR_STOP=1 -h '\(server.folder)' -U tester \(restoredDatabase)"
        )
        #expect(!output.contains("ERROR"), "\(output)")
        stop(nodes)
        try checkContinuation(with: server.url(restoredDatabase))
    }

    @Test func `a backup made by gamectl is copied into another database and continues there`()
        throws
    {
        let nodes = try startNodesWithSessions()
        let backupFolder = Folder()
        let backup = ShellCommand.run(
            "gamectl --socket $S backup '\(backupFolder.path)/journal.db'; echo $?", nodes[1])
        #expect(backup.hasSuffix("\n0\n"), "\(backup)")
        stop(nodes)
        let url = server.url(server.makeDatabase())
        #expect(try DaemonProcess(["--store", url, "--prepare"]).waitForEnd() == 0)
        let copy = ShellCommand.run(
            "gamectl journal copy '\(backupFolder.path)' '\(url)'; echo $?")
        #expect(copy.hasSuffix("\n0\n"), "\(copy)")
        try checkContinuation(with: url)
    }
}
