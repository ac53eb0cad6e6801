import Connections
import Glibc
import TestSupport
import Testing

/// `on leave=STATE` lines, and the order of programs.
@Suite struct LeaveLineTests {
    private let folder = Folder()

    private func startDaemon(_ lines: String, _ options: [String] = []) throws -> DaemonProcess {
        let path = folder.write("gamed.conf", lines)
        return try DaemonProcess(["--config", path, "--flow", "quiz"] + options)
    }

    @Test func `every way out of a state sends the output, with the state that was left`() throws {
        let tty = try SerialPort(link: "\(folder.path)/tty")
        let daemon = try startDaemon(
            """
            serial door ./tty
            on leave=question serial=door line="left $state $data.round $label.team"

            """, ["--state-dir", "\(folder.path)/state"])
        #expect(daemon.waitFor("serial door: connected"))
        let client = try Client(daemon.socket)
        #expect(client.ask("label team=Owls").hasPrefix("OK"))
        // A row, an undo that enters the state again, goto, undo of that, a repeated opening, and the end.
        for (request, isWayOut) in [
            ("send start rounds=3", false), ("send buzz player=ann", true), ("undo", false),
            ("goto lobby", true), ("undo", false), ("undo", true), ("send start rounds=2", false),
            ("close", true),
        ] {
            #expect(client.ask(request).hasPrefix("OK"), "\(request)")
            if isWayOut { #expect(tty.nextLine() == "left question 1 Owls\n", "\(request)") }
        }
        #expect(client.ask("open @main flow=quiz").hasPrefix("OK"))
        #expect(client.ask("send start rounds=3").hasPrefix("OK"))
        #expect(client.ask("label team=Cats").hasPrefix("OK"))
        #expect(client.ask("open @main flow=quiz again=true").hasPrefix("OK"))
        #expect(tty.nextLine() == "left question 1 Cats\n")
    }

    @Test func `an output that waits when its session is closed is sent after a restart`() throws {
        let lines = """
            serial door \(folder.path)/tty
            on leave=* serial=door line="left $state $label.team" max-age=60s

            """
        let options = ["--state-dir", "\(folder.path)/state"]
        let firstRun = try startDaemon(lines, options)
        let client = try Client(firstRun.socket)
        #expect(client.ask("label team=Owls").hasPrefix("OK"))
        #expect(client.ask("close").hasPrefix("OK"))
        firstRun.signal(SIGKILL)
        firstRun.waitForEnd()
        let tty = try SerialPort(link: "\(folder.path)/tty")
        let secondRun = try startDaemon(lines, options)
        #expect(tty.nextLine() == "left lobby Owls\n")
        withExtendedLifetime(secondRun) {}
    }

    @Test func `a session can be opened again when it is left, and open again= opens it once`()
        throws
    {
        let daemon = try startDaemon(
            "on leave=* session=main open=main flow=quiz\n", ["--clock", "virtual"])
        let client = try Client(daemon.socket)
        #expect(client.ask("close").hasPrefix("OK"))
        #expect(client.ask("status").contains(#""state":"lobby""#))
        #expect(client.ask("open @main flow=quiz again=true").hasPrefix("OK"))
        #expect(client.ask("send start rounds=1").hasPrefix("OK"))
    }

    @Test func `an unknown state of a leave line is found, and two triggers are refused`() {
        let path = folder.write(
            "gamed.conf", "serial door /dev/null\non leave=questoin serial=door line=x\n")
        #expect(
            ShellCommand.run("gamed --check --config \(path)").contains(
                "leave: no flow has a state questoin; did you mean question?"))
        _ = folder.write(
            "gamed.conf", "serial door /dev/null\non leave=lobby enter=lobby serial=door line=x\n")
        #expect(
            ShellCommand.run("gamed --check --config \(path)").contains(
                "expected effect=NAME or enter=STATE or leave=STATE"))
    }

    /// A program that appends its name and a word to a file, after a pause.
    private func writeProgram(_ name: String, seconds: String) {
        _ = folder.write(
            name, "#!/bin/sh\nsleep \(seconds)\necho \(name) >>\(folder.path)/ran\n", mode: 0o755)
    }

    private func programs(_ lines: String) throws -> String {
        writeProgram("play", seconds: "0.4")
        writeProgram("stop", seconds: "0")
        let daemon = try startDaemon(lines)
        let client = try Client(daemon.socket)
        #expect(client.ask("send start rounds=1").hasPrefix("OK"))
        #expect(client.ask("send abandon").hasPrefix("OK"))
        _ = client.ask("outputs") { $0.split(separator: #""delivered":1"#).count == 3 }
        return folder.text("ran")
    }

    @Test func `the programs of one session run in the order of its changes, one at a time`() throws
    {
        #expect(
            try programs("on leave=lobby run=./play\non leave=question session=m* run=./stop\n")
                == "play\nstop\n")
    }

    @Test func `target= makes further targets, also of other kinds of lines`() throws {
        #expect(
            try programs(
                "on leave=lobby run=./play target=video\non leave=question run=./stop target=sound\n"
            )
                == "stop\nplay\n")
        #expect(
            ShellCommand.run(
                "gamed --check --config "
                    + folder.write("bad.conf", "on leave=lobby run=/bin/true target=a/b\n")
            ).contains("target: expected 1 to 64 of"))
    }

    @Test func `lines of several kinds with one target are sent in order`() throws {
        writeProgram("play", seconds: "0.4")
        let tty = try SerialPort(link: "\(folder.path)/tty")
        let daemon = try startDaemon(
            """
            serial door ./tty
            on leave=lobby run=./play target=film
            on enter=question serial=door line=LIGHT target=film

            """)
        #expect(daemon.waitFor("serial door: connected"))
        #expect(try Client(daemon.socket).ask("send start rounds=1").hasPrefix("OK"))
        #expect(tty.nextLine() == "LIGHT\n")
        #expect(folder.text("ran") == "play\n")
    }
}
