import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// Backups of a database that nodes use, restored into another one.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct RestoredDatabaseTests {
    private let server = PostgresServer.shared
    private let room: NodeRoom
    private let names = (1...6).map { "s\($0)" }

    init() throws { room = try NodeRoom() }

    /// Two nodes, and sessions of both with a timer that runs, and with requests whose ids are remembered.
    private func begin() throws -> [DaemonProcess] {
        let nodes = [try room.node("a", ""), try room.node("b", "")]
        try room.waitForShares(of: nodes)
        let client = try Client(nodes[0].socket)
        for name in names {
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
        room.url.prefix { $0 != "?" }.split(separator: "/").last ?? ""
    }

    /// Starts a node on another database.
    private func node(_ name: String, on url: String) throws -> DaemonProcess {
        let address = "127.0.0.1:\(ClusterTests.freePort())"
        return try DaemonProcess([
            "--store", url, "--node", name, "--listen", address, "--advertise", address,
            "--node-secret-file", "\(room.folder.path)/secret", "--no-main",
        ])
    }

    private func end(_ nodes: [DaemonProcess]) {
        for node in nodes { node.signal(SIGTERM) }
        for node in nodes { #expect(node.waitForEnd() == 0) }
    }

    /// Starts nodes on the other database, and checks that everything goes on.
    private func goOn(on url: String) throws {
        let check = ShellCommand.run("gamectl journal check '\(url)'; echo $?")
        #expect(check.hasSuffix("sound\n0\n"), "\(check)")
        let nodes = [try node("c", on: url), try node("d", on: url)]
        defer { withExtendedLifetime(nodes) {} }
        try room.waitForShares(of: nodes)
        for node in nodes {
            let client = try Client(node.socket)
            for name in names {
                // The timer has fired once, in the restored database or before the backup.
                let status = client.ask("status @\(name)", until: #""state":"introduction""#)
                #expect(status.contains(#""state":"introduction""#), "\(status)")
                #expect(status.contains(#""seq":3"#), "\(status)")
                // The id is known: the first answer is repeated.
                #expect(client.ask("send @\(name) id=k-\(name) displayHelp").contains(#""seq":2"#))
            }
            let later = client.ask("status @later")
            #expect(later.contains(#""state":"choosingEpisode""#), "\(later)")
            #expect(later.contains(#""remainingMs":3"#), "an hour less some seconds: \(later)")
        }
        let client = try Client(nodes[0].socket)
        for name in names {
            #expect(client.ask("send @\(name) displayHelp").contains(#""seq":4"#))
        }
    }

    @Test func `a dump of PostgreSQL continues in another database`() throws {
        let nodes = try begin()
        let other = server.makeDatabase()
        // While the nodes run.
        let output = server.run(
            "pg_dump -h '\(server.folder)' -U tester \(database) | psql -X -q -v ON_ERROR_STOP=1 -h '\(server.folder)' -U tester \(other)"
        )
        #expect(!output.contains("ERROR"), "\(output)")
        end(nodes)
        try goOn(on: server.url(other))
    }

    @Test func `a backup of gamectl is copied into another database and continues there`() throws {
        let nodes = try begin()
        let directory = Folder()
        let backup = ShellCommand.run(
            "gamectl --socket $S backup '\(directory.path)/journal.db'; echo $?", nodes[1])
        #expect(backup.hasSuffix("\n0\n"), "\(backup)")
        end(nodes)
        let url = server.url(server.makeDatabase())
        #expect(try DaemonProcess(["--store", url, "--prepare"]).waitForEnd() == 0)
        let copied = ShellCommand.run(
            "gamectl journal copy '\(directory.path)' '\(url)'; echo $?")
        #expect(copied.hasSuffix("\n0\n"), "\(copied)")
        try goOn(on: url)
    }
}
