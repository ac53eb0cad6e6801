import Connections
import Glibc
import Inputs
import TestSupport
import Testing

/// Inputs from brokers, OSC programs and devices of a room become events. The tests use mosquitto and python-osc.
@Suite struct RoomTests {
    private let folder = Folder()

    private func startDaemon(_ lines: String) throws -> DaemonProcess {
        let path = folder.write("gamed.conf", lines)
        return try DaemonProcess(["--config", path, "--flow", "quiz"])
    }

    private func startBroker(_ port: Int) throws -> ChildProcess {
        try ChildProcess.startMosquitto("-p", "\(port)")
    }

    /// Connects a client that watches the default session, `main`.
    private func connectWatcher(_ daemon: DaemonProcess) throws -> Client {
        let client = try Client(daemon.socket)
        #expect(client.ask("watch").hasPrefix("OK"))
        return client
    }

    @Test func `messages of mosquitto_pub become events, but retained messages do not`() throws {
        let port = LoopbackPort.findUnused()
        let mosquitto = try startBroker(port)
        defer { mosquitto.signal(SIGTERM) }
        let publishCommand = "mosquitto_pub -p \(port) -q 1"
        #expect(ShellCommand.run("\(publishCommand) -r -t room/start -m 9") == "")
        let daemon = try startDaemon(
            """
            mqtt hall mqtt://localhost:\(port)
            map mqtt=hall topic=room/start event=start args={"rounds":"$payload"}
            map mqtt=hall topic=room/+ payload=ON event=buzz args={"player":"$topic2"}

            """)
        #expect(daemon.waitFor("mqtt hall: connected"))
        let watcher = try connectWatcher(daemon)
        let output = ShellCommand.run(
            """
            \(publishCommand) -t room/start -m two; \(publishCommand) -t room/start -m 2
            \(publishCommand) -t room/red -m OFF; \(publishCommand) -t room/red -m ON
            """)
        #expect(output == "")
        let start = watcher.line() ?? ""
        #expect(start.contains(#""event":{"name":"start","args":{"rounds":2}}"#), "\(start)")
        #expect(
            start.contains(#""source":{"kind":"mqtt","peer":{"device":"room/start"}}"#), "\(start)")
        let buzz = watcher.line() ?? ""
        #expect(buzz.contains(#""event":{"name":"buzz","args":{"player":"red"}}"#), "\(buzz)")
        let sources = ShellCommand.run("gamectl --socket \"$S\" --json sources hall", daemon)
        #expect(sources.contains(#""received":5,"sent":0,"taken":2,"refused":1"#), "\(sources)")
        #expect(sources.contains("rounds: expected an integer"), "\(sources)")
        #expect(sources.contains(#""device":"room/red","input":"OFF""#), "\(sources)")
        #expect(sources.contains(#""input":"9 (retained)""#), "\(sources)")
    }

    @Test func `a text of a device with a null character is refused, and nothing takes it`() throws
    {
        let port = LoopbackPort.findUnused()
        let mosquitto = try startBroker(port)
        defer { mosquitto.signal(SIGTERM) }
        let serialPort = try SerialPort(link: "\(folder.path)/tty")
        let daemon = try startDaemon(
            """
            mqtt hall mqtt://127.0.0.1:\(port)
            serial door \(folder.path)/tty
            map mqtt=hall topic=text event=buzz args={"player":"$payload"}
            map mqtt=hall topic=json event=buzz args={"player":"$json.p"}
            map mqtt=hall topic=json event=buzz args={"player":"card $json.p"}
            map mqtt=hall topic=json event=buzz args={"player":"x"} id=$json.p
            map serial=door line="B *" event=buzz args={"player":"$1"}

            """)
        #expect(daemon.waitFor("mqtt hall: connected"))
        #expect(daemon.waitFor("serial door: connected"))
        let client = try Client(daemon.socket)
        #expect(client.ask("send start rounds=2").hasPrefix("OK"))
        #expect(ShellCommand.run("printf 'a\\0b' | mosquitto_pub -p \(port) -q 1 -t text -s") == "")
        #expect(
            ShellCommand.run(
                #"mosquitto_pub -p \#(port) -q 1 -t json -m '{"p":"a\u0000b"}'"#) == "")
        let why = #"invalid (player: \u0000 in a string)"#
        #expect(daemon.waitFor(why, times: 2), "\(daemon.output)")
        #expect(daemon.waitFor("invalid (id: has a null character)"))
        let broker = client.ask("sources hall", until: #""refused":4"#)
        #expect(broker.contains(#""taken":0,"refused":4"#), "\(broker)")
        serialPort.write("B a\0b\n")
        let sources = client.ask("sources door", until: #""refused":1"#)
        #expect(sources.contains(why.replacing("\\", with: "\\\\")), "\(sources)")
        #expect(client.ask("status").contains(#""state":"question""#))
    }

    @Test func `a message with an id is one event, however often it arrives`() throws {
        let port = LoopbackPort.findUnused()
        let mosquitto = try startBroker(port)
        defer { mosquitto.signal(SIGTERM) }
        let daemon = try startDaemon(
            """
            mqtt hall mqtt://localhost:\(port)
            map mqtt=hall topic=room/+ event=start args={"rounds":"$json.n"} id=$json.id

            """)
        #expect(daemon.waitFor("mqtt hall: connected"))
        let longID = String(repeating: "x", count: 247)
        let output = ShellCommand.run(
            """
            send() { mosquitto_pub -p \(port) -q 1 -t room/a -m "$1"; }
            send '{"n":2,"id":"boot7-1"}'; send '{"n":2,"id":"boot7-1"}'; send '{"n":2}'; send '{"n":2,"id":"\(longID)"}'
            until gamectl --socket "$S" --json sources hall | grep '"received":4'; do sleep 0.05; done
            gamectl --socket "$S" sources hall; gamectl --socket "$S" --json history | grep -c '"kind":"enter"'
            """, daemon)
        #expect(
            output.contains(#""taken":1,"refused":2,"dropped":0,"repeated":1,"malformed":0"#),
            "\(output)")
        #expect(output.contains("repeated inputs: 1"), "\(output)")
        // The connection, the topic and two slashes have 12 characters.
        #expect(
            output.contains("start: invalid (id: longer than 256 characters with the connection"),
            "\(output)")
        #expect(daemon.waitFor("invalid (id: the input has no value for it)"))
    }

    @Test func `a broker that goes away and comes back is connected again`() throws {
        let port = LoopbackPort.findUnused()
        let firstBroker = try startBroker(port)
        let daemon = try startDaemon(
            """
            mqtt hall mqtt://127.0.0.1:\(port)
            map mqtt=hall topic=t event=start args={"rounds":"$payload"}

            """)
        #expect(daemon.waitFor("mqtt hall: connected"))
        firstBroker.signal(SIGKILL)
        firstBroker.waitForEnd()
        let secondBroker = try startBroker(port)
        defer { secondBroker.signal(SIGTERM) }
        #expect(daemon.waitFor("mqtt hall: connected", times: 2))
        let watcher = try connectWatcher(daemon)
        #expect(ShellCommand.run("mosquitto_pub -p \(port) -q 1 -t t -m 4") == "")
        #expect(watcher.line()?.contains(#""rounds":4"#) == true)
    }

    @Test func `violations of the protocol by a broker are logged, and the daemon connects again`()
        throws
    {
        let port = LoopbackPort.findUnused()
        let broker = try ChildProcess(
            [
                "/usr/bin/python3",
                "\(RepositoryFile.root)/Tests/gamedTests/Clients/broken_broker.py",
                "\(port)",
            ], connecting: [2])
        defer { broker.signal(SIGKILL) }
        #expect(broker.waitFor("ready"))
        let daemon = try startDaemon("mqtt bad mqtt://127.0.0.1:\(port)\n")
        for why in [
            "refuses the connection: not authorized", "did not answer the request to connect",
            "answered the request to connect twice", "a length of more than four bytes",
            "a packet of type 4",
        ] { #expect(daemon.waitFor(why), "\(why)") }
        #expect(try Client(daemon.socket).ask("ping") == "OK {\"pong\":true}")
    }

    @Test func `messages of python-osc become events`() throws {
        let port = LoopbackPort.findUnused()
        let daemon = try startDaemon(
            """
            osc stage listen=127.0.0.1:\(port)
            map osc=stage address=/quiz/start min=0.5 event=start args={"rounds":"$2"}
            map osc=stage address=/buzz/* event=buzz args={"player":"$1"}

            """)
        #expect(daemon.waitFor("osc stage: connected"))
        let watcher = try connectWatcher(daemon)
        let output = ShellCommand.run(
            """
            .venv/bin/python -c '
            from pythonosc import osc_bundle_builder as b, osc_message_builder as m, udp_client
            c = udp_client.SimpleUDPClient("127.0.0.1", \(port))
            c.send_message("/quiz/start", [0.0, 3])
            c.send_message("/quiz/start", [1.0, 3])
            bundle = b.OscBundleBuilder(b.IMMEDIATELY)
            message = m.OscMessageBuilder("/buzz/1")
            message.add_arg("ann")
            bundle.add_content(message.build())
            c.send(bundle.build())
            '
            """)
        #expect(output == "")
        #expect(watcher.line()?.contains(#""rounds":3"#) == true)
        let buzz = watcher.line() ?? ""
        #expect(buzz.contains(#""player":"ann""#), "\(buzz)")
        #expect(
            buzz.contains(#""source":{"kind":"osc","peer":{"device":"127.0.0.1"}}"#), "\(buzz)")
    }

    @Test func `lines of a serial device become events, also after it is plugged in again`()
        throws
    {
        let port = try SerialPort(link: "\(folder.path)/tty")
        let daemon = try startDaemon(
            """
            serial door \(folder.path)/tty baud=115200
            map serial=door line="START *" event=start args={"rounds":"$1"}
            map serial=door line="BUZZ *" event=buzz args={"player":"$1"}

            """)
        #expect(daemon.waitFor("serial door: connected"))
        let watcher = try connectWatcher(daemon)
        // The device is unplugged in the middle of its second line. The daemon must not join the beginning of that line,
        // `BUZZ a`, to the first line of the new device.
        port.write("START 2\r\nBUZZ a")
        #expect(watcher.line()?.contains(#""rounds":2"#) == true)
        port.unplug()
        let newPort = try SerialPort(link: "\(folder.path)/tty")
        #expect(daemon.waitFor("serial door: connected", times: 2))
        newPort.write("BUZZ bob\n")
        #expect(watcher.line()?.contains(#""player":"bob""#) == true)
    }

    @Test
    func `what a serial device has sent before it was opened is no line, and a CR ends a line`()
        throws
    {
        let port = try SerialPort(link: "\(folder.path)/tty")
        port.write("START 1\nSTART 5")
        let daemon = try startDaemon(
            """
            serial door \(folder.path)/tty
            map serial=door line="START *" event=start args={"rounds":"$1"}

            """)
        #expect(daemon.waitFor("serial door: connected"))
        let watcher = try connectWatcher(daemon)
        // The first line is the rest of a line that began before the device was opened.
        port.write("0\rSTART 2\r")
        let start = watcher.line() ?? ""
        #expect(start.contains(#""seq":2,"#) && start.contains(#""rounds":2"#), "\(start)")
    }

    @Test
    func `only what a serial device sends between the two bytes of its frame is a line`() throws {
        let port = try SerialPort(link: "\(folder.path)/tty")
        port.write("\u{2}4\u{3}\u{2}")
        let daemon = try startDaemon(
            """
            serial card \(folder.path)/tty frame=02..03
            map serial=card line=* event=start args={"rounds":"$1"}

            """)
        #expect(daemon.waitFor("serial card: connected"))
        let watcher = try connectWatcher(daemon)
        // The first frame has begun before the device was opened.
        port.write("5\u{3}noise\n\u{2}2\r\n\u{3}")
        let start = watcher.line() ?? ""
        #expect(start.contains(#""seq":2,"#) && start.contains(#""rounds":2"#), "\(start)")
    }

    @Test func `presses of an input device become events`() throws {
        let path = "\(folder.path)/event0"
        #expect(mkfifo(path, 0o600) == 0)
        let deviceDescriptor = open(path, O_RDWR | O_CLOEXEC)
        defer { close(deviceDescriptor) }
        let daemon = try startDaemon(
            """
            evdev hand \(path)
            map evdev=hand key=KEY_1 event=start args={"rounds":1}

            """)
        #expect(daemon.waitFor("evdev hand: connected"))
        let watcher = try connectWatcher(daemon)
        // An event ends with the type (EV_KEY is 1), the code (KEY_1 is 2) and the value (1 means pressed).
        var press =
            [UInt8](repeating: 0, count: InputEventDecoder.size - 8) + [1, 0, 2, 0, 1, 0, 0, 0]
        #expect(write(deviceDescriptor, &press, press.count) == press.count)
        let start = watcher.line() ?? ""
        #expect(
            start.contains(#""source":{"kind":"evdev","peer":{"device":"\#(path)"}}"#), "\(start)")
    }

    @Test func `what a reader types becomes an event, and its keys are not unmatched inputs`()
        throws
    {
        let path = "\(folder.path)/event1"
        #expect(mkfifo(path, 0o600) == 0)
        let deviceDescriptor = open(path, O_RDWR | O_CLOEXEC)
        defer { close(deviceDescriptor) }
        let daemon = try startDaemon(
            """
            evdev cards \(path)
            map evdev=cards text=R* event=start args={"rounds":"$1"}

            """)
        #expect(daemon.waitFor("evdev cards: connected"))
        let watcher = try connectWatcher(daemon)
        // X, Enter; Shift, R, 3, Enter: each pressed and released, but Shift is released after the R.
        for (code, value) in [
            (45, 1), (45, 0), (28, 1), (28, 0), (42, 1), (19, 1), (19, 0), (42, 0), (4, 1), (4, 0),
            (28, 1),
        ] as [(UInt8, UInt8)] {
            var event =
                [UInt8](repeating: 0, count: InputEventDecoder.size - 8)
                + [1, 0, code, 0, value, 0, 0, 0]
            #expect(write(deviceDescriptor, &event, event.count) == event.count)
        }
        let start = watcher.line() ?? ""
        #expect(start.contains(#""rounds":3"#), "\(start)")
        let sources = ShellCommand.run("gamectl --socket \"$S\" --json sources cards", daemon)
        #expect(sources.contains(#""received":6,"sent":0,"taken":1,"refused":0"#), "\(sources)")
        #expect(sources.contains(#""unmatched":1,"#), "\(sources)")
        #expect(sources.contains(#""input":"x""#), "\(sources)")
    }

    @Test func `SIGHUP changes subscriptions and keeps the connection`() throws {
        let port = LoopbackPort.findUnused()
        let mosquitto = try startBroker(port)
        defer { mosquitto.signal(SIGTERM) }
        let daemon = try startDaemon("mqtt hall mqtt://127.0.0.1:\(port)\n")
        #expect(daemon.waitFor("mqtt hall: connected"))
        folder.write(
            "gamed.conf",
            """
            mqtt hall mqtt://127.0.0.1:\(port)
            map mqtt=hall topic=t event=start args={"rounds":"$payload"}

            """)
        daemon.signal(SIGHUP)
        #expect(daemon.waitFor("configuration reloaded; rules: 0, maps: 1"))
        let watcher = try connectWatcher(daemon)
        // The broker may receive the new subscription after the first messages, so the same message is published repeatedly.
        _ = ShellCommand.run(
            """
            for i in $(seq 600); do
                mosquitto_pub -p \(port) -q 1 -t t -m 3; sleep 0.1
                gamectl --socket "$S" status | grep -q question && break
            done
            """, daemon)
        #expect(watcher.line()?.contains(#""rounds":3"#) == true)
        #expect(daemon.output.occurrences(of: "mqtt hall: connected") == 1)
    }
}

extension String {
    /// How often `text` occurs in this string.
    fileprivate func occurrences(of text: String) -> Int { ranges(of: text).count }
}
