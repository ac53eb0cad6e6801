import Connections
import Glibc
import TestSupport
import Testing

/// The method `presses` of a daemon that stores its sessions.
@Suite struct PressesDaemonTests {
    private let folder = Folder()

    private func start(_ arguments: String...) throws -> DaemonProcess {
        folder.write(
            "show.yaml",
            """
            flow: show
            start: question
            data: {count: integer = 0}
            events: {buzz: {args: {player: text}, buzz: true}, next: {}}
            states:
              question:
                on:
                  buzz:
                    - {if: player == 'Eve', refuse: {player: locked out}}
                    - {with: {count: =count + 1}}
                  next: pause
              pause: {on: {next: question}}
            """)
        return try DaemonProcess(
            ["--flows", folder.path, "--flow", "show", "--state-dir", "\(folder.path)/state"]
                + arguments)
    }

    /// Sends the presses of two questions, and kills the daemon.
    private func play(_ daemon: DaemonProcess) throws {
        let client = try Client(daemon.socket)
        #expect(client.ask("send buzz player=Zoe").hasPrefix("OK"))
        for _ in 0..<2 { #expect(client.ask("send next").hasPrefix("OK")) }
        #expect(client.ask("send buzz player=Ann").hasPrefix("OK"))
        #expect(client.ask("send buzz player=Eve").hasPrefix("ERR invalid"))
        #expect(client.ask("send buzz player=Bob").hasPrefix("OK"))
        let found = presses(client)
        #expect(found.names == ["Ann ok", "Eve invalid", "Bob ok"])
        #expect(found.isComplete)
        daemon.signal(SIGKILL)
        daemon.waitForEnd()
    }

    private func presses(_ client: Client) -> (names: [String], isComplete: Bool) {
        let answer = client.ask("presses")
        let names = answer.matches(of: /"by":"(\w+)","args":[^}]*},"result":"(\w+)"/)
            .map { "\($0.1) \($0.2)" }
        return (names, answer.contains(#""complete":true"#))
    }

    @Test func `the accepted presses of before a restart are read from the journal`() throws {
        try play(start())
        let daemon = try start()
        let found = presses(try Client(daemon.socket))
        #expect(found.names == ["Ann ok", "Bob ok"])
        #expect(!found.isComplete)
    }

    @Test func `with --audit refusals, the refused presses are there, too`() throws {
        try play(start("--audit", "refusals"))
        let daemon = try start("--audit", "refusals")
        let client = try Client(daemon.socket)
        let found = presses(client)
        #expect(found.names == ["Ann ok", "Eve invalid", "Bob ok"])
        #expect(found.isComplete)
        // Without the option, nobody knows later whether presses were refused in between.
        daemon.signal(SIGTERM)
        daemon.waitForEnd()
        let other = try start()
        #expect(!presses(try Client(other.socket)).isComplete)
        other.signal(SIGTERM)
        other.waitForEnd()
        let last = try start("--audit", "refusals")
        #expect(!presses(try Client(last.socket)).isComplete)
    }

    @Test func `a new question begins a new list, which is in memory`() throws {
        try play(start("--audit", "refusals"))
        let daemon = try start("--audit", "refusals")
        let client = try Client(daemon.socket)
        for _ in 0..<2 { #expect(client.ask("send next").hasPrefix("OK")) }
        #expect(presses(client).names.isEmpty)
        #expect(presses(client).isComplete)
    }
}
