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
