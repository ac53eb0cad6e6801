import Glibc
import TestSupport
import Testing

/// The outputs of the room, with programs that others wrote.
@Suite struct RoomOutputTests {
    private let folder = Folder()

    private func daemon(_ lines: String, _ options: [String] = []) throws -> DaemonProcess {
        let path = folder.write("gamed.conf", lines)
        return try DaemonProcess(["--config", path, "--flow", "quiz"] + options)
    }

    @Test func `mosquitto_sub gets what a state asks for, after the change is durable`() throws {
        let port = Int.random(in: 20_000..<32_000)
        let mosquitto = try ChildProcess(
            ["/usr/sbin/mosquitto", "-p", "\(port)"], [], talksBy: [2])
        defer { mosquitto.signal(SIGTERM) }
        #expect(mosquitto.waitFor("running"))
        let daemon = try daemon(
            """
            mqtt hall mqtt://127.0.0.1:\(port)
            on enter=* mqtt=hall topic=quiz/$session/$state payload="now $state"
            on enter=* session=other mqtt=hall topic=never

            """, ["--state-dir", "\(folder.path)/state"])
        #expect(daemon.waitFor("mqtt hall: connected"))
        let said = ShellCommand.run(
            """
            mosquitto_sub -p \(port) -q 1 -t 'quiz/#' -v -C 2 -W 20 & sub=$!
            sleep 0.3; gamectl --socket "$S" send start rounds=1 >/dev/null
            gamectl --socket "$S" send buzz player=ann >/dev/null; wait $sub
            """, daemon)
        let state = ShellCommand.run("gamectl --socket \"$S\" --json history", daemon)
        let lines = said.split(separator: "\n")
        #expect(lines.count == 2, "\(said)")
        for line in lines {
            let name = line.split(separator: " ").last.map(String.init) ?? ""
            #expect(line == "quiz/main/\(name) now \(name)")
            #expect(state.contains("\"state\":\"\(name)\""), "\(name)")
        }
    }

    @Test func `a broker that is away for a second gets the output when it is back`() throws {
        let port = Int.random(in: 20_000..<32_000)
        let daemon = try daemon(
            """
            mqtt hall mqtt://127.0.0.1:\(port)
            on enter=* mqtt=hall topic=t payload=$state max-age=30s

            """)
        let said = ShellCommand.run(
            """
            gamectl --socket "$S" send start rounds=1 >/dev/null
            mosquitto -p \(port) >/dev/null 2>&1 & broker=$!
            sleep 0.1; mosquitto_sub -p \(port) -q 1 -t t -C 1 -W 25; kill $broker
            """, daemon)
        #expect(!said.isEmpty && !said.contains("Timed out"), "\(said)")
    }

    @Test func `python-osc gets a message, and a serial device a line`() throws {
        let port = Int.random(in: 20_000..<32_000)
        let tty = try SerialPort(link: "\(folder.path)/tty")
        let daemon = try daemon(
            """
            osc stage listen=127.0.0.1:0
            serial door \(folder.path)/tty
            on enter=* osc=stage to=127.0.0.1:\(port) address=/state/$state args='["$session",1,0.5]'
            on enter=* serial=door line="STATE $state"

            """)
        #expect(daemon.waitFor("serial door: connected"))
        let said = ShellCommand.run(
            """
            .venv/bin/python -c '
            import subprocess
            from pythonosc import dispatcher, osc_server
            d = dispatcher.Dispatcher()
            d.set_default_handler(print)
            server = osc_server.OSCUDPServer(("127.0.0.1", \(port)), d)
            server.timeout = 20
            subprocess.run(["gamectl", "--socket", "'"$S"'", "send", "start", "rounds=1"], stdout=subprocess.DEVNULL)
            server.handle_request()
            ' | grep '^/state'
            """, daemon)
        #expect(said.hasPrefix("/state/") && said.hasSuffix(" main 1 0.5\n"), "\(said)")
        #expect(tty.line().hasPrefix("STATE "))
    }

    @Test func `on the virtual clock outputs are logged and not sent`() throws {
        let daemon = try daemon(
            """
            serial door \(folder.path)/nothing
            on enter=* serial=door line="STATE $state"

            """, ["--clock", "virtual"])
        #expect(try Client(daemon.socket).ask("send start rounds=1").hasPrefix("OK"))
        #expect(daemon.waitFor("serial door: outputs are off; not sent"))
    }

    @Test func `mistakes in lines are found, and separators in values are refused`() throws {
        let others = "mqtt hall mqtt://x\nosc stage listen=0.0.0.0:1\n"
        for (line, why) in [
            ("on mqtt=hall topic=t", "expected effect=NAME or enter=STATE"),
            ("on effect=x", "expected one of mqtt="),
            ("on effect=x mqtt=hal topic=t", "no line `mqtt hal …`"),
            ("on effect=x mqtt=hall topic=$nothing", "$nothing: unknown"),
            ("on effect=x mqtt=hall topic=t max-age=2h", "max-age: expected"),
            ("on effect=x osc=stage to=host:1 address=/a", "to: expected a numeric"),
            ("on effect=x mqtt=hall topic=t once=maybe", "once: expected yes or no"),
        ] {
            let path = folder.write("gamed.conf", "\(others)\(line)\n")
            let said = ShellCommand.run("gamed --check --config \(path)")
            #expect(said.contains("gamed.conf:3:") && said.contains(why), "\(line): \(said)")
        }
    }
}
