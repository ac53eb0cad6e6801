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
    private let name = "Gertrude"

    private var url: String { server.url(database) }

    private func node(_ options: [String] = []) throws -> DaemonProcess {
        try DaemonProcess(["--store", url, "--node", "a", "--no-main"] + options)
    }

    private func prepare() throws {
        #expect(try DaemonProcess(["--store", url, "--prepare"]).waitForEnd() == 0)
    }

    /// A session's name whose rows are beside those of `guest`.
    private let neighbour: String = {
        let shard = ShardMap.shard(of: SessionName("guest")!, shards: 256)
        let name = (1...100_000).lazy.map { "n\($0)" }.first {
            ShardMap.shard(of: SessionName($0)!, shards: 256) == shard
        }
        return name ?? ""
    }()

    private func play(_ session: String, _ client: Client) {
        #expect(client.ask("open @\(session) flow=quiz").hasPrefix("OK"))
        #expect(client.ask("send @\(session) start rounds=2").hasPrefix("OK"))
        #expect(client.ask("send @\(session) buzz player=\(name)").hasPrefix("OK"))
        #expect(client.ask("close @\(session)").hasPrefix("OK"))
    }

    /// How many rows have a text in them.
    private func rows(with text: String) -> String {
        server.sql(
            "SELECT count(*) FROM gamed_row WHERE session = '\(text)' OR encode(body, 'escape') LIKE '%\(text)%'",
            in: database)
    }

    private func forget(_ session: String, _ option: String, _ daemon: DaemonProcess) -> String {
        ShellCommand.run(
            "gamectl journal forget \(session) --store '\(url)' \(option) 2>&1; echo $?", daemon)
    }

    @Test func `a closed session is erased while its node runs, which goes on with the others`()
        throws
    {
        try prepare()
        let first = try node()
        defer { withExtendedLifetime(first) {} }
        let client = try Client(first.socket)
        #expect(client.ask("open @\(neighbour) flow=game").hasPrefix("OK"))
        play("guest", client)
        #expect(client.ask("send @\(neighbour) displayHelp").contains(#""seq":2"#))
        play("guest", client)
        #expect(rows(with: name) != "0")

        let planned = forget("guest", "--dry-run", first)
        #expect(planned.contains("of 2 openings: would be erased") && planned.hasSuffix("\n0\n"))
        #expect(rows(with: "guest") == "8")
        let response = forget("guest", "--yes", first)
        #expect(
            response.contains("session guest: 8 rows, 2 to 10, of 2 openings: erased"),
            "\(response)")
        #expect(response.contains("VACUUM FULL"))
        #expect(rows(with: name) == "0" && rows(with: "guest") == "0")

        // The node reads the shard again. Nothing is refused, and the next rows follow those that are left.
        #expect(client.ask("send @\(neighbour) id=k dismissHelp").contains(#""seq":3"#))
        #expect(client.ask("open @guest flow=quiz").hasPrefix("OK"))
        #expect(client.ask("history @guest").contains(#""seq":1"#))
        #expect(!client.ask("history @guest").contains(name))
        let check = ShellCommand.run("gamectl journal check '\(url)'; echo $?", first)
        #expect(check.contains("forgotten  8 rows") && check.hasSuffix("sound\n0\n"), "\(check)")
        let replay = ShellCommand.run("gamectl replay '\(url)'; echo $?", first)
        #expect(replay.contains("8 rows, erased and not replayed"), "\(replay)")
        #expect(replay.hasSuffix("\n0\n"), "\(replay)")

        first.signal(SIGKILL)
        first.waitForEnd()
        let second = try node()
        defer { withExtendedLifetime(second) {} }
        let next = try Client(second.socket)
        #expect(next.ask("status @\(neighbour)").contains(#""seq":3"#))
        #expect(next.ask("send @guest start rounds=1").contains(#""seq":2"#))
    }

    @Test func `the outputs of a stuck session do not keep its name`() throws {
        try prepare()
        let folder = Folder()
        let path = folder.write("gamed.conf", "on stuck session=* run=/bin/true\n")
        let daemon = try node(["--config", path])
        defer { withExtendedLifetime(daemon) {} }
        let client = try Client(daemon.socket)
        for session in ["guest", neighbour] {
            #expect(client.ask("open @\(session) flow=game").hasPrefix("OK"))
            for _ in 1...21 { #expect(client.ask("goto @\(session) introduction").hasPrefix("OK")) }
        }
        for session in ["guest", neighbour] {
            #expect(Wait.until { deliveries(to: session) != "0" }, "\(session) is not stuck")
        }
        #expect(client.ask("close @guest").hasPrefix("OK"))
        #expect(forget("guest", "--yes", daemon).hasSuffix("\n0\n"))
        // The request of the output and its result can be in different rows.
        #expect(rows(with: "guest") == "0" && deliveries(to: neighbour) != "0")
        #expect(client.ask("send @\(neighbour) id=k displayHelp").hasPrefix("OK"))
        let check = ShellCommand.run("gamectl journal check '\(url)'; echo $?", daemon)
        #expect(check.hasSuffix("sound\n0\n"), "\(check)")
    }

    /// How many rows of deliveries have the name of a session.
    private func deliveries(to session: String) -> String {
        server.sql(
            "SELECT count(*) FROM gamed_row WHERE session = '' AND encode(body, 'escape') LIKE '%\(session)%'",
            in: database
        )
    }

    @Test func `a backup after an erasure is sound, and a daemon continues from it`() throws {
        try prepare()
        let daemon = try node()
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
        #expect(!export.contains(name) && !export.contains(#""guest""#))
        #expect(export.contains(#""kind":"forgotten""#))
        let copy = try DaemonProcess(["--state-dir", folder.path, "--no-main"])
        defer { withExtendedLifetime(copy) {} }
        let response = try Client(copy.socket).ask("send @\(neighbour) displayHelp")
        // The numbers of the erased changes are not used again.
        #expect(response.contains(#""seq":4"#) && response.contains(#""pos":8"#), "\(response)")
    }

    @Test func `open and unknown sessions are not erased, nor is a bad URL`() throws {
        try prepare()
        let daemon = try node()
        defer { withExtendedLifetime(daemon) {} }
        let client = try Client(daemon.socket)
        #expect(client.ask("open @guest flow=quiz").hasPrefix("OK"))
        let open = forget("guest", "--yes", daemon)
        #expect(open.contains("session guest is open; close it with `gamectl close @guest`"))
        #expect(!open.hasSuffix("\n0\n"))
        #expect(forget("nobody", "--yes", daemon).contains("there is no session nobody in "))
        #expect(client.ask("status @guest").hasPrefix("OK"))
        #expect(rows(with: "guest") == "1")
    }

    @Test func `while shards are erased under load, each acknowledged change is kept`() throws {
        try prepare()
        let daemon = try node()
        defer { withExtendedLifetime(daemon) {} }
        let client = try Client(daemon.socket)
        #expect(client.ask("open @\(neighbour) flow=game").hasPrefix("OK"))
        var seq = 1
        for round in 1...4 {
            play("guest", client)
            PostgresServer.background(
                "'\(DaemonProcess.directory)/gamectl' journal forget guest --store '\(url)' --yes")
            // Until the session is gone, and a little longer.
            var left = 20
            while left > 0 {
                if rows(with: "guest") == "0" { left -= 1 }
                let event = seq.isMultiple(of: 2) ? "dismissHelp" : "displayHelp"
                let response = client.ask("send @\(neighbour) id=\(round)-\(seq) \(event)")
                seq += 1
                #expect(response.contains("\"seq\":\(seq),"), "\(response)")
                if !response.hasPrefix("OK") { return }
            }
        }
        let check = ShellCommand.run("gamectl journal check '\(url)'; echo $?", daemon)
        #expect(check.hasSuffix("sound\n0\n"), "\(check)")
    }
}
