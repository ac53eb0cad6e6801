import Glibc
import TestSupport
import Testing

/// A daemon with a directory of flow files.
@Suite struct FlowFilesDaemonTests {
    private let folder = Folder()
    private let state = StateFolder()

    init() {
        mkdir("\(folder.path)/flows", 0o755)
        write("door", Self.door())
    }

    /// A flow file of two states; `extra` is added to the state `open`.
    private static func door(
        delay: String = "10s", extra: String = "", data: String = "{count: integer}"
    ) -> String {
        """
        flow: door
        title: The Door
        start: shut
        settings: {delay: \(delay), name: front}
        events:
          open: {count: integer}
          close:
          peek: {args: {eye: integer}, hidden: players}
        effects: [ring]
        states:
          shut: {on: {open: opened}}
          opened:
            title: Wide open
            data: \(data)
            timers: {tooLong: {after: =settings.delay}, secret: {after: 1h, hidden: players}}
            on: {close: shut, tooLong: {to: shut, do: [ring]}, secret: stay, peek: stay\(extra)}

        """
    }

    private func write(_ name: String, _ text: String) {
        folder.write("flows/\(name).yaml", text)
    }

    private func daemon(_ lines: String = "", clock: String = "virtual") throws -> DaemonProcess {
        let configuration = folder.write(
            "gamed.conf", "flows \(folder.path)/flows\nno-main\n\(lines)\n")
        return try DaemonProcess([
            "--config", configuration, "--clock", clock, "--state-dir", state.path,
        ])
    }

    private func reload(_ daemon: DaemonProcess) {
        let words = "SIGHUP: configuration reloaded"
        let before = daemon.output.ranges(of: words).count
        daemon.signal(SIGHUP)
        _ = daemon.waitFor(words, times: before + 1)
    }

    private func kill(_ daemon: DaemonProcess) {
        daemon.signal(SIGKILL)
        daemon.waitForEnd()
    }

    @Test func `a session plays the version with which it was opened, without its file`() throws {
        let first = try daemon()
        var client = try Client(first.socket)
        #expect(client.ask("open @a flow=door").contains(#""state":"shut""#))
        #expect(client.ask("send @a open count=3").contains(#""to":{"state":"opened""#))
        write("door", Self.door(delay: "20s"))
        reload(first)
        #expect(client.ask("open @b flow=door").contains(#""settings":{"delay":"20s""#))
        #expect(client.ask("status @a").contains(#""settings":{"delay":"10s""#))
        kill(first)
        unlink("\(folder.path)/flows/door.yaml")
        let second = try daemon()
        client = try Client(second.socket)
        #expect(client.ask("status @a").contains(#""remainingMs":10000,"totalMs":10000"#))
        #expect(client.ask("open @c flow=door").hasPrefix("ERR unknownFlow"))
        #expect(client.ask("send @b open count=1").contains(#""to":{"state":"opened""#))
        #expect(client.ask("status @b").contains(#""remainingMs":20000,"totalMs":20000"#))
        kill(second)
    }

    @Test func `a mistake in one file keeps all previous ones, and is shown`() throws {
        let daemon = try daemon()
        let client = try Client(daemon.socket)
        write("door", Self.door(delay: "20s"))
        write("gate", "flow: gate\nstart: nowhere\nstates: {a: {final: true}}\n")
        reload(daemon)
        let answer = client.ask("open @a flow=door")
        #expect(answer.contains(#""settings":{"delay":"10s""#))
        let flows = client.ask("flows")
        #expect(flows.contains("gate.yaml:2:8: "), "\(flows)")
        #expect(daemon.output.contains("gate.yaml:2:8: "))
        unlink("\(folder.path)/flows/gate.yaml")
        reload(daemon)
        #expect(client.ask("flows").contains(#""mistakes":[]"#))
        #expect(client.ask("open @b flow=door").contains(#""settings":{"delay":"20s""#))
        #expect(client.ask("status @a").contains(#""settings":{"delay":"10s""#))
        kill(daemon)
    }

    @Test func `a start with a broken file uses the version in the journal`() throws {
        let first = try daemon("set door delay=1m")
        #expect(try Client(first.socket).ask("open @a flow=door").contains("OK"))
        kill(first)
        write("door", "flow: [")
        let second = try daemon("set door delay=1m")
        let client = try Client(second.socket)
        #expect(second.output.contains("door.yaml:2:1: not YAML"))
        #expect(client.ask("status @a").contains(#""state":"shut""#))
        #expect(client.ask("open @b flow=door").contains(#""settings":{"delay":"1m""#))
        kill(second)
    }

    @Test func `move takes state, data and timers to the newest version, once`() throws {
        let first = try daemon()
        let client = try Client(first.socket)
        _ = client.ask("open @a flow=door")
        let entry = client.ask("send @a open count=3")
        #expect(entry.contains(#""entry":2"#))
        _ = client.ask("advance 4s")
        write("door", Self.door(delay: "20s", data: "{count: integer, seen: integer = 7}"))
        reload(first)
        let change = client.ask("move @a id=m1")
        #expect(change.contains(#""kind":"move""#) && change.contains(#""versions":{"from":"#))
        let status = client.ask("status @a")
        // What is left of the old timer is kept, and so is its total.
        #expect(status.contains(#""remainingMs":6000,"totalMs":10000"#), "\(status)")
        #expect(status.contains(#""data":{"count":3,"seen":7}"#))
        #expect(status.contains(#""entry":2"#) && status.contains(#""seq":3"#))
        #expect(client.ask("move @a id=m1") == change)
        // Without a newer version nothing changes.
        #expect(client.ask("move @a").contains(#""seq":3"#))
        kill(first)
        let second = try daemon()
        let after = try Client(second.socket).ask("status @a")
        #expect(after.contains(#""data":{"count":3,"seen":7}"#))
        #expect(after.contains(#""remainingMs":6000,"totalMs":10000"#), "\(after)")
        kill(second)
    }

    @Test func `a move that does not fit names what does not, and changes nothing`() throws {
        let daemon = try daemon()
        let client = try Client(daemon.socket)
        _ = client.ask("open @a flow=door")
        _ = client.ask("send @a open count=3")
        let before = client.ask("status @a")
        write("door", Self.door().replacing("opened", with: "wide"))
        reload(daemon)
        let state = client.ask("move @a")
        #expect(
            state.hasPrefix("ERR invalid") && state.contains(#""argument":"state""#), "\(state)")
        write("door", Self.door(data: "{count: integer 0..2}"))
        reload(daemon)
        let datum = client.ask("move @a")
        #expect(
            datum.hasPrefix("ERR invalid") && datum.contains(#""argument":"count""#), "\(datum)")
        #expect(client.ask("status @a") == before)
        #expect(client.ask("status @nowhere").hasPrefix("ERR unknownSession"))
        kill(daemon)
    }

    @Test func `sessions and settings of the configuration are there at the start`() throws {
        let lines = """
            set door delay=30s
            session front flow=door settings='{"name":"back"}' labels='{"team":"Owls"}' clock=tooLong
            session half flow=door state=shut
            """
        let first = try daemon(lines)
        let client = try Client(first.socket)
        let status = client.ask("status @front")
        #expect(status.contains(#""settings":{"delay":"30s","name":"back"}"#), "\(status)")
        #expect(status.contains(#""labels":{"team":"Owls"}"#))
        #expect(status.contains(#""clock":"tooLong""#))
        #expect(client.ask("list").contains(#""session":"half""#))
        // A closed session is opened again by the next start, and not by SIGHUP.
        _ = client.ask("close @half")
        reload(first)
        #expect(client.ask("status @half").hasPrefix("ERR unknownSession"))
        kill(first)
        let second = try daemon(
            "set door delay=99s\n" + lines.split(separator: "\n")[1...].joined(separator: "\n"))
        #expect(try Client(second.socket).ask("status @front").contains(#""delay":"30s""#))
        let half = try Client(second.socket).ask("status @half")
        #expect(half.contains(#""delay":"1m39s""#), "\(half)")
        kill(second)
    }

    @Test(arguments: [
        ("set", ":3:1: expected set FLOW NAME=VALUE ..."),
        ("set doors delay=1s", ":3:5: no such flow; did you mean door?"),
        ("set door delay=soon", ":3:10: delay: "),
        ("set door speed=1", ":3:10: speed: not a setting: delay, name"),
        ("session", ":3:1: expected session NAME flow=FLOW"),
        ("session a", ":3:9: flow=FLOW is missing"),
        (
            "session a flow=door state=ajar",
            ":3:21: state: door has no state ajar; it has shut, opened"
        ),
        (
            "session a flow=door clock=noon",
            ":3:21: clock: door has no timer noon; it has tooLong, secret"
        ),
        ("session a flow=door settings=1", ":3:21: settings: expected an object"),
        ("session a flow=door\nsession a flow=door", ":4:9: session a is given twice"),
    ])
    func `a mistake in a line is shown with its place`(_ lines: String, _ sentence: String) throws {
        let daemon = try daemon(lines)
        #expect(daemon.waitForEnd() == 2)
        #expect(daemon.output.contains("gamed.conf\(sentence)"), "\(daemon.output)")
    }

    @Test func `--check exits with 2 for a flow file with a mistake`() throws {
        write("door", "flow: door\n")
        let configuration = folder.write("gamed.conf", "flows \(folder.path)/flows\n")
        let check = try DaemonProcess(["--config", configuration, "--check"])
        #expect(check.waitForEnd() == 2)
        #expect(check.output.contains("door.yaml:1:1: "))
    }

    @Test func `no file may have the name of a built-in flow, or of another file`() throws {
        write("game", Self.door().replacing("flow: door", with: "flow: game"))
        write("second", Self.door())
        let daemon = try daemon()
        let flows = try Client(daemon.socket).ask("flows")
        #expect(flows.contains("game.yaml: game is the name of a built-in flow"), "\(flows)")
        #expect(flows.contains("second.yaml: the flow door is also in "))
        kill(daemon)
    }

    @Test func `a version that can no longer be built is quarantined, and others go on`() throws {
        let first = try daemon()
        let client = try Client(first.socket)
        _ = client.ask("open @a flow=door")
        _ = client.ask("open @b flow=quiz")
        kill(first)
        unlink("\(folder.path)/flows/door.yaml")
        try state.rewriteFlowTexts { _ in Array("flow: door\nformat: 99\n".utf8) }
        let second = try daemon()
        let answer = try Client(second.socket).ask("status @a")
        #expect(answer.hasPrefix("ERR storage") && answer.contains("cannot be used"), "\(answer)")
        #expect(answer.contains("gamectl close @a"))
        #expect(try Client(second.socket).ask("status @b").contains(#""state":"lobby""#))
        kill(second)
    }
}
