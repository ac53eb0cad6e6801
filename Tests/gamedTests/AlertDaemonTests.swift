import Connections
import Glibc
import TestSupport
import Testing

/// Alerts of a running daemon, as its clients see them.
@Suite struct AlertDaemonTests {
    private let folder = Folder()

    private func startDaemon(_ lines: String, _ options: [String] = []) throws -> DaemonProcess {
        let path = folder.write("gamed.conf", lines)
        return try DaemonProcess(["--config", path, "--flow", "quiz"] + options)
    }

    @Test func `a connection that is down is an alert until it is up, or its line is removed`()
        throws
    {
        let lines = "serial door \(folder.path)/tty\n"
        let daemon = try startDaemon(lines)
        let client = try Client(daemon.socket)
        let down = client.ask("alerts", until: "connection:door")
        #expect(
            down.contains(#""kind":"connection","name":"door","text":"serial door is down: "#),
            "\(down)")
        let acknowledged = client.ask("alerts ack connection:door")
        #expect(acknowledged.contains(#""acked":true"#), "\(acknowledged)")
        // It may have ended meanwhile.
        #expect(
            client.ask("alerts ack nothing").hasPrefix(#"OK {"alerts":[{"id":"connection:door""#))
        // But a script that acknowledges an alert learns that there was nothing to acknowledge.
        for (option, id, expected) in [
            ("", "nothing", "gamectl: there is no alert nothing; it may have ended already\n1\n"),
            (
                "--json", "nothing",
                "gamectl: there is no alert nothing; it may have ended already\n1\n"
            ),
            ("", "connection:door", "0\n"), ("--json", "connection:door", "0\n"),
        ] {
            let output = ShellCommand.run(
                "gamectl --socket \"$S\" \(option) alerts ack \(id) 2>&1 >/dev/null; echo $?",
                daemon)
            #expect(output == expected, "\(option) \(id)")
        }
        let port = try SerialPort(link: "\(folder.path)/tty")
        #expect(daemon.waitFor("serial door: connected"))
        #expect(client.ask("alerts") == #"OK {"alerts":[]}"#)
        port.unplug()
        #expect(client.ask("alerts", until: "is gone").contains(#""acked":false"#))
        folder.write("gamed.conf", "")
        daemon.signal(SIGHUP)
        #expect(client.ask("alerts", until: "[]") == #"OK {"alerts":[]}"#)
    }

    @Test func `a journal that cannot be written is an alert until it can`() throws {
        let daemon = try startDaemon("", ["--state-dir", "\(folder.path)/state"])
        let client = try Client(daemon.socket)
        func limitFiles(_ size: String) {
            _ = ShellCommand.run("prlimit --pid \(daemon.pid) --fsize=\(size):unlimited")
        }
        #expect(client.ask("alerts") == #"OK {"alerts":[]}"#)
        limitFiles("4000")
        #expect(client.ask("send start rounds=2").hasPrefix("ERR storage"))
        let broken = client.ask("alerts", until: #""id":"storage:journal""#)
        #expect(broken.contains(#""kind":"storage","name":"journal","text":"The journal cannot"#))
        limitFiles("unlimited")
        #expect(client.ask("alerts", until: "[]") == #"OK {"alerts":[]}"#)
        #expect(client.ask("send start rounds=2").hasPrefix("OK"))
    }

    @Test func `a picture that a flow shows and that is missing is an alert until it is there`()
        throws
    {
        let media = Folder()
        folder.write(
            "wall.yaml",
            """
            flow: wall
            start: a
            events: {go: {}}
            states:
              a: {show: {picture: a.png}, on: {go: b}}
              b: {show: {picture: b.png}, on: {go: a}}

            """)
        media.write("b.png", "")
        let daemon = try DaemonProcess([
            "--flows", folder.path, "--media", media.path, "--flow", "wall",
        ])
        let client = try Client(daemon.socket)
        let alerts = client.ask("alerts", until: "media:wall")
        #expect(
            alerts.contains(
                "a.png does not exist; the flow wall shows it in the state a. Copy the file"),
            "\(alerts)")
        media.write("a.png", "")
        #expect(client.ask("reload").hasPrefix("OK"))
        #expect(client.ask("alerts", until: "[]") == #"OK {"alerts":[]}"#)
        // The session plays the version that shows b.png, although the flow does not show it any more.
        folder.write(
            "wall.yaml",
            "flow: wall\nstart: a\nevents: {go: {}}\nstates: {a: {on: {go: b}}, b: {on: {go: a}}}\n"
        )
        unlink("\(media.path)/b.png")
        #expect(client.ask("reload").hasPrefix("OK"))
        #expect(client.ask("alerts", until: "b.png").contains("b.png does not exist"))
    }

    @Test func `a Bluetooth device out of reach is an alert until it is back`() throws {
        let radio = folder.write("hall.radio", "device \"Red buzzer\" buzzer\n")
        let daemon = try startDaemon(
            "map device=\"Red *\" service=FFF0 characteristic=FFF1 value=01 event=abandon\n",
            ["--bluetooth", "sim:\(radio)"])
        #expect(daemon.waitFor(") is connected"))
        let client = try Client(daemon.socket)
        #expect(client.ask("alerts") == #"OK {"alerts":[]}"#)
        #expect(client.ask(#"bluetooth drop "Red buzzer""#).hasPrefix("OK"))
        let lost = client.ask("alerts", until: #""kind":"source""#)
        #expect(lost.contains("The device Red buzzer is out of reach."), "\(lost)")
        #expect(client.ask(#"bluetooth return "Red buzzer""#).hasPrefix("OK"))
        #expect(client.ask("alerts", until: "[]") == #"OK {"alerts":[]}"#)
    }

    @Test func `an output that is given up is an alert of its session until it is acknowledged`()
        throws
    {
        let daemon = try startDaemon(
            """
            serial door \(folder.path)/tty
            on enter=question serial=door line=OPEN once=yes
            http 127.0.0.1:0
            allow source:web observe

            """, ["--state-dir", "\(folder.path)/state"])
        let client = try Client(daemon.socket)
        #expect(client.ask("send start rounds=2").hasPrefix("OK"))
        let given = client.ask("alerts", until: #""kind":"output""#)
        for words in [
            #""name":"serial door""#, "serial door: OPEN was not sent: tried once: ",
            #""session":"main""#,
        ] { #expect(given.contains(words), "\(given)") }
        let printed = ShellCommand.run("gamectl --socket \"$S\" alerts", daemon)
        #expect(printed.contains("@main") && printed.contains("OPEN was not sent"), "\(printed)")
        let metrics = ShellCommand.run("curl -s $WEB/metrics", daemon)
        for kind in ["connection", "output"] {
            #expect(metrics.contains("gamed_alerts{kind=\"\(kind)\"} 1\n"), "\(metrics)")
        }
        let id = given.split(separator: "\"").first { $0.contains(":main:") }.map(String.init) ?? ""
        let after = ShellCommand.run("gamectl --socket \"$S\" alerts ack '\(id)'", daemon)
        #expect(!after.contains("OPEN was not sent"), "\(after)")
        #expect(after.contains("connection:door"), "\(after)")
        // The alert was there, and ended with its acknowledgement.
        #expect(!after.contains("there is no alert"), "\(after)")
    }

    @Test func `an alert of an output lasts over restarts until it is acknowledged`() throws {
        let lines = """
            serial door \(folder.path)/tty
            on enter=question serial=door line=OPEN once=yes
            on enter=question serial=door line=RING once=yes

            """
        let options = ["--state-dir", "\(folder.path)/state"]
        var daemon = try startDaemon(lines, options)
        var client = try Client(daemon.socket)
        /// The alerts, as soon as those of both outputs have begun.
        func bothAlerts() -> String {
            client.ask("alerts") {
                $0.contains("OPEN was not sent: tried once") && $0.contains("RING was not sent")
            }
        }
        func restart(after signal: Int32) throws {
            // When the answer to a later request arrives, the record of the alert is durable.
            #expect(client.ask("label restarted=\(signal)").hasPrefix("OK"))
            daemon.signal(signal)
            daemon.waitForEnd()
            daemon = try startDaemon(lines, options)
            client = try Client(daemon.socket)
        }
        #expect(client.ask("send start rounds=2").hasPrefix("OK"))
        _ = bothAlerts()
        try restart(after: SIGKILL)
        _ = bothAlerts()
        try restart(after: SIGTERM)
        let restored = bothAlerts()
        #expect(restored.contains(#""session":"main""#), "\(restored)")
        let opening = restored.split(separator: #"{"id":""#).first { $0.contains("OPEN") }
        let id = opening?.prefix { $0 != "\"" } ?? ""
        #expect(!client.ask("alerts ack \(id)").contains("OPEN"))
        try restart(after: SIGKILL)
        // The alerts of the journal begin together.
        let remaining = client.ask("alerts", until: "RING")
        #expect(!remaining.contains("OPEN"), "\(remaining)")
    }

    @Test func `an operator of some sessions sees only the alerts of those sessions`() throws {
        let daemon = try startDaemon(
            """
            serial door \(folder.path)/tty
            on enter=question serial=door line=OPEN once=yes
            session other flow=quiz
            http 127.0.0.1:0
            tokens \(folder.path)/tokens
            allow token:room operate session=main
            allow uid:\(getuid()) operate

            """)
        let client = try Client(daemon.socket)
        for session in ["main", "other"] {
            #expect(client.ask("send @\(session) start rounds=2").hasPrefix("OK"))
        }
        let all = client.ask("alerts") { $0.contains(":main:") && $0.contains(":other:") }
        #expect(all.contains("connection:door"))
        let token = ShellCommand.run(
            #"gamectl --socket "$S" --json token add room | sed 's/.*"token":"\([^"]*\)".*/\1/' | tr -d '\n'"#,
            daemon)
        // At the UNIX socket the user may operate everything, whatever the token is.
        let own = ShellCommand.run(
            "curl -s -H 'Authorization: Bearer \(token)' -H 'Content-Type: application/json' "
                + #"-d '{"jsonrpc":"2.0","id":1,"method":"alerts"}' $WEB/v1/rpc"#, daemon)
        #expect(own.contains(":main:") && !own.contains(":other:"), "\(own)")
        #expect(!own.contains("connection:door"), "\(own)")
    }
}
