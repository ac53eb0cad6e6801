import Cluster
import Connections
import Glibc
import PostgresTestSupport
import Sessions
import TestSupport
import Testing

@testable import GamedServer

/// `gamectl journal forget` with a database.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct ForgetInDatabaseTests {
    private let server = PostgresServer.shared
    private let database = PostgresServer.shared.makeDatabase()
    private let playerName = "Gertrude"

    private var url: String { server.url(database) }

    private func startNode(_ options: [String] = []) throws -> DaemonProcess {
        try DaemonProcess(["--store", url, "--node", "a", "--no-main"] + options)
    }

    private func createTables() throws {
        #expect(try DaemonProcess(["--store", url, "--prepare"]).waitForEnd() == 0)
    }

    /// The name of a session in the same shard as the session `guest`.
    private let neighbour: String = {
        let shard = ShardMap.shard(of: SessionName("guest")!, shards: 256)
        let name = (1...100_000).lazy.map { "n\($0)" }.first {
            ShardMap.shard(of: SessionName($0)!, shards: 256) == shard
        }
        return name ?? ""
    }()

    /// Plays a part of a quiz with the player's name, and closes the session.
    private func play(_ session: String, _ client: Client) {
        #expect(client.ask("open @\(session) flow=quiz").hasPrefix("OK"))
        #expect(client.ask("send @\(session) start rounds=2").hasPrefix("OK"))
        #expect(client.ask("send @\(session) buzz player=\(playerName)").hasPrefix("OK"))
        #expect(client.ask("close @\(session)").hasPrefix("OK"))
    }

    /// The number of rows that contain a text, as psql prints it.
    private func rowCount(containing text: String) -> String {
        server.sql(
            "SELECT count(*) FROM gamed_row WHERE session = '\(text)' OR encode(body, 'escape') LIKE '%\(text)%'",
            in: database)
    }

    /// Runs `gamectl journal forget`, and returns its output and its exit status.
    private func forget(_ session: String, _ option: String, _ daemon: DaemonProcess) -> String {
        ShellCommand.run(
            "gamectl journal forget \(session) --store '\(url)' \(option) 2>&1; echo $?", daemon)
    }

    @Test func `a closed session is erased while its node runs, and other sessions continue`()
        throws
    {
        try createTables()
        let node = try startNode()
        defer { withExtendedLifetime(node) {} }
        let client = try Client(node.socket)
        #expect(client.ask("open @\(neighbour) flow=game").hasPrefix("OK"))
        play("guest", client)
        #expect(client.ask("send @\(neighbour) displayHelp").contains(#""seq":2"#))
        play("guest", client)
        #expect(rowCount(containing: playerName) != "0")

        let plan = forget("guest", "--dry-run", node)
        #expect(plan.contains("of 2 openings: would be erased") && plan.hasSuffix("\n0\n"))
        // Each of the two games has 4 rows.
        #expect(rowCount(containing: "guest") == "8")
        let response = forget("guest", "--yes", node)
        #expect(
            response.contains("session guest: 8 rows, 2 to 10, of 2 openings: erased"),
            "\(response)")
        #expect(response.contains("VACUUM FULL"))
        #expect(rowCount(containing: playerName) == "0" && rowCount(containing: "guest") == "0")

        // The node reads the shard again. It refuses no request, and the next rows follow the remaining ones.
        #expect(client.ask("send @\(neighbour) id=k dismissHelp").contains(#""seq":3"#))
        #expect(client.ask("open @guest flow=quiz").hasPrefix("OK"))
        #expect(client.ask("history @guest").contains(#""seq":1"#))
        #expect(!client.ask("history @guest").contains(playerName))
        let check = ShellCommand.run("gamectl journal check '\(url)'; echo $?", node)
        #expect(check.contains("forgotten  8 rows") && check.hasSuffix("sound\n0\n"), "\(check)")
        let replay = ShellCommand.run("gamectl replay '\(url)'; echo $?", node)
        #expect(replay.contains("8 rows, erased and not replayed"), "\(replay)")
        #expect(replay.hasSuffix("\n0\n"), "\(replay)")

        node.signal(SIGKILL)
        node.waitForEnd()
        let restartedNode = try startNode()
        defer { withExtendedLifetime(restartedNode) {} }
        let nextClient = try Client(restartedNode.socket)
        #expect(nextClient.ask("status @\(neighbour)").contains(#""seq":3"#))
        #expect(nextClient.ask("send @guest start rounds=1").contains(#""seq":2"#))
    }

    @Test func `no row of an output contains the name of an erased session`() throws {
        try createTables()
        let folder = Folder()
        let path = folder.write("gamed.conf", "on stuck session=* run=/bin/true\n")
        let daemon = try startNode(["--config", path])
        defer { withExtendedLifetime(daemon) {} }
        let client = try Client(daemon.socket)
        for session in ["guest", neighbour] {
            #expect(client.ask("open @\(session) flow=game").hasPrefix("OK"))
            // The 21 past visits take almost no time. The present visit is soon longer than these: the session is stuck.
            for _ in 1...21 { #expect(client.ask("goto @\(session) introduction").hasPrefix("OK")) }
        }
        for session in ["guest", neighbour] {
            #expect(Wait.until { outputRowCount(of: session) != "0" }, "\(session) is not stuck")
        }
        #expect(client.ask("close @guest").hasPrefix("OK"))
        #expect(forget("guest", "--yes", daemon).hasSuffix("\n0\n"))
        // An output and its result can be recorded in different rows. None of them may contain the erased name.
        #expect(rowCount(containing: "guest") == "0" && outputRowCount(of: neighbour) != "0")
        #expect(client.ask("send @\(neighbour) id=k displayHelp").hasPrefix("OK"))
        let check = ShellCommand.run("gamectl journal check '\(url)'; echo $?", daemon)
        #expect(check.hasSuffix("sound\n0\n"), "\(check)")
    }

    /// The number of rows that record outputs and contain the name of a session, as psql prints it. Rows of outputs belong to
    /// no session.
    private func outputRowCount(of session: String) -> String {
        server.sql(
            "SELECT count(*) FROM gamed_row WHERE session = '' AND encode(body, 'escape') LIKE '%\(session)%'",
            in: database
        )
    }

    @Test func `a backup after an erasure is sound, and a daemon can continue from it`() throws {
        try createTables()
        let daemon = try startNode()
        defer { withExtendedLifetime(daemon) {} }
        let client = try Client(daemon.socket)
        #expect(client.ask("open @\(neighbour) flow=game").hasPrefix("OK"))
        play("guest", client)
        #expect(client.ask("send @\(neighbour) displayHelp").hasPrefix("OK"))
        #expect(forget("guest", "--yes", daemon).hasSuffix("\n0\n"))
        #expect(client.ask("send @\(neighbour) id=k dismissHelp").contains(#""seq":3"#))
        let folder = Folder()
        for command in [
            "gamectl --socket $S backup '\(folder.path)/journal.db'",
            "gamectl journal check '\(folder.path)/journal.db'",
        ] {
            let response = ShellCommand.run("\(command) 2>&1; echo $?", daemon)
            #expect(response.hasSuffix("\n0\n"), "\(response)")
        }
        let export = ShellCommand.run("gamectl journal export '\(folder.path)/journal.db'", daemon)
        #expect(!export.contains(playerName) && !export.contains(#""guest""#))
        #expect(export.contains(#""kind":"forgotten""#))
        let copyDaemon = try DaemonProcess(["--state-dir", folder.path, "--no-main"])
        defer { withExtendedLifetime(copyDaemon) {} }
        let response = try Client(copyDaemon.socket).ask("send @\(neighbour) displayHelp")
        // The numbers of the erased changes are not used again.
        #expect(response.contains(#""seq":4"#) && response.contains(#""pos":8"#), "\(response)")
    }

    @Test func `an open session and an unknown session are not erased`() throws {
        try createTables()
        let daemon = try startNode()
        defer { withExtendedLifetime(daemon) {} }
        let client = try Client(daemon.socket)
        #expect(client.ask("open @guest flow=quiz").hasPrefix("OK"))
        let response = forget("guest", "--yes", daemon)
        #expect(response.contains("session guest is open; close it with `gamectl close @guest`"))
        #expect(!response.hasSuffix("\n0\n"))
        #expect(forget("nobody", "--yes", daemon).contains("there is no session nobody in "))
        #expect(client.ask("status @guest").hasPrefix("OK"))
        #expect(rowCount(containing: "guest") == "1")
    }

    @Test func `each acknowledged change is kept while other sessions of its shard are erased`()
        throws
    {
        try createTables()
        let daemon = try startNode()
        defer { withExtendedLifetime(daemon) {} }
        let client = try Client(daemon.socket)
        #expect(client.ask("open @\(neighbour) flow=game").hasPrefix("OK"))
        var seq = 1
        for round in 1...4 {
            play("guest", client)
            PostgresServer.background(
                "'\(DaemonProcess.programDirectory)/gamectl' journal forget guest "
                    + "--store '\(url)' --yes")
            // Sends events until the session is erased, and twenty more events.
            var remaining = 20
            while remaining > 0 {
                if rowCount(containing: "guest") == "0" { remaining -= 1 }
                let event = seq.isMultiple(of: 2) ? "dismissHelp" : "displayHelp"
                let response = client.ask("send @\(neighbour) id=\(round)-\(seq) \(event)")
                seq += 1
                #expect(response.contains("\"seq\":\(seq),"), "\(response)")
                if !response.hasPrefix("OK") { return }
                // Four erasures take far fewer events, unless an erasure has failed.
                guard seq < 4000 else {
                    Issue.record("the session is not erased")
                    return
                }
            }
        }
        let check = ShellCommand.run("gamectl journal check '\(url)'; echo $?", daemon)
        #expect(check.hasSuffix("sound\n0\n"), "\(check)")
    }
}
