import Connections
import Glibc
import TestSupport
import Testing

@testable import GamedServer
@testable import Parts
@testable import Room

/// Outputs to brokers, OSC programs and serial devices; mosquitto and python-osc receive them.
@Suite struct RoomOutputTests {
    private let folder = Folder()

    private func startDaemon(_ lines: String, _ options: [String] = []) throws -> DaemonProcess {
        let path = folder.write("gamed.conf", lines)
        return try DaemonProcess(["--config", path, "--flow", "quiz"] + options)
    }

    @Test func `mosquitto_sub gets outputs, each with a state that the session has entered`() throws
    {
        let port = LoopbackPort.findUnused()
        let mosquitto = try ChildProcess.startMosquitto("-p", "\(port)")
        defer { mosquitto.signal(SIGTERM) }
        let daemon = try startDaemon(
            """
            mqtt hall mqtt://127.0.0.1:\(port)
            on enter=* mqtt=hall topic=quiz/$session/$state payload="now $state"
            on enter=* session=other mqtt=hall topic=never

            """, ["--state-dir", "\(folder.path)/state"])
        #expect(daemon.waitFor("mqtt hall: connected"))
        let response = ShellCommand.run(
            """
            out='\(folder.path)/out'; mosquitto_pub -p \(port) -t ready -r -m ready
            # The retained message arrives when the subscription is complete.
            mosquitto_sub -p \(port) -q 1 -t ready -t 'quiz/#' -v -C 3 -W 120 >$out & sub=$!
            until grep -qs ready $out; do sleep 0.02; done; gamectl --socket "$S" send start rounds=1 >/dev/null
            gamectl --socket "$S" send buzz player=ann >/dev/null; wait $sub; grep -v ready $out
            """, daemon)
        let history = ShellCommand.run("gamectl --socket \"$S\" --json history", daemon)
        let messages = response.split(separator: "\n")
        #expect(messages.count == 2, "\(response)")
        for message in messages {
            let state = message.split(separator: " ").last.map(String.init) ?? ""
            #expect(message == "quiz/main/\(state) now \(state)")
            #expect(history.contains("\"state\":\"\(state)\""), "\(state)")
        }
    }

    @Test func `a broker that is away gets the waiting outputs when it is back`() throws {
        let port = LoopbackPort.findUnused()
        // The broker stores the subscription, so no message is missed after its return.
        let configuration = folder.write(
            "mosquitto.conf",
            "user root\nlistener \(port) 127.0.0.1\nallow_anonymous true\npersistence true\n"
                + "persistence_location \(folder.path)/\n")
        func startBroker() throws -> ChildProcess {
            try ChildProcess.startMosquitto("-c", configuration)
        }
        let subscribeCommand = "mosquitto_sub -p \(port) -c -i hall -q 1 -t t"
        let firstBroker = try startBroker()
        #expect(ShellCommand.run("\(subscribeCommand) -E") == "")
        firstBroker.signal(SIGTERM)
        firstBroker.waitForEnd()
        let daemon = try startDaemon(
            """
            mqtt hall mqtt://127.0.0.1:\(port)
            on enter=* mqtt=hall topic=t payload=$state max-age=5m

            """)
        _ = ShellCommand.run("gamectl --socket \"$S\" send start rounds=1", daemon)
        let secondBroker = try startBroker()
        #expect(ShellCommand.run("\(subscribeCommand) -C 2 -W 120") == "lobby\nquestion\n")
        secondBroker.signal(SIGTERM)
    }

    @Test func `python-osc gets a message, and a serial device a line`() throws {
        let port = LoopbackPort.findUnused()
        let tty = try SerialPort(link: "\(folder.path)/tty")
        let daemon = try startDaemon(
            """
            osc stage listen=127.0.0.1:0
            serial door \(folder.path)/tty
            on enter=* osc=stage to=127.0.0.1:\(port) address=/state/$state args='["$session",1,1.0,0.5]'
            on enter=* serial=door line="STATE $state"

            """)
        #expect(daemon.waitFor("serial door: connected"))
        let response = ShellCommand.run(
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
        #expect(
            response.hasPrefix("/state/") && response.hasSuffix(" main 1 1.0 0.5\n"), "\(response)")
        #expect(tty.nextLine().hasPrefix("STATE "))
    }

    @Test func `a light desk gets levels by Art-Net, with those of earlier outputs`() throws {
        let port = LoopbackPort.findUnused()
        let daemon = try startDaemon(
            """
            on enter=lobby artnet=127.0.0.1:\(port) universe=3 channels={"1":255,"512":9}
            on enter=question artnet=127.0.0.1:\(port) universe=3 channels={"2":"$data.rounds"}

            """)
        // What was sent before this receiver existed is in the next packet, too.
        let received = ShellCommand.run(
            """
            .venv/bin/python -c '
            import socket, subprocess
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            s.bind(("127.0.0.1", \(port)))
            s.settimeout(20)
            subprocess.run(["gamectl", "--socket", "'"$S"'", "send", "start", "rounds=7"], stdout=subprocess.DEVNULL)
            packet = b""
            while len(packet) < 530 or packet[19] != 7: packet = s.recv(2000)
            print(packet[:8], packet[14], packet[15], packet[18], packet[19], packet[20], packet[529])
            '
            """, daemon)
        #expect(received == #"b'Art-Net\x00' 3 0 255 7 0 9"# + "\n")
    }

    @Test func `mistakes in outputs by Art-Net are found with their column`() {
        for (words, why) in [
            (
                "artnet=lights universe=1 channels={\"1\":1}",
                "17: artnet: expected a numeric address"
            ),
            ("artnet=10.0.0.7 universe=x channels={\"1\":1}", "33: universe: expected 0 to 32767"),
            ("artnet=10.0.0.7 channels={\"513\":1}", "33: channels: 513: expected a channel"),
            ("artnet=10.0.0.7 channels={\"1\":256}", "33: channels: 1: expected a level"),
            ("artnet=10.0.0.7 channels=[1]", "33: channels: expected an object"),
            ("artnet=10.0.0.7", "1: channels= is missing"),
        ] {
            let path = folder.write("checked.conf", "on enter=lobby  \(words)\n")
            let output = ShellCommand.run("gamed --check --config \(path)")
            #expect(output.contains("checked.conf:1:\(why)"), "\(words): \(output)")
        }
    }

    @Test func `a duration is written as clocks show it, and in milliseconds`() throws {
        let tty = try SerialPort(link: "\(folder.path)/tty")
        folder.write(
            "left.yaml",
            """
            flow: left
            start: a
            events: {go: , stop: }
            effects: [shown]
            states:
              a: {on: {go: {to: b, with: {left: 717500ms}}}}
              b:
                data: {left: duration, name: text = x}
                enter: {shown: {length: =left}}
                on: {stop: c}
              c: {final: true}

            """)
        let path = folder.write(
            "gamed.conf",
            """
            serial door \(folder.path)/tty
            on enter=b serial=door line="$data.left $data.left.ms $data.leftMs $data.name.mp3"
            on effect=shown serial=door line="$args.length $args.length.ms"

            """)
        let daemon = try DaemonProcess(["--config", path, "--flows", folder.path, "--flow", "left"])
        #expect(daemon.waitFor("serial door: connected"))
        _ = ShellCommand.run("gamectl --socket \"$S\" send go", daemon)
        #expect(tty.nextLine() == "11:58 717500 717500 x.mp3\n")
        #expect(tty.nextLine() == "11:58 717500\n")
        let lines = "serial door /dev/null\non enter=b serial=door "
        for (line, why) in [
            ("line=$data.left.ms", nil), ("line=$data.name.ms", "no state has a datum nameMs"),
        ] {
            let file = folder.write("checked.conf", "\(lines)\(line)\n")
            let output = ShellCommand.run("gamed --check --config \(file) --flows \(folder.path)")
            #expect(why.map { output.contains($0) } ?? !output.contains("datum"), "\(output)")
        }
    }

    @Test func `on the virtual clock outputs are logged and not sent`() throws {
        let daemon = try startDaemon(
            """
            serial door \(folder.path)/nothing
            on enter=* serial=door line="STATE $state"

            """, ["--clock", "virtual"])
        #expect(try Client(daemon.socket).ask("send start rounds=1").hasPrefix("OK"))
        #expect(daemon.waitFor("serial door: outputs are off; not sent"))
    }

    @Test func `the list of outputs shows no key of a URL and no header`() throws {
        let daemon = try startDaemon(
            """
            on enter=* http=http://u.example/SECRET?key=SECRET header="Authorization: Bearer SECRET" body=on
            """, ["--clock", "virtual"])
        let outputs = try Client(daemon.socket).ask("outputs")
        #expect(
            outputs.contains(#""text":"enter=* http=http://u.example/… \"header=…\" body=on""#),
            "\(outputs)")
        let listed = ShellCommand.run("gamectl --socket $S outputs", daemon)
        #expect(!outputs.contains("SECRET") && !listed.contains("SECRET"), "\(listed)")
    }

    @Test func `mistakes in on lines are found with their reason`() throws {
        let connectionLines = "mqtt hall mqtt://x\nosc stage listen=0.0.0.0:1\n"
        for (line, why) in [
            ("on mqtt=hall topic=t", "expected effect=NAME or enter=STATE"),
            ("on effect=x", "expected one of mqtt="),
            ("on effect=x mqtt=hal topic=t", "no line `mqtt hal …`"),
            ("on effect=x mqtt=hall topic=$nothing", "$nothing: unknown"),
            ("on effect=x mqtt=hall topic=a/+/$session", "topic: expected a topic; the topic of"),
            ("on effect=x mqtt=hall topic=a/#", "topic: expected a topic; the topic of"),
            ("on effect=x mqtt=hall topic=t max-age=2h", "max-age: expected"),
            ("on effect=x mqtt=hall topic=t session=", "session= is missing"),
            ("on effect=x osc=stage to=host:1 address=/a", "to: expected a numeric"),
            ("on effect=x mqtt=hall topic=t once=maybe", "once: expected yes or no"),
        ] {
            let path = folder.write("gamed.conf", "\(connectionLines)\(line)\n")
            let response = ShellCommand.run("gamed --check --config \(path)")
            #expect(
                response.contains("gamed.conf:3:") && response.contains(why), "\(line): \(response)"
            )
        }
    }
}

/// The notes of `--check` about names in `on` lines, about rules, and about the files of the systemd service.
@Suite struct RoomCheckTests {
    private let folder = Folder()

    private func check(_ lines: String) -> String {
        let path = folder.write("gamed.conf", lines)
        return ShellCommand.run("gamed --check --config \(path)")
    }

    @Test func `unknown states, effects and data in on lines are found`() {
        let serial = "serial door /dev/null\n"
        for (line, why) in [
            (
                "on enter=questoin serial=door line=x",
                "no flow has a state questoin; did you mean question?"
            ),
            ("on effect=presentScor serial=door line=x", "no flow asks for the effect presentScor"),
            (
                "on enter=question serial=door line=\"$data.roud\"",
                "line: no state has a datum roud"
            ),
            (
                "on refused serial=door line=\"$args.playr\"",
                "line: no event has an argument playr; did you mean player?"
            ),
            (
                "on enter=question serial=door line=\"$args.player\"",
                "line: $args.player: only an effect or a refused event has arguments"
            ),
            ("on stuck serial=door line=\"$effect\"", "line: $effect: only for on effect"),
            ("on enter=question session=a/b serial=door line=x", "no session can be called a/b"),
        ] {
            let response = check("\(serial)\(line)\n")
            #expect(
                response.contains("gamed.conf:2:") && response.contains(why), "\(line): \(response)"
            )
        }
        let unknownEffect = check("\(serial)on effect=zzzzzzzz serial=door line=x\n")
        #expect(
            unknownEffect.contains("note: ")
                && unknownEffect.contains("was found to ask for the effect zzzzzzzz"))
        let validLineOutput = check(
            "\(serial)on enter=quest* serial=door line=\"$data.round $label.x\"\n\(serial)on effect=ask serial=door line=\"$args.x $effect\"\n"
        )
        #expect(!validLineOutput.contains("gamed.conf:2:"), "\(validLineOutput)")
    }

    @Test func `once=yes is reported if there is no second way out`() {
        let lines = """
            serial door /dev/null
            serial spare /dev/null
            on effect=ask session=main serial=door line=OPEN once=yes

            """
        let alone = check(lines)
        #expect(
            alone.contains("gamed.conf:3:") && alone.contains("once=yes: if the only attempt"),
            "\(alone)")
        #expect(!check("\(lines)on effect=* serial=spare line=OPEN\n").contains("the only attempt"))
        // Another effect, or the same device, is no second way.
        for line in [
            "on effect=lock serial=spare line=OPEN", "on effect=ask serial=door line=AGAIN",
        ] {
            #expect(check("\(lines)\(line)\n").contains("the only attempt"), "\(line)")
        }
    }

    @Test func `a request to this machine is reported unless the line permits it`() {
        for host in ["127.0.0.1:8000", "localhost", "[::1]:80", "169.254.1.1"] {
            let response = check("on effect=ask http=http://\(host)/x\n")
            #expect(
                response.contains("gamed.conf:1:") && response.contains("allow-special=yes"),
                "\(host): \(response)")
        }
        let permitted = check("on effect=ask http=http://127.0.0.1:8000/x allow-special=yes\n")
        #expect(!permitted.contains("allow-special"), "\(permitted)")
        #expect(!check("on effect=ask http=http://10.0.0.9/x\n").contains("allow-special"))
    }

    @Test func `a rule with args is reported if another rule allows any arguments`() {
        let response = check(
            "allow token:ann play event=buzz args={\"player\":\"ann\"}\nallow token:ann play\n")
        #expect(
            response.contains("with any arguments, so the values in `args` are not enforced"))
        let validRuleOutput = check("allow token:ann play event=buzz args={\"player\":\"ann\"}\n")
        #expect(!validRuleOutput.contains("not enforced"), "\(validRuleOutput)")
        #expect(
            check("allow token:ann observe args={\"a\":1}\n").contains(
                "args: only with the role play"))
    }

    @Test func `a missing drop-in that the systemd unit needs is reported`() throws {
        let (root, unit) = (folder.path, "/etc/systemd/system")
        #expect(ShellCommand.run("mkdir -p \(root)\(unit)/gamed.service.d") == "")
        var options = Options()
        options.room.connections = [
            ConnectionLine(name: "door", endpoint: SerialEndpoint(path: "/dev/x", baud: 9600)),
            ConnectionLine(name: "stage", endpoint: OSCEndpoint(host: "0.0.0.0", port: 9000)),
        ]
        #expect(ServiceCheck(options, root: root) == nil)
        #expect(
            ShellCommand.run(
                "cp Service/gamed.service.in \(root)\(unit)/gamed.service && "
                    + "cp Service/drop-ins/osc.conf \(root)\(unit)/gamed.service.d/sound.conf")
                == "")
        let notes = try #require(ServiceCheck(options, root: root)).notes
        #expect(notes.count == 1 && notes[0].contains("serial.conf"), "\(notes)")
        for dropIn in ["mqtt", "osc", "serial", "evdev", "http", "run", "web", "postgresql"] {
            let text = ShellCommand.run("cat Service/drop-ins/\(dropIn).conf")
            #expect(text.contains("[Service]"), "\(dropIn)")
        }
    }
}
