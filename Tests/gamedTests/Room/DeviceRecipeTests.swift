import Connections
import Glibc
import TestSupport
import Testing

/// The recipes of docs/devices.md, and the configuration of docs/first-room.md: each line is read, and each output is sent to a stand-in
/// for the device.
@Suite struct DeviceRecipeTests {
    private let folder = Folder()

    /// A recipe: its title, the lines of its configuration, and its program, if it has one.
    private struct Recipe {
        let title: String
        let lines: [String]
        var program: [String] = []
    }

    /// The recipes of the page that have lines of a configuration.
    private func recipes() -> [Recipe] {
        let page = RepositoryFile.text("docs/devices.md")
        return page.split(separator: "\n### ").dropFirst().compactMap { section in
            let blocks = CodeBlock.blocks(of: "### \(section)")
            let lines = blocks.filter { $0.language.isEmpty }.flatMap { $0.lines }
            guard !lines.isEmpty else { return nil }
            return Recipe(
                title: String(section.prefix { $0 != "\n" }),
                // An indented list can also have code of Home Assistant.
                lines: lines.filter { !$0.isEmpty && !$0.hasPrefix(" ") && !$0.hasSuffix(":") },
                program: blocks.first { $0.language == "sh" }?.lines ?? [])
        }
    }

    /// The lines of all recipes for which `isWanted` returns true.
    private func lines(_ isWanted: (String) -> Bool) -> [String] {
        var all: [String] = []
        for recipe in recipes() { all += recipe.lines }
        return all.filter(isWanted)
    }

    /// A recipe as a configuration for the vault, with the connections that it uses without defining them.
    private func configuration(_ lines: [String]) -> String {
        var all = [
            "flows \(RepositoryFile.root)/Examples/flows", "session vault flow=vault", "no-main",
        ]
        for (word, definition) in [
            ("mqtt=hall", "mqtt hall mqtt://broker.local"),
            ("osc=stage", "osc stage listen=127.0.0.1:0"),
        ] where lines.contains(where: { $0.contains(word) }) {
            let name = definition.prefix { $0 != " " }
            if !lines.contains(where: { $0.hasPrefix("\(name) ") }) { all.append(definition) }
        }
        return (all + lines).joined(separator: "\n") + "\n"
    }

    private func writePrograms(of recipe: Recipe) {
        for line in recipe.lines {
            guard let name = line.split(separator: " ").first(where: { $0.hasPrefix("run=./") })
            else {
                continue
            }
            folder.write(
                String(name.dropFirst("run=./".count)),
                recipe.program.joined(separator: "\n") + "\n", mode: 0o755)
        }
    }

    @Test func `each recipe is a configuration without mistakes`() {
        let recipes = recipes()
        #expect(recipes.count >= 17)
        for recipe in recipes {
            writePrograms(of: recipe)
            let path = folder.write("gamed.conf", configuration(recipe.lines))
            let output = ShellCommand.run("gamed --check --config \(path); echo $?")
            #expect(output.hasSuffix("0\n"), "\(recipe.title): \(output)")
        }
    }

    @Test func `the first room is a configuration without mistakes`() {
        let page = RepositoryFile.text("docs/first-room.md")
        let lines = CodeBlock.blocks(of: page).filter { $0.language.isEmpty }.flatMap { $0.lines }
        _ = ShellCommand.run(
            "mkdir -p '\(folder.path)/flows'; cp Examples/flows/vault.yaml '\(folder.path)/flows'")
        let path = folder.write("gamed.conf", lines.joined(separator: "\n") + "\n")
        let output = ShellCommand.run("gamed --check --config \(path); echo $?")
        #expect(lines.count > 8 && output.hasSuffix("\n0\n") || output == "0\n", "\(output)")
    }

    /// Starts a daemon with the `on` and `map` lines of a recipe, with stand-ins in place of its devices.
    private func startDaemon(_ lines: [String], _ replacements: [(String, String)]) throws
        -> DaemonProcess
    {
        var text = configuration(lines)
        for (old, new) in replacements { text = text.replacing(old, with: new) }
        return try DaemonProcess(["--config", folder.write("run.conf", text)])
    }

    @Test func `the broker's devices get each output, and each of their messages is an event`()
        throws
    {
        let port = LoopbackPort.findUnused()
        let mosquitto = try ChildProcess.startMosquitto("-p", "\(port)")
        defer { mosquitto.signal(SIGTERM) }
        let lines = self.lines {
            $0.contains("mqtt=hall") && !$0.contains("home/vault/hint")
        }
        let outputs = lines.filter { $0.hasPrefix("on ") }
        let daemon = try startDaemon(lines, [("broker.local", "127.0.0.1:\(port)")])
        #expect(daemon.waitFor("mqtt hall: connected"))
        let output = ShellCommand.run(
            """
            mosquitto_sub -p \(port) -t '#' -v -W 60 >'\(folder.path)/out' 2>&1 & sub=$!
            until mosquitto_pub -p \(port) -t ready -m 1 && grep -qs ready '\(folder.path)/out'; do sleep 0.02; done
            for line in $(seq \(outputs.count)); do gamectl --socket "$S" --json outputs test $line | grep -o '"delivered":[a-z]*'; done
            kill $sub; cut -d' ' -f1 '\(folder.path)/out' | sort -u
            """, daemon)
        #expect(output.ranges(of: "\"delivered\":true").count == outputs.count, "\(output)")
        for topic in [
            "room/lamp/set", "cmnd/lamp1/POWER", "shelly-door/command/switch:0",
            "zigbee2mqtt/lamp/set",
        ] { #expect(output.contains("\(topic)\n"), "\(output)") }
        let inputs = ShellCommand.run(
            """
            send() { mosquitto_pub -p \(port) -q 1 -t "$1" -m "$2"; }
            send room/laser/event solved; send stat/button1/POWER ON
            send shelly-door/status/input:0 '{"id":0,"state":true}'
            send zigbee2mqtt/button '{"action":"single","battery":97}'
            send zigbee2mqtt/drawer '{"contact":false,"linkquality":120}'
            until gamectl --socket "$S" --json sources hall | grep -E '"refused":5'; do sleep 0.05; done
            """, daemon)
        // The vault refuses them in its first state. Each has matched a line.
        for event in ["solve", "begin"] {
            #expect(
                ShellCommand.run("gamectl --socket \"$S\" history @vault", daemon).contains(event),
                "\(inputs)")
        }
    }

    @Test func `web servers of lamps and chats get requests that they understand`() throws {
        let port = LoopbackPort.findUnused()
        // A stand-in for all of them: prints each request, and answers 200.
        let server = folder.write(
            "server.py",
            """
            import http.server, json
            class Handler(http.server.BaseHTTPRequestHandler):
                def answer(self):
                    body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
                    kind = "json" if "json" in (self.headers.get("content-type") or "") and json.loads(body) else "-"
                    with open("\(folder.path)/requests", "a") as f: print(self.command, self.path, kind, body, file=f)
                    self.send_response(200); self.end_headers()
                do_GET = do_PUT = do_POST = answer
                def log_message(self, *a): pass
            http.server.HTTPServer(("127.0.0.1", \(port)), Handler).serve_forever()

            """)
        let process = try ChildProcess(["/usr/bin/python3", server], connecting: [2])
        defer { process.signal(SIGTERM) }
        let hosts = ["shelly.local", "wled.local", "hue.local", "slack.local", "discord.local"]
        let lines = self.lines { line in
            line.hasPrefix("on ") && hosts.contains { line.contains("://\($0)/") }
        }.map { "\($0) allow-special=yes" }
        #expect(lines.count == 7, "\(lines)")
        let daemon = try startDaemon(
            lines,
            hosts.flatMap { host in
                ["http", "https"].map { ("\($0)://\(host)/", "http://127.0.0.1:\(port)/") }
            })
        let output = ShellCommand.run(
            """
            until curl -s http://127.0.0.1:\(port)/ >/dev/null; do sleep 0.05; done
            for line in $(seq \(lines.count)); do gamectl --socket "$S" --json outputs test $line | grep -o '"delivered":[a-z]*'; done
            """, daemon)
        #expect(output.ranges(of: "\"delivered\":true").count == lines.count, "\(output)")
        let requests = folder.text("requests")
        for request in [
            "GET /relay/0?turn=on - \n", #"POST /json/state json {"on":true,"ps":2}"#,
            #"POST /json/state json {"on":false}"#,
            #"PUT /api/USERNAME/groups/1/action json {"scene":"SCENE"}"#,
            #"POST /services/T0/B0/KEY json {"text":"vault is solved"}"#,
            #"POST /api/webhooks/1/KEY json {"content":"test"}"#,
        ] { #expect(requests.contains(request), "\(request) in \(requests)") }
    }

    @Test func `show control gets messages by OSC, and lamps packets of Art-Net`() throws {
        let port = LoopbackPort.findUnused()
        let lines = self.lines {
            $0.hasPrefix("on ") && ($0.contains("osc=stage") || $0.contains("artnet="))
        }
        #expect(lines.count == 6, "\(lines)")
        let daemon = try startDaemon(
            lines,
            [
                ("to=10.0.0.5:53000", "to=127.0.0.1:\(port)"),
                ("to=10.0.0.20:9001", "to=127.0.0.1:\(port)"),
                ("to=10.0.0.8:12321", "to=127.0.0.1:\(port)"),
                ("artnet=10.0.0.7", "artnet=127.0.0.1:\(port)"),
            ])
        let received = ShellCommand.run(
            """
            .venv/bin/python -c '
            import socket, subprocess
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            s.bind(("127.0.0.1", \(port)))
            s.settimeout(20)
            for line in range(1, \(lines.count) + 1):
                subprocess.run(["gamectl", "--socket", "'"$S"'", "outputs", "test", str(line)], stdout=subprocess.DEVNULL)
                packet = s.recv(2000)
                print(packet[:packet.index(0)].decode(), len(packet), list(packet[18:21]) if packet[0] == 65 else "")
            '
            """, daemon)
        for packet in [
            "Art-Net 530 [255, 120, 0]", "Art-Net 530 [0, 0, 0]", "/cue/test/start", "/panic",
            "/scene", "/location/1/0/3/press",
        ] { #expect(received.contains(packet), "\(received)") }
    }

    @Test func `a player of videos gets the commands of its program`() throws {
        let recipe = try #require(recipes().first { $0.title == "A video with mpv" })
        let socket = "\(folder.path)/mpv"
        // A program of the tests has no folder of its own below /run.
        let program = recipe.program.joined(separator: "\n").replacing(
            "/run/room/mpv", with: socket)
        let path = folder.write("video", program + "\n", mode: 0o755)
        let player = try ChildProcess(
            [
                "/usr/bin/socat", "UNIX-LISTEN:\(socket),fork",
                "OPEN:\(folder.path)/commands,creat,append",
            ],
            connecting: [2])
        defer { player.signal(SIGTERM) }
        #expect(Wait.until { access(socket, F_OK) == 0 })
        guard ShellCommand.run("command -v jq") != "" else { return }
        _ = ShellCommand.run(
            #"echo '{"state":"intro"}' | '\#(path)'; echo '{"state":"lost"}' | '\#(path)'"#)
        #expect(
            Wait.until { folder.text("commands").contains("stop") }
                && folder.text("commands").contains(
                    #"{"command": ["loadfile", "/srv/room/intro.mp4"]}"#),
            "\(folder.text("commands"))")
    }
}
