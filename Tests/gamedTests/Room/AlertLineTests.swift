import EventLoop
import GameFlow
import Glibc
import Inputs
import RPC
import Sessions
import Support
import TestSupport
import Testing
import Timers

@testable import GamedServer
@testable import Parts
@testable import Room

/// `on alert` lines, and alerts about devices that send nothing.
@Suite struct AlertLineTests {
    private let folder = Folder()

    private func alert(_ kind: Alert.Kind, _ name: String, session: SessionName? = nil) -> Alert {
        Alert(
            id: "\(kind):\(name)", kind, name, "\(name) is down", since: .zero, session: session,
            endsWhenAcknowledged: false)
    }

    // MARK: quiet devices

    @Test func `a connection or line without an input for its time has an alert until one arrives`()
        throws
    {
        let lines = """
            osc stage listen=127.0.0.1:0 quiet=5m
            osc other listen=127.0.0.1:0
            map osc=other address=/beat event=abandon quiet=90s
            map osc=other address=/other event=abandon

            """
        let maps = try folder.options(lines).room.inputs
        let (loop, board) = (try LibeventLoop(), AlertBoard { .zero })
        let connections = RoomConnections(board, on: loop)
        connections.replace(by: try folder.options(lines).room.connections, maps)
        defer { for connection in connections.all { connection.inputConnection.stop {} } }
        var watch = QuietWatch()
        func ids(after seconds: Int64, _ maps: [InputMap]) -> [String] {
            watch.update(board, connections, maps, at: .zero + .seconds(seconds))
            return board.alerts.map(\.id)
        }
        watch.replace([], by: maps, at: .zero)
        #expect(ids(after: 0, maps) == [])
        #expect(ids(after: 89, maps) == [])
        #expect(ids(after: 90, maps) == ["quiet:other address=/beat"])
        #expect(
            board.alerts[0].text
                == "osc other address=/beat has sent nothing for 90 seconds. If the device has failed, its events are missing."
        )
        watch.matched(0, at: .zero + .seconds(100))
        #expect(ids(after: 101, maps) == [])
        #expect(ids(after: 300, maps) == ["quiet:stage", "quiet:other address=/beat"])
        // An unchanged line is watched since the same time, and a removed one has no alert.
        let without = Array(maps.dropFirst())
        watch.replace(maps, by: maps, at: .zero + .seconds(300))
        #expect(ids(after: 301, maps).count == 2)
        watch.replace(maps, by: without, at: .zero + .seconds(301))
        #expect(ids(after: 302, without) == ["quiet:stage"])
        connections.replace(by: [], without)
        #expect(ids(after: 303, without) == [])
    }

    @Test func `a daemon begins the alerts of a device that sends nothing`() throws {
        let port = try SerialPort(link: "\(folder.path)/tty")
        defer { port.unplug() }
        let file = folder.write(
            "gamed.conf",
            """
            serial door \(folder.path)/tty quiet=1s
            map serial=door line=BEAT event=abandon quiet=1s

            """)
        let daemon = try DaemonProcess(["--config", file, "--flow", "quiz"])
        #expect(daemon.waitFor("serial door: connected"))
        let client = try Client(daemon.socket)
        let quiet = client.ask("alerts") {
            $0.contains(#""id":"quiet:door""#) && $0.contains(#""id":"quiet:door line=BEAT""#)
        }
        #expect(
            quiet.contains(#""kind":"quiet","name":"door","text":"serial door has sent nothing"#))
    }

    @Test func `a Bluetooth device that sends nothing has an alert until a value arrives`() throws {
        let radio = folder.write("hall.radio", "device \"Red buzzer\" buzzer\n")
        let file = folder.write(
            "gamed.conf",
            "map device=\"Red *\" service=FFF0 characteristic=FFF1 value=01 event=startPlaying quiet=1s\n"
        )
        let daemon = try DaemonProcess([
            "--config", file, "--flow", "game", "--clock", "virtual", "--bluetooth", "sim:\(radio)",
        ])
        let client = try Client(daemon.socket)
        #expect(client.ask("advance 2s").hasPrefix("OK"))
        let quiet = client.ask("alerts", until: "quiet:")
        #expect(
            quiet.contains(#""id":"quiet:Red * event=startPlaying","kind":"quiet""#), "\(quiet)")
        #expect(quiet.contains("The device Red * (startPlaying) has sent nothing for 1 second."))
        let found = ShellCommand.run(
            "gamed --check --config \(folder.write("checked.conf", "map device=x lost=abandon quiet=1s\n"))"
        )
        #expect(found.contains("quiet=1s: expected") || found.contains("quiet: cannot"), "\(found)")
    }

    @Test func `an unchanged line is watched since the same time`() {
        var times = MatchTimes()
        times.replace([], by: ["a", "b"], at: .zero)
        times.matched(1, at: .zero + .seconds(5))
        times.replace(["a", "b"], by: ["b", "c"], at: .zero + .seconds(7))
        #expect(times.quietTime(of: 0, at: .zero + .seconds(8)) == .seconds(3))
        #expect(times.quietTime(of: 1, at: .zero + .seconds(8)) == .seconds(1))
    }

    // MARK: lines

    @Test func `a line sends one output in ten seconds at most`() throws {
        let lines = try folder.options(
            """
            serial door /dev/null
            on alert serial=door line="$alert.kind $alert.name: $alert.text"
            on alert kind=c* serial=door line=b
            on alert session=main serial=door line=c

            """
        ).room.outputLines
        var selection = AlertLines()
        func due(_ alert: Alert, after seconds: Int64) -> [Int] {
            let (due, _) = selection.select(alert, from: lines, at: .zero + .seconds(seconds))
            return due.compactMap { line in lines.firstIndex { $0 == line } }
        }
        #expect(due(alert(.connection, "hall"), after: 0) == [0, 1])
        #expect(due(alert(.connection, "stage"), after: 9) == [])
        #expect(due(alert(.output, "door", session: .main), after: 9) == [2])
        #expect(due(alert(.quiet, "hall"), after: 10) == [0])
        #expect(due(alert(.clock, "database"), after: 11) == [1])
        #expect(due(alert(.output, "x", session: SessionName("other")), after: 30) == [0])
        let (_, tooSoon) = selection.select(
            alert(.output, "x", session: .main), from: lines, at: .zero + .seconds(31))
        #expect(tooSoon == [lines[0]])
    }

    @Test func `an alert sends a line and starts a program, whether or not a session has it`()
        throws
    {
        let tty = try SerialPort(link: "\(folder.path)/tty")
        let program = folder.write(
            "note", "#!/bin/sh\ncat >'\(folder.path)/got'\n", mode: 0o755)
        let file = folder.write(
            "gamed.conf",
            """
            serial door \(folder.path)/tty
            on alert kind=connection serial=door line="$alert.kind $alert.name"
            on alert kind=connection run=\(program)

            """)
        let daemon = try DaemonProcess(["--config", file, "--flow", "quiz"])
        #expect(daemon.waitFor("serial door: connected"))
        folder.write(
            "gamed.conf", folder.text("gamed.conf") + "serial gone \(folder.path)/gone\n")
        daemon.signal(SIGHUP)
        #expect(tty.nextLine() == "connection gone\n")
        #expect(Wait.until { folder.text("got").hasSuffix("\n") })
        let got = folder.text("got")
        #expect(
            got.contains(#"::a"#) && got.contains(#""alert":{"id":"connection:gone""#), "\(got)")
        #expect(got.contains(#""kind":"connection","name":"gone","text":"serial gone is down"#))
        #expect(got.contains(#""atMs":"#) && !got.contains("flow"), "\(got)")
        let outputs = ShellCommand.run("gamectl --socket \"$S\" --json outputs", daemon)
        #expect(outputs.contains(#""delivered":1"#), "\(outputs)")
    }

    @Test func `a device that is absent when gamed starts is an alert that sends its output`()
        throws
    {
        let program = folder.write(
            "note", "#!/bin/sh\ncat >'\(folder.path)/got'\n", mode: 0o755)
        let file = folder.write(
            "gamed.conf",
            """
            serial gone \(folder.path)/gone
            on alert kind=connection run=\(program)

            """)
        let daemon = try DaemonProcess(["--config", file, "--flow", "quiz"])
        #expect(Wait.until { folder.text("got").hasSuffix("\n") })
        #expect(folder.text("got").contains(#""alert":{"id":"connection:gone""#))
        #expect(try Client(daemon.socket).ask("alerts").contains("connection:gone"))
    }

    @Test func `the failure of an alert's output is an alert that causes no further output`() throws
    {
        let file = folder.write(
            "gamed.conf",
            """
            serial gone \(folder.path)/gone
            on alert kind=output serial=gone line=ALERT once=yes
            on enter=question serial=gone line=OPEN once=yes

            """)
        let daemon = try DaemonProcess(["--config", file, "--flow", "quiz"])
        let client = try Client(daemon.socket)
        #expect(client.ask("send start rounds=2").hasPrefix("OK"))
        let alerts = client.ask("alerts") {
            $0.contains("OPEN was not sent") && $0.contains("ALERT was not sent")
        }
        #expect(alerts.contains(":main:a"), "\(alerts)")
        let outputs = ShellCommand.run("gamectl --socket \"$S\" --json outputs", daemon)
        // A further output would have been withheld, because it would have been too soon.
        #expect(
            outputs.contains(#""waiting":0,"delivered":0,"givenUp":1,"withheld":0"#), "\(outputs)")
        #expect(client.ask("alerts").contains("OPEN was not sent"))
    }

    @Test func `while outputs are off, alerts send nothing`() throws {
        let tty = try SerialPort(link: "\(folder.path)/tty")
        let lines = """
            serial door \(folder.path)/tty
            on alert serial=door line=$alert.kind

            """
        let file = folder.write("gamed.conf", lines)
        let daemon = try DaemonProcess(["--config", file, "--flow", "quiz", "--outputs", "off"])
        #expect(daemon.waitFor("serial door: connected"))
        folder.write("gamed.conf", lines + "serial gone \(folder.path)/gone\n")
        daemon.signal(SIGHUP)
        let client = try Client(daemon.socket)
        _ = client.ask("alerts", until: "connection:gone")
        #expect(client.ask("outputs").contains(#""delivered":0,"givenUp":0,"withheld":1"#))
        #expect(tty.readAvailable() == "")
    }

    @Test func `mistakes in on alert lines and in quiet= are found with their column`() throws {
        func error(_ line: String) -> String {
            do { _ = try folder.options("serial door /dev/null\n\(line)\n") } catch {
                let lines = (error as? Options.OptionsError)?.lines ?? []
                return lines.last.map { String($0.drop { $0 != ":" }.dropFirst()) } ?? ""
            }
            return ""
        }
        for (line, why) in [
            ("on alert kind=conection serial=door line=x", "2:10: kind: no alert is of this kind"),
            ("on alert=x serial=door line=x", "2:4: alert: unknown"),
            ("on enter=a kind=quiet serial=door line=x", "2:12: kind: only for on alert"),
            ("on alert stuck serial=door line=x", "2:1: expected effect=NAME"),
            ("on alert serial=door line=$state", "2:22: line: an alert has only $alert.X"),
            ("on alert serial=door line=$alert.id", "2:22: line: expected $alert.kind"),
            ("on stuck serial=door line=$alert.text", "2:22: line: $alert is only for on alert"),
            ("on alert send=@main start", "2:1: expected effect=NAME"),
            ("serial card /dev/null quiet=0s", "2:23: quiet: expected a duration of at least 1s"),
            ("map serial=door line=x event=abandon quiet=5", "2:38: quiet: expected a duration"),
        ] {
            let found = error(line)
            #expect(found.contains(why), "\(line): \(found)")
        }
    }
}
