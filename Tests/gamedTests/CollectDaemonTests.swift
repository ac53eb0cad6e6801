import Connections
import Glibc
import TestSupport
import Testing

/// Presses that wait for each other, sent over the UNIX socket.
@Suite struct CollectDaemonTests {
    private let folder = Folder()

    private func start(_ arguments: String...) throws -> DaemonProcess {
        folder.write(
            "race.yaml",
            """
            flow: race
            start: ready
            events:
              buzz: {args: {player: text}, collect: 1s, buzz: true}
              go: {}
              nod: {}
            states:
              ready: {on: {buzz: {to: first, with: {player: =player}}, "go, nod": stay}}
              first: {data: {player: text = ''}, on: {go: ready, nod: stay}}
            """)
        return try DaemonProcess(
            ["--flows", folder.path, "--flow", "race", "--state-dir", "\(folder.path)/state"]
                + arguments)
    }

    @Test func `a press that was refused at once is behind an older one that has waited`() throws {
        let daemon = try start()
        let client = try Client(daemon.socket)
        client.write("send buzz\nsend ageMs=250 buzz player=bob\nsend nod\n")
        #expect(try #require(client.line()).hasPrefix("ERR invalid"))
        let bob = try #require(client.line())
        #expect(bob.contains(#""ageMs":250"#), "\(bob)")
        #expect(try #require(client.line()).hasPrefix("OK"))
        let presses = client.ask("presses")
        #expect(
            presses.contains(
                #/"presses":\[{"by":"bob".*"afterMs":0.*"by":"unix".*"result":"invalid".*"afterMs":\d/#
            ), "\(presses)")
    }

    @Test func `the age of a press that was refused at once counts, also after a restart`() throws {
        let daemon = try start("--audit", "refusals")
        let client = try Client(daemon.socket)
        client.write("send ageMs=300 buzz\nsend ageMs=250 buzz player=bob\nsend nod\n")
        #expect(try #require(client.line()).hasPrefix("ERR invalid"))
        for _ in 0..<2 { #expect(try #require(client.line()).hasPrefix("OK")) }
        let presses = client.ask("presses")
        #expect(
            presses.contains(
                #/"presses":\[{"by":"unix".*"result":"invalid".*"afterMs":0.*"by":"bob".*"afterMs":\d/#
            ), "\(presses)")
        daemon.signal(SIGKILL)
        daemon.waitForEnd()
        let restarted = try start("--audit", "refusals")
        #expect(times(try Client(restarted.socket).ask("presses")) == times(presses))
        #expect(times(presses).count == 2)
    }

    /// Who pressed, when each press was received, and how long after the first it was sent.
    private func times(_ presses: String) -> [String] {
        presses.matches(of: /"by":"(\w+)".*?"receivedMs":(\d+),"afterMs":(\d+)/).map {
            "\($0.1) \($0.2) \($0.3)"
        }
    }

    /// Requests that end the window of a press of the same connection, and what their replies begin with. `@other` opens a window
    /// that ends with the one of `@main`.
    @Test(arguments: [
        (["send go x=1"], ["ERR invalid"]), (["undo seq=77"], ["ERR invalid"]),
        (["goto ready x=1"], ["ERR invalid"]), (["send entry=1 go"], ["ERR stale"]),
        (["label a=b", "send buzz player=bob", "label a=c"], ["OK", "ERR noTransition", "OK"]),
        (["send @other buzz player=bob", "goto ready", "send @other go"], ["OK", "OK", "OK"]),
        (
            ["send buzz player=bob", "send buzz player=eve", "nod"],
            ["ERR noTransition", "ERR noTransition", "ERR"]
        ),
    ])
    func `each request behind a press that waits gets its own reply`(
        _ requests: [String], _ replies: [String]
    ) throws {
        let daemon = try start()
        let client = try Client(daemon.socket)
        #expect(client.ask("open @other flow=race").hasPrefix("OK"))
        client.write((["send buzz player=ann"] + requests + ["ping"]).map { "\($0)\n" }.joined())
        for reply in ["OK"] + replies + [#"OK {"pong":true}"#] {
            let line = try #require(client.line())
            #expect(line.hasPrefix(reply) && line.matches(of: /ERR|OK/).count == 1, "\(line)")
        }
    }

    @Test
    func `a refused request behind a press that waits leaves the reply of the press complete`()
        throws
    {
        let daemon = try start()
        let client = try Client(daemon.socket)
        client.write(
            """
            {"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"buzz","args":{"player":"ann"}}}
            {"jsonrpc":"2.0","id":2,"method":"send","params":{"event":"go","args":{"x":1}}}

            """)
        #expect(client.line()?.hasPrefix(#"{"jsonrpc":"2.0","id":1,"result":{"#) == true)
        #expect(client.line()?.hasPrefix(#"{"jsonrpc":"2.0","id":2,"error":{"#) == true)
    }

    @Test func `a late connection does not decide who was first`() throws {
        let daemon = try start()
        let client = try Client(daemon.socket)
        // All of this is one line after the other in one write, so the window is open until `go` ends it.
        client.write(
            """
            send buzz player=ann
            send id=b1 ageMs=250 buzz player=bob
            send id=b1 ageMs=250 buzz player=bob
            presses
            send go

            """)
        let ann = try #require(client.line())
        #expect(ann.hasPrefix("ERR noTransition"), "\(ann)")
        let bob = try #require(client.line())
        #expect(bob.contains(#""player":"bob""#) && bob.contains(#""ageMs":250"#), "\(bob)")
        #expect(client.line() == bob)
        #expect(try #require(client.line()).contains(#""presses":[]"#))
        #expect(try #require(client.line()).contains(#""to":{"state":"ready""#))
        let presses = client.ask("history limit=4")
        #expect(presses.contains(#""receivedMs""#), "\(presses)")
        #expect(client.ask("describe session=main").contains(#""collect":"1s""#))
        let replay = ShellCommand.run(
            "gamectl --socket $S backup \(folder.path)/copy.db && "
                + "gamectl replay \(folder.path)/copy.db && echo same", daemon)
        #expect(replay.hasSuffix("same\n"), "\(replay)")
    }
}
