import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// The daemon with a PostgreSQL database.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct DatabaseTests {
    private let server = PostgresServer.shared
    private let database = PostgresServer.shared.makeDatabase()

    private var url: String { server.url(database) }

    private func node(
        _ name: String, _ arguments: [String] = [], until words: String = "listens at"
    ) throws -> DaemonProcess {
        try DaemonProcess(["--store", url, "--node", name] + arguments, until: words)
    }

    private func prepare() throws {
        let daemon = try DaemonProcess(["--store", url, "--prepare"])
        #expect(daemon.waitForEnd() == 0)
        #expect(daemon.output.contains("the tables have version 2 now"))
    }

    private func ask(_ lines: String..., to daemon: DaemonProcess) throws -> String {
        let client = try Client(daemon.socket)
        return lines.map { client.ask($0) }.last ?? ""
    }

    @Test func `sessions are restored after a clean end and after kill -9`() throws {
        try prepare()
        let first = try node("a", ["--audit", "refusals"])
        #expect(first.output.contains("journal in PostgreSQL, node a"))
        _ = try ask("send id=k1 displayHelp", "send dismissHelp", "send pause", to: first)
        let hello = try ask("hello", to: first)
        first.signal(SIGTERM)
        #expect(first.waitForEnd() == 0)
        let second = try node("a")
        #expect(try ask("send startPlaying", to: second).contains(#""seq":4"#))
        #expect(try ask("send id=k1 displayHelp", to: second).contains(#""seq":2"#))
        #expect(try ask("history", to: second).contains(#""kind":"enter""#))
        let instance = { (text: String) in text.split(separator: "\"instance\":").last?.prefix(18) }
        #expect(instance(try ask("hello", to: second)) == instance(hello))
        second.signal(SIGKILL)
        second.waitForEnd()
        let third = try node("c")
        #expect(try ask("status", to: third).contains(#""state":"choosingEpisode""#))
    }

    @Test func `a second node without an address is refused while the first one is alive`() throws {
        try prepare()
        let first = try node("a")
        let second = try node("b", until: "--advertise")
        #expect(second.waitForEnd() == 1)
        #expect(second.output.contains("node a uses the store: to take part beside it"))
        #expect(try ask("ping", to: first) == #"OK {"pong":true}"#)
    }

    @Test func `of two nodes without an address that start at the same time at most one remains`()
        throws
    {
        try prepare()
        let nodes = try ["a", "b"].map { name in
            try ChildProcess(
                [
                    "\(DaemonProcess.directory)/gamed", "--socket", DaemonProcess.freshSocket(),
                    "--store", url, "--node", name,
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
        (["--advertise", "127.0.0.1:7000"], "is none of the --listen addresses"),
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
    func `an address for other nodes must be one that they can use and trust`(
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
        let daemon = try node("a")
        #expect(daemon.waitForEnd() == 1)
        #expect(
            daemon.output.contains("the store: there are no tables; `gamed --prepare` makes them"))
    }

    @Test func `a backup is a journal file from which a daemon continues`() throws {
        try prepare()
        let (first, folder) = (try node("a"), Folder())
        _ = try ask("send displayHelp", to: first)
        let output = ShellCommand.run(
            "gamectl --socket $S backup '\(folder.path)/journal.db'", first)
        #expect(output.contains("2 rows, all sound"), "\(output)")
        let second = try DaemonProcess(["--state-dir", folder.path])
        #expect(try ask("status", to: second).contains(#""state":"help""#))
    }

    @Test func `gamectl checks, exports and replays a database, in use or not`() throws {
        try prepare()
        let daemon = try node("a")
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

    @Test func `everything is copied from a directory to a database and back`() throws {
        try prepare()
        let (folder, back) = (Folder(), Folder())
        let first = try DaemonProcess(["--state-dir", folder.path])
        _ = try ask(
            "open @s1", "open @s2", "send @s1 id=k1 displayHelp", "send @s2 startPlaying", to: first
        )
        func gamectl(_ words: String) -> String {
            ShellCommand.run("gamectl \(words) 2>&1", first)
        }
        let made = gamectl("--socket \(first.socket) --json token add desk")
        let token = String(made.split(separator: "\"").first { $0.utf8.count == 64 } ?? "")
        #expect(gamectl("journal copy '\(folder.path)' '\(url)'").contains("in use"))
        first.signal(SIGTERM)
        #expect(first.waitForEnd() == 0)
        #expect(
            gamectl("journal copy '\(folder.path)' '\(url)'").contains("rows copied to 3 shards"))
        #expect(gamectl("journal copy '\(folder.path)' '\(url)'").contains("has rows"))
        #expect(gamectl("journal check '\(url)'").hasSuffix("sound\n"))
        let second = try node("a")
        #expect(try ask("status @s2", to: second).contains(#""state":"choosingEpisode""#))
        #expect(try ask("auth \(token)", to: second).hasPrefix("OK"))
        // The new daemon knows the id, and the timer still runs.
        #expect(try ask("send @s1 id=k1 displayHelp", to: second).contains(#""seq":2"#))
        #expect(try ask("status @s1", to: second).contains(#""fires":"helpTimedOut""#))
        #expect(try ask("send @s1 dismissHelp", to: second).contains(#""seq":3"#))
        #expect(
            gamectl("journal copy '\(url)' '\(back.path)'").contains("a node uses the database: a"))
        second.signal(SIGTERM)
        #expect(second.waitForEnd() == 0)
        #expect(gamectl("journal copy '\(url)' '\(back.path)'").contains("all sound"))
        let third = try DaemonProcess(["--state-dir", back.path])
        #expect(try ask("auth \(token)", to: third).hasPrefix("OK"))
        #expect(
            try ask("status @s1", to: third).contains(
                #""state":"introduction","data":{},"final":false,"seq":3"#))
        #expect(try ask("send @s1 id=k1 displayHelp", to: third).contains(#""seq":2"#))
    }

    @Test(arguments: [
        (["--state-dir", "/tmp"], "excludes --state-dir"),
        (["--clock", "virtual"], "excludes --clock virtual"),
        (["--hold", "soon"], "expected a duration"), (["--node", "a b"], "without spaces"),
    ])
    func `options that do not go with a database are refused`(
        _ arguments: [String], _ reason: String
    ) throws {
        let daemon = try DaemonProcess(["--store", url] + arguments)
        #expect(daemon.waitForEnd() == 2)
        #expect(daemon.output.contains(reason), "\(daemon.output)")
    }

    @Test func `a password in the URL is refused, and not repeated`() throws {
        let daemon = try DaemonProcess(["--store", "postgresql://me:secret@db/rooms"])
        #expect(daemon.waitForEnd() == 2)
        #expect(
            daemon.output.contains("--store-password-file") && !daemon.output.contains("secret"))
    }
}

/// Restarts of the database server. These tests have a server of their own.
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
        // The first line is the reply that was held.
        #expect(client.ask("ping").contains(#""seq":3"#))
        #expect(client.ask("status") == #"OK {"pong":true}"#)
    }

    @Test func `after the hold, requests are answered with storage until the database is back`()
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
