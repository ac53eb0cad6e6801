import Connections
import Glibc
import TestSupport
import Testing

/// A daemon whose process is stopped for some time. The limit is lower than by default, because the test waits for it.
@Suite(.timeLimit(.minutes(2))) struct StandstillDaemonTests {
    private let folder = Folder()
    private static let limit = ["--limit", "stopped=1s"]

    /// Stops the daemon, calls `work`, and lets the daemon continue after a time that exceeds the limit. An idle daemon takes a
    /// turn once a second, so its process stands still from two seconds on.
    private func whileStopped(_ daemon: DaemonProcess, _ work: () -> Void = {}) {
        daemon.signal(SIGSTOP)
        work()
        usleep(2_500_000)
        daemon.signal(SIGCONT)
        #expect(daemon.waitFor("the process stood still for"))
    }

    /// Sends the line over a new connection and returns the reply. Tries again if the connection was closed: on a busy machine
    /// the daemon can wait so long for a core that it stands still once more, and then it has not executed the line.
    private func ask(_ line: String, _ daemon: DaemonProcess) throws -> String {
        var reply: String?
        #expect(
            Wait.until {
                guard let client = try? Client(daemon.socket) else { return false }
                client.write(line + "\n")
                reply = client.line()
                return reply != nil
            })
        return try #require(reply)
    }

    private func seq(_ daemon: DaemonProcess) throws -> String {
        let status = try ask("status", daemon)
        return status.firstMatch(of: /"seq":[0-9]+/).map { "\($0.0)" } ?? status
    }

    @Test func `what clients have sent to it is not executed, and their connections are closed`()
        throws
    {
        let daemon = try DaemonProcess(
            Self.limit + ["--listen", "127.0.0.1:0", "--http", "unix:\(folder.path)/web"])
        #expect(try seq(daemon) == #""seq":1"#)
        let connected = try Client(daemon.socket)
        let overTCP = try Client(tcp: daemon.tcpAddress)
        var waiting: Client?
        let curl =
            "curl -s -m 60 --unix-socket '\(folder.path)/web' -H 'Content-Type: application/json' "
            + #"-d '{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"displayHelp"}}' "#
            + "http://localhost/v1/rpc"
        var web: ChildProcess?
        whileStopped(daemon) {
            web = try? ChildProcess(
                ["/bin/sh", "-c", "\(curl); echo \"curl $?\""], connecting: [1])
            connected.write("send displayHelp\n")
            overTCP.write("send displayHelp\n")
            // This connection waits to be accepted.
            waiting = try? Client(daemon.socket)
            waiting?.write("send displayHelp\n")
        }
        #expect(connected.textUntilEnd() == "")
        #expect(overTCP.textUntilEnd() == "")
        #expect(waiting?.textUntilEnd() == "")
        // curl's exit status 52 or 56 means that the connection was closed without a reply.
        #expect(web?.waitFor("curl 5") == true, "\(web?.output ?? "")")
        #expect(try seq(daemon) == #""seq":1"#)
        #expect(try ask("send displayHelp", daemon).contains(#""seq":2"#))
    }

    @Test func `what devices have sent to it is dropped and counted`() throws {
        let port = LoopbackPort.findUnused()
        folder.write(
            "gamed.conf",
            "osc stage listen=127.0.0.1:\(port)\nmap osc=stage address=/help event=displayHelp\n")
        let daemon = try DaemonProcess(Self.limit + ["--config", "\(folder.path)/gamed.conf"])
        let send = #"bash -c "printf '/help\0\0\0,\0\0\0' >/dev/udp/127.0.0.1/\#(port)""#
        whileStopped(daemon) { _ = ShellCommand.run(send) }
        #expect(try seq(daemon) == #""seq":1"#)
        #expect(
            ShellCommand.run("gamectl --socket $S --json sources", daemon).contains(#""dropped":1"#)
        )
        _ = ShellCommand.run(send)
        #expect(Wait.until { (try? seq(daemon)) == #""seq":2"# })
    }

    @Test func `its Bluetooth controller is reset, and the devices connect again`() throws {
        let radio = folder.write("hall.radio", "device \"Red buzzer\" buzzer\n")
        folder.write(
            "gamed.conf",
            "map device=\"Red *\" service=FFF0 characteristic=FFF1 value=01 event=displayHelp\n")
        let daemon = try DaemonProcess(
            Self.limit + ["--bluetooth", "sim:\(radio)", "--config", "\(folder.path)/gamed.conf"])
        #expect(daemon.waitFor(") is connected"))
        whileStopped(daemon)
        #expect(daemon.waitFor(") is connected", times: 2))
        #expect(try ask(#"bluetooth press "Red buzzer" 1"#, daemon).hasPrefix("OK"))
        #expect(Wait.until { (try? seq(daemon)) == #""seq":2"# })
    }

    @Test func `its timers follow their declarations, and its journal can be replayed`() throws {
        folder.write(
            "lamp.yaml",
            """
            flow: lamp
            start: lit
            events: {press: {}}
            states:
              lit:
                timers: {burnt: {after: 1h, restart: restart}}
                on: {press: {to: lit}, burnt: {to: dark}}
              dark: {final: true}

            """)
        let daemon = try DaemonProcess(
            Self.limit + [
                "--flows", folder.path, "--flow", "lamp", "--state-dir", "\(folder.path)/state",
            ])
        #expect(try ask("send press", daemon).contains(#""seq":2"#))
        #expect(
            try ask("timer burnt extend by=1h", daemon).contains(#""totalMs":7200000"#))
        let stopped = ContinuousClock.now
        whileStopped(daemon)
        let status = try ask("status", daemon)
        // The countdown has begun again, with its full duration: it began after the standstill.
        let remaining = status.firstMatch(of: /"remainingMs":([0-9]+)/).flatMap { Int($0.1) }
        let age = Duration.milliseconds(7_200_000 - (remaining ?? 0))
        #expect(age < ContinuousClock.now - stopped - .seconds(2), "\(status)")
        // The steps of before can be undone.
        #expect(try ask("undo", daemon).contains(#""seq":4"#))
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd() == 0)
        let replay = ShellCommand.run("gamectl replay '\(folder.path)/state'; echo rc $?")
        #expect(replay.contains("rc 0"), "\(replay)")
    }

    @Test func `it executes what was sent if the limit is 0`() throws {
        let daemon = try DaemonProcess(["--limit", "stopped=0"])
        let client = try Client(daemon.socket)
        #expect(client.ask("hello").contains(#""stoppedMs":0"#))
        daemon.signal(SIGSTOP)
        client.write("send displayHelp\n")
        usleep(2_500_000)
        daemon.signal(SIGCONT)
        #expect(client.line()?.contains(#""seq":2"#) == true)
    }
}
