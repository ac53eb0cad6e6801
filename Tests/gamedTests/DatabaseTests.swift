import Connections
import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// The daemon with a PostgreSQL database.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct DatabaseTests {
    private let server = PostgresServer.shared
    private let database = PostgresServer.shared.makeDatabase()

    private var url: String { server.url(database) }

    private func startNode(
        _ name: String, _ arguments: [String] = [], until words: String = "listens at"
    ) throws -> DaemonProcess {
        try DaemonProcess(["--store", url, "--node", name] + arguments, until: words)
    }

    private func createTables() throws {
        let daemon = try DaemonProcess(["--store", url, "--prepare"])
        #expect(daemon.waitForEnd() == 0)
        #expect(daemon.output.contains("the tables have version 3 now"))
    }

    /// Sends requests one after the other, and returns the last answer.
    private func ask(_ lines: String..., to daemon: DaemonProcess) throws -> String {
        let client = try Client(daemon.socket)
        return lines.map { client.ask($0) }.last ?? ""
    }

    @Test func `sessions are restored after a clean end and after kill -9`() throws {
        try createTables()
        let nodeA = try startNode("a", ["--audit", "refusals"])
        #expect(nodeA.output.contains("journal in PostgreSQL, node a"))
        _ = try ask("send id=k1 displayHelp", "send dismissHelp", "send pause", to: nodeA)
        let hello = try ask("hello", to: nodeA)
        nodeA.signal(SIGTERM)
        #expect(nodeA.waitForEnd() == 0)
        let restartedNode = try startNode("a")
        #expect(try ask("send startPlaying", to: restartedNode).contains(#""seq":4"#))
        #expect(try ask("send id=k1 displayHelp", to: restartedNode).contains(#""seq":2"#))
        #expect(try ask("history", to: restartedNode).contains(#""kind":"enter""#))
        // An instance id has 16 digits, and is in quotation marks.
        let instanceID = { (reply: String) in
            reply.split(separator: "\"instance\":").last?.prefix(18)
        }
        #expect(instanceID(try ask("hello", to: restartedNode)) == instanceID(hello))
        restartedNode.signal(SIGKILL)
        restartedNode.waitForEnd()
        let nodeC = try startNode("c")
        #expect(try ask("status", to: nodeC).contains(#""state":"choosingEpisode""#))
    }

    @Test func `a node removes the old rows of its shards when it is asked to`() throws {
        try createTables()
        let node = try startNode("a", ["--keep", "1s"])
        _ = try ask("open room", "close @room", "send displayHelp", to: node)
        usleep(1_200_000)
        _ = try ask("send dismissHelp", to: node)
        let prune = ShellCommand.run("gamectl --socket $S journal prune --yes", node)
        // A shard's newest row always stays, also the row of the closing.
        #expect(prune.contains("older than 1s removed\n"), "\(prune)")
        #expect(!prune.hasPrefix("0 rows"), "\(prune)")
        let json = try ask("prune", to: node)
        #expect(json.contains(#""keep":"1s","removed":0,"needed":{"open":"#), "\(json)")
    }

    @Test func `a second node without --advertise is refused while the first node is alive`() throws
    {
        try createTables()
        let nodeA = try startNode("a")
        let nodeB = try startNode("b", until: "--advertise")
        #expect(nodeB.waitForEnd() == 1)
        #expect(nodeB.output.contains("node a uses the store: to take part beside it"))
        #expect(try ask("ping", to: nodeA) == #"OK {"pong":true}"#)
    }

    @Test
    func `at most one of two nodes without --advertise remains if they start at the same time`()
        throws
    {
        try createTables()
        let nodes = try ["a", "b"].map { name in
            try ChildProcess(
                [
                    "\(DaemonProcess.programDirectory)/gamed",
                    "--socket", DaemonProcess.freshSocketPath(), "--store", url, "--node", name,
                ], connecting: [2])
        }
        let refused = nodes.filter { !$0.waitFor("listens at") }
        #expect(!refused.isEmpty)
        for node in refused {
            #expect(node.waitForEnd() == 1)
            #expect(
                node.output.contains("uses the store: to take part beside it"), "\(node.output)")
        }
        withExtendedLifetime(nodes) {}
    }

    @Test(arguments: [
        (["--advertise", "127.0.0.1:7000"], "is not one of the --listen addresses"),
        (["--listen", "127.0.0.1:7000", "--advertise", "127.0.0.1:7000"], "--node-secret-file"),
        (["--advertise", "127.0.0.1:0"], "expected HOST:PORT"),
        (["--node-secret-file", "/dev/null"], "requires --advertise"),
        (
            [
                "--listen", "10.0.0.1:7000", "--insecure", "--advertise", "10.0.0.1:7000",
                "--node-secret-file", "/dev/null",
            ], "must be a loopback address"
        ),
    ])
    func `invalid options for the connections between nodes are refused with the reason`(
        _ arguments: [String], _ reason: String
    ) throws {
        let daemon = try DaemonProcess(["--store", url] + arguments)
        #expect(daemon.waitForEnd() == 2)
        #expect(daemon.output.contains(reason), "\(daemon.output)")
    }

    @Test func `with a wrong password the daemon does not start and reports what to correct`()
        throws
    {
        let server = PostgresServer()
        let (database, folder) = (server.makeDatabase(), Folder())
        server.sql("CREATE ROLE \(database) LOGIN SUPERUSER PASSWORD 'a right word'")
        server.requirePassword(of: database)
        let file = folder.write("password", "a wrong word\n", mode: 0o600)
        let daemon = try DaemonProcess([
            "--store", server.url(database, user: database), "--store-password-file", file,
        ])
        #expect(daemon.waitForEnd() == 1)
        #expect(daemon.output.contains("password authentication failed"))
        #expect(daemon.output.contains("correct the user in the URL or the password"))
        #expect(!daemon.output.contains("wrong word"))
    }

    @Test func `without tables the daemon does not start and reports how to create them`() throws {
        let daemon = try startNode("a")
        #expect(daemon.waitForEnd() == 1)
        #expect(
            daemon.output.contains("the store: there are no tables; `gamed --prepare` makes them"))
    }

    @Test func `a backup of a database is a journal file from which a daemon continues`() throws {
        try createTables()
        let (node, folder) = (try startNode("a"), Folder())
        _ = try ask("send displayHelp", to: node)
        let output = ShellCommand.run(
            "gamectl --socket $S backup '\(folder.path)/journal.db'", node)
        #expect(output.contains("2 rows, all sound"), "\(output)")
        let daemon = try DaemonProcess(["--state-dir", folder.path])
        #expect(try ask("status", to: daemon).contains(#""state":"help""#))
    }

    @Test func `gamectl checks, exports and replays a database that a daemon uses`() throws {
        try createTables()
        let daemon = try startNode("a")
        _ = try ask("send displayHelp", "send dismissHelp", to: daemon)
        func gamectl(_ words: String) -> String { ShellCommand.run("gamectl \(words)", daemon) }
        #expect(gamectl("journal check '\(url)'").hasSuffix("sound\n"))
        #expect(gamectl("journal export '\(url)'").split(separator: "\n").count == 3)
        #expect(gamectl("journal export '\(url)' --session main").split(separator: "\n").count == 3)
        #expect(gamectl("--socket $S history").contains("displayHelp"))
        #expect(gamectl("replay '\(url)' >/dev/null; echo $?") == "0\n")
        #expect(
            gamectl("journal check 'postgresql://me:secret@db'").contains("--store-password-file"))
    }

    @Test func `a journal and its tokens are copied from a directory to a database and back`()
        throws
    {
        try createTables()
        let (folder, copyFolder) = (Folder(), Folder())
        let firstDaemon = try DaemonProcess(["--state-dir", folder.path])
        _ = try ask(
            "open @s1", "open @s2", "send @s1 id=k1 displayHelp", "send @s2 startPlaying",
            to: firstDaemon)
        func gamectl(_ words: String) -> String {
            ShellCommand.run("gamectl \(words) 2>&1", firstDaemon)
        }
        let tokenOutput = gamectl("--socket \(firstDaemon.socket) --json token add desk")
        let token = String(tokenOutput.split(separator: "\"").first { $0.utf8.count == 64 } ?? "")
        #expect(gamectl("journal copy '\(folder.path)' '\(url)'").contains("in use"))
        firstDaemon.signal(SIGTERM)
        #expect(firstDaemon.waitForEnd() == 0)
        #expect(
            gamectl("journal copy '\(folder.path)' '\(url)'").contains("rows copied to 3 shards"))
        #expect(gamectl("journal copy '\(folder.path)' '\(url)'").contains("has rows"))
        #expect(gamectl("journal check '\(url)'").hasSuffix("sound\n"))
        let node = try startNode("a")
        #expect(try ask("status @s2", to: node).contains(#""state":"choosingEpisode""#))
        #expect(try ask("auth \(token)", to: node).hasPrefix("OK"))
        // The node knows the id of the request, and the timer still runs.
        #expect(try ask("send @s1 id=k1 displayHelp", to: node).contains(#""seq":2"#))
        #expect(try ask("status @s1", to: node).contains(#""fires":"helpTimedOut""#))
        #expect(try ask("send @s1 dismissHelp", to: node).contains(#""seq":3"#))
        #expect(
            gamectl("journal copy '\(url)' '\(copyFolder.path)'")
                .contains("a node uses the database: a"))
        node.signal(SIGTERM)
        #expect(node.waitForEnd() == 0)
        #expect(gamectl("journal copy '\(url)' '\(copyFolder.path)'").contains("all sound"))
        let lastDaemon = try DaemonProcess(["--state-dir", copyFolder.path])
        #expect(try ask("auth \(token)", to: lastDaemon).hasPrefix("OK"))
        #expect(
            try ask("status @s1", to: lastDaemon).contains(
                #""state":"introduction","data":{},"final":false,"seq":3"#))
        #expect(try ask("send @s1 id=k1 displayHelp", to: lastDaemon).contains(#""seq":2"#))
    }

    @Test(arguments: [
        (["--state-dir", "/tmp"], "excludes --state-dir"),
        (["--clock", "virtual"], "excludes --clock virtual"),
        (["--hold", "soon"], "expected a duration"), (["--node", "a b"], "without spaces"),
    ])
    func `options that a database excludes, and invalid options of a database, are refused`(
        _ arguments: [String], _ reason: String
    ) throws {
        let daemon = try DaemonProcess(["--store", url] + arguments)
        #expect(daemon.waitForEnd() == 2)
        #expect(daemon.output.contains(reason), "\(daemon.output)")
    }

    @Test func `a password in the URL is refused, and not printed`() throws {
        let daemon = try DaemonProcess(["--store", "postgresql://me:secret@db/rooms"])
        #expect(daemon.waitForEnd() == 2)
        #expect(
            daemon.output.contains("--store-password-file") && !daemon.output.contains("secret"))
    }
}

/// Restarts of the database server. Each test has a server of its own.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct DatabaseOutageTests {
    @Test func `replies are held while the database restarts, and the daemon continues`() throws {
        let server = PostgresServer()
        let url = server.url(server.makeDatabase())
        #expect(try DaemonProcess(["--store", url, "--prepare"]).waitForEnd() == 0)
        let daemon = try DaemonProcess(["--store", url, "--hold", "20s"])
        let client = try Client(daemon.socket)
        #expect(client.ask("send displayHelp").hasPrefix("OK"))
        server.stop()
        client.write("send dismissHelp\n")
        #expect(daemon.waitFor("replies are held"))
        server.start()
        // The first line is the held reply, so each `ask` returns the reply to the request before its own.
        #expect(client.ask("ping").contains(#""seq":3"#))
        #expect(client.ask("status") == #"OK {"pong":true}"#)
    }

    @Test func `after the hold time, requests get the error storage until the database is back`()
        throws
    {
        let server = PostgresServer()
        let url = server.url(server.makeDatabase())
        #expect(try DaemonProcess(["--store", url, "--prepare"]).waitForEnd() == 0)
        let daemon = try DaemonProcess(["--store", url, "--hold", "300ms"])
        let client = try Client(daemon.socket)
        server.stop()
        #expect(client.ask("send displayHelp").hasPrefix("ERR storage"))
        server.start()
        let answer = client.ask("send displayHelp", until: "OK")
        #expect(answer.contains(#""seq":2"#), "a refused request made a change")
    }
}
