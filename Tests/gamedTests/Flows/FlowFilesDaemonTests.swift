import Connections
import Glibc
import TestSupport
import Testing

/// A daemon with a directory of flow files.
@Suite struct FlowFilesDaemonTests {
    private let folder = Folder()
    private let stateFolder = StateFolder()

    init() {
        mkdir("\(folder.path)/flows", 0o755)
        writeFlow("door", Self.doorFlow())
    }

    /// The text of a flow file with two states. `delay` is the default of the setting `delay`. `data` declares the data of the
    /// state `opened`.
    private static func doorFlow(
        delay: String = "10s", data: String = "{count: integer}"
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
            on: {close: shut, tooLong: {to: shut, do: [ring]}, secret: stay, peek: stay}

        """
    }

    private func writeFlow(_ name: String, _ text: String) {
        folder.write("flows/\(name).yaml", text)
    }

    private func startDaemon(
        _ configurationLines: String = "", clock: String = "virtual"
    ) throws -> DaemonProcess {
        let configuration = folder.write(
            "gamed.conf", "flows \(folder.path)/flows\nno-main\n\(configurationLines)\n")
        return try DaemonProcess([
            "--config", configuration, "--clock", clock, "--state-dir", stateFolder.path,
        ])
    }

    /// Sends SIGHUP, and waits until the daemon has read its configuration and flow files again.
    private func reload(_ daemon: DaemonProcess) {
        let logText = "reload: configuration reloaded"
        let countBefore = daemon.output.ranges(of: logText).count
        daemon.signal(SIGHUP)
        _ = daemon.waitFor(logText, times: countBefore + 1)
    }

    private func kill(_ daemon: DaemonProcess) {
        daemon.signal(SIGKILL)
        daemon.waitForEnd()
    }

    @Test
    func `a session keeps the flow version with which it was opened, even if the file is deleted`()
        throws
    {
        let daemon = try startDaemon()
        var client = try Client(daemon.socket)
        #expect(client.ask("open @a flow=door").contains(#""state":"shut""#))
        #expect(client.ask("send @a open count=3").contains(#""to":{"state":"opened""#))
        writeFlow("door", Self.doorFlow(delay: "20s"))
        reload(daemon)
        #expect(client.ask("open @b flow=door").contains(#""settings":{"delay":"20s""#))
        #expect(client.ask("status @a").contains(#""settings":{"delay":"10s""#))
        kill(daemon)
        unlink("\(folder.path)/flows/door.yaml")
        let restarted = try startDaemon()
        client = try Client(restarted.socket)
        #expect(client.ask("status @a").contains(#""remainingMs":10000,"totalMs":10000"#))
        #expect(client.ask("open @c flow=door").hasPrefix("ERR unknownFlow"))
        #expect(client.ask("send @b open count=1").contains(#""to":{"state":"opened""#))
        #expect(client.ask("status @b").contains(#""remainingMs":20000,"totalMs":20000"#))
        kill(restarted)
    }

    @Test func `a refusal says whether its reason is a text of the flow`() throws {
        writeFlow(
            "safe",
            """
            flow: safe
            start: a
            events:
              go: {n: {type: integer 0..9, unless: n != 3, why: three is unlucky}}
              wait: {long: duration}
            states:
              a: {on: {go: {if: n == 5, to: b, else: {refuse: {n: not five}}}, wait: stay}}
              b: {on: {}}
              c: {data: {n: {type: integer 0..9, unless: n != 3, why: three is unlucky}}, on: {}}

            """)
        let daemon = try startDaemon()
        let client = try Client(daemon.socket)
        #expect(client.ask("open @s flow=safe").hasPrefix("OK"))
        func refusal(_ arguments: String) -> String { client.ask("send @s go \(arguments)") }
        let ofFlow = #","ofFlow":true}"#
        #expect(refusal("n=3").hasSuffix(#""why":"three is unlucky"\#(ofFlow)"#))
        #expect(refusal("n=4").hasSuffix(#""why":"not five"\#(ofFlow)"#))
        for arguments in ["", "n=10", "n=x", "n=5 m=1"] {
            let answer = refusal(arguments)
            #expect(answer.hasPrefix("ERR invalid") && !answer.contains("ofFlow"), "\(answer)")
        }
        for request in ["goto @s c n=3", "open @t flow=safe state=c data={\"n\":3}"] {
            #expect(client.ask(request).hasSuffix(#""why":"three is unlucky"\#(ofFlow)"#))
        }
        // A text that is no duration, or one that is too long.
        for text in ["soon", "9007199254740991", "20000d"] {
            #expect(
                client.ask("send @s wait long=\(text)").contains(
                    #""argument":"long","why":"expected a duration such as 90s or 1h30m, at most"#))
        }
        #expect(client.ask("send @s wait longer=1s").contains(#""why":"unknown""#))
    }

    @Test func `a restart does not need the files of flows that the options name`() throws {
        let path = folder.write(
            "gamed.conf",
            "flows \(folder.path)/flows\nsession front flow=door\nset door delay=30s\nsession late flow=door\n"
        )
        let options = ["--config", path, "--state-dir", stateFolder.path, "--flow", "door"]
        let daemon = try DaemonProcess(options)
        #expect(try Client(daemon.socket).ask("send @front open count=3").hasPrefix("OK"))
        #expect(try Client(daemon.socket).ask("close @late").hasPrefix("OK"))
        kill(daemon)
        unlink("\(folder.path)/flows/door.yaml")
        let restarted = try DaemonProcess(options)
        #expect(restarted.waitFor("session late is not opened: unknownFlow"))
        for session in ["main", "front"] {
            let status = try Client(restarted.socket).ask("status @\(session)")
            #expect(status.contains(#""flow":"door""#), "\(status)")
        }
        #expect(try Client(restarted.socket).ask("close @main").hasPrefix("OK"))
        kill(restarted)
        // Without a session `main` in the journal, the option cannot be carried out.
        let failing = try DaemonProcess(options)
        #expect(failing.waitForEnd() == 2)
        #expect(failing.output.contains("--flow door: no such flow"), "\(failing.output)")
        let check = try DaemonProcess(options + ["--check"])
        #expect(check.waitForEnd() == 2)
        #expect(check.output.contains("no such flow"))
    }

    @Test func `a symbolic link to a file outside of the directory is not read`() throws {
        let secret = folder.write("secret", "flow: x\nsecret-word: yes\n", mode: 0o600)
        mkdir("\(folder.path)/flows/..data", 0o700)
        writeFlow(
            "..data/lamp", Self.doorFlow(delay: "1s").replacing("flow: door", with: "flow: lamp"))
        symlink(secret, "\(folder.path)/flows/evil.yaml")
        // Volumes of container systems consist of links within the directory.
        symlink("..data/lamp.yaml", "\(folder.path)/flows/lamp.yaml")
        let daemon = try startDaemon()
        let client = try Client(daemon.socket)
        #expect(client.ask("open @a flow=lamp").hasPrefix("OK"))
        let flows = client.ask("flows")
        #expect(flows.contains("evil.yaml: a symbolic link to a file outside of"), "\(flows)")
        #expect(!flows.contains("secret-word") && !daemon.output.contains("secret-word"))
        kill(daemon)
    }

    @Test func `a mistake in a flow file is shown, and all flows keep their previous versions`()
        throws
    {
        let daemon = try startDaemon()
        let client = try Client(daemon.socket)
        writeFlow("door", Self.doorFlow(delay: "20s"))
        writeFlow("gate", "flow: gate\nstart: nowhere\nstates: {a: {final: true}}\n")
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

    @Test func `a flow is loaded again if only the file of its table has changed`() throws {
        writeFlow(
            "quiz",
            """
            flow: trivia
            start: asking
            events: {next: }
            tables: {questions: {columns: {ask: text}, file: questions.csv}}
            states: {asking: {data: {asked: text = ''}, on: {next: {with: {asked: "=questions[1].ask"}}}}}
            """)
        folder.write("flows/questions.csv", "ask\nOne?\n")
        let daemon = try startDaemon()
        let client = try Client(daemon.socket)
        _ = client.ask("open @old flow=trivia")
        folder.write("flows/questions.csv", "ask\nTwo?\n")
        reload(daemon)
        _ = client.ask("open @new flow=trivia")
        #expect(client.ask("send @old next").contains("One?"))
        #expect(client.ask("send @new next").contains("Two?"))
        #expect(client.ask("describe flow=trivia source=true").contains("questions.csv"))
        kill(daemon)
        folder.write("flows/questions.csv", "asks\nThree?\n")
        let restarted = try startDaemon()
        let second = try Client(restarted.socket)
        #expect(second.ask("status @old").contains("One?"))
        #expect(second.ask("send @new next").contains("Two?"))
        kill(restarted)
    }

    @Test func `a description has the titles of settings, and a list the languages of sessions`()
        throws
    {
        writeFlow(
            "safe",
            """
            flow: safe
            languages: [en, de]
            start: shut
            settings:
              code: {type: text, default: '0451', title: {en: The code, de: Der Code}, note: {en: Four digits, de: Vier Ziffern}}
            tables: {doors: {columns: {code: text}, rows: [{code: '1'}]}}
            states: {shut: {data: {way: order of doors}}}
            """)
        let daemon = try startDaemon()
        let client = try Client(daemon.socket)
        let description = client.ask("describe flow=safe")
        #expect(
            description.contains(
                #"{"name":"code","title":"The code","note":"Four digits","type":"text","value":"0451"}"#
            ))
        #expect(description.contains(#""name":"way","type":"array","items":"integer""#))
        #expect(client.ask("describe flow=safe language=de").contains(#""title":"Der Code""#))
        _ = client.ask("open @a flow=safe")
        let session = client.ask(#"open @b flow=safe settings={"language":"de"}"#)
        #expect(session.contains(#""language":"de","timers""#))
        _ = client.ask("open @c flow=door")
        let list = client.ask("list")
        #expect(list.contains(#""state":"shut","seq":1,"language":"en"}"#))
        #expect(list.contains(#""state":"shut","seq":1,"language":"de"}"#))
        #expect(list.contains(#""session":"c","flow":"door","state":"shut","seq":1}"#))
        kill(daemon)
    }

    @Test func `a start with a broken file uses the version in the journal`() throws {
        let daemon = try startDaemon("set door delay=1m")
        #expect(try Client(daemon.socket).ask("open @a flow=door").contains("OK"))
        kill(daemon)
        writeFlow("door", "flow: [")
        let restarted = try startDaemon("set door delay=1m")
        let client = try Client(restarted.socket)
        #expect(restarted.output.contains("door.yaml:2:1: not YAML"))
        #expect(client.ask("status @a").contains(#""state":"shut""#))
        #expect(client.ask("open @b flow=door").contains(#""settings":{"delay":"1m""#))
        kill(restarted)
    }

    @Test func `a reload says that the flow of the journal goes when its broken file is deleted`()
        throws
    {
        let daemon = try startDaemon()
        #expect(try Client(daemon.socket).ask("open @a flow=door").contains("OK"))
        kill(daemon)
        writeFlow("door", "flow: [")
        let restarted = try startDaemon()
        let client = try Client(restarted.socket)
        #expect(client.ask("open @b flow=door").hasPrefix("OK"))
        unlink("\(folder.path)/flows/door.yaml")
        #expect(client.ask("reload").contains(#""changed":["flows"]"#))
        #expect(client.ask("open @c flow=door").hasPrefix("ERR unknownFlow"))
        #expect(client.ask("reload").contains(#""changed":[]"#))
        kill(restarted)
    }

    /// The method `move` makes a session play the newest version of its flow.
    @Test func `a move keeps state, data and timers, and a repeated request changes nothing`()
        throws
    {
        let daemon = try startDaemon()
        let client = try Client(daemon.socket)
        _ = client.ask("open @a flow=door")
        let openingReply = client.ask("send @a open count=3")
        #expect(openingReply.contains(#""entry":2"#))
        _ = client.ask("advance 4s")
        writeFlow("door", Self.doorFlow(delay: "20s", data: "{count: integer, seen: integer = 7}"))
        reload(daemon)
        let change = client.ask("move @a id=m1")
        #expect(change.contains(#""kind":"move""#) && change.contains(#""versions":{"from":"#))
        let status = client.ask("status @a")
        // The timer keeps its remaining time and its total time.
        #expect(status.contains(#""remainingMs":6000,"totalMs":10000"#), "\(status)")
        #expect(status.contains(#""data":{"count":3,"seen":7}"#))
        #expect(status.contains(#""entry":2"#) && status.contains(#""seq":3"#))
        #expect(client.ask("move @a id=m1") == change)
        // Without a newer version nothing changes.
        #expect(client.ask("move @a").contains(#""seq":3"#))
        kill(daemon)
        let restarted = try startDaemon()
        let newStatus = try Client(restarted.socket).ask("status @a")
        #expect(newStatus.contains(#""data":{"count":3,"seen":7}"#))
        #expect(newStatus.contains(#""remainingMs":6000,"totalMs":10000"#), "\(newStatus)")
        kill(restarted)
    }

    @Test func `a refused move names the state or datum that does not fit, and changes nothing`()
        throws
    {
        let daemon = try startDaemon()
        let client = try Client(daemon.socket)
        _ = client.ask("open @a flow=door")
        _ = client.ask("send @a open count=3")
        let statusBefore = client.ask("status @a")
        writeFlow("door", Self.doorFlow().replacing("opened", with: "wide"))
        reload(daemon)
        let stateError = client.ask("move @a")
        #expect(
            stateError.hasPrefix("ERR invalid") && stateError.contains(#""argument":"state""#),
            "\(stateError)")
        writeFlow("door", Self.doorFlow(data: "{count: integer 0..2}"))
        reload(daemon)
        let dataError = client.ask("move @a")
        #expect(
            dataError.hasPrefix("ERR invalid") && dataError.contains(#""argument":"count""#),
            "\(dataError)")
        #expect(client.ask("status @a") == statusBefore)
        #expect(client.ask("status @nowhere").hasPrefix("ERR unknownSession"))
        kill(daemon)
    }

    @Test func `the daemon starts with the sessions and settings of its configuration`() throws {
        let configurationLines = """
            set door delay=30s
            session front flow=door settings='{"name":"back"}' labels='{"team":"Owls"}' clock=tooLong
            session half flow=door state=shut
            """
        let daemon = try startDaemon(configurationLines)
        let client = try Client(daemon.socket)
        let status = client.ask("status @front")
        #expect(status.contains(#""settings":{"delay":"30s","name":"back"}"#), "\(status)")
        #expect(status.contains(#""labels":{"team":"Owls"}"#))
        #expect(status.contains(#""clock":"tooLong""#))
        #expect(client.ask("list").contains(#""session":"half""#))
        // A start opens the sessions of the configuration again if they were closed. SIGHUP does not.
        _ = client.ask("close @half")
        reload(daemon)
        #expect(client.ask("status @half").hasPrefix("ERR unknownSession"))
        kill(daemon)
        // Only the first line of the configuration is replaced. An open session keeps its settings.
        let restarted = try startDaemon(
            "set door delay=99s\n"
                + configurationLines.split(separator: "\n")[1...].joined(separator: "\n"))
        #expect(try Client(restarted.socket).ask("status @front").contains(#""delay":"30s""#))
        let statusOfHalf = try Client(restarted.socket).ask("status @half")
        #expect(statusOfHalf.contains(#""delay":"1m39s""#), "\(statusOfHalf)")
        kill(restarted)
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
    func `a mistake in a line of the configuration is shown with its line and column`(
        _ lines: String, _ sentence: String
    ) throws {
        let daemon = try startDaemon(lines)
        #expect(daemon.waitForEnd() == 2)
        #expect(daemon.output.contains("gamed.conf\(sentence)"), "\(daemon.output)")
    }

    @Test func `--check exits with 2 for a flow file with a mistake`() throws {
        writeFlow("door", "flow: door\n")
        let configuration = folder.write("gamed.conf", "flows \(folder.path)/flows\n")
        let checkingDaemon = try DaemonProcess(["--config", configuration, "--check"])
        #expect(checkingDaemon.waitForEnd() == 2)
        #expect(checkingDaemon.output.contains("door.yaml:1:1: "))
    }

    @Test func `no flow file may use the name of a built-in flow or of a flow in another file`()
        throws
    {
        writeFlow("game", Self.doorFlow().replacing("flow: door", with: "flow: game"))
        writeFlow("second", Self.doorFlow())
        let daemon = try startDaemon()
        let flows = try Client(daemon.socket).ask("flows")
        #expect(
            flows.contains("game.yaml:1:7: game is the name of a built-in flow; choose another"),
            "\(flows)")
        #expect(flows.contains("second.yaml: the flow door is also in "))
        kill(daemon)
    }

    @Test
    func
        `a session is quarantined if its flow version cannot be built, and others continue`()
        throws
    {
        let daemon = try startDaemon()
        let client = try Client(daemon.socket)
        _ = client.ask("open @a flow=door")
        _ = client.ask("open @b flow=quiz")
        kill(daemon)
        unlink("\(folder.path)/flows/door.yaml")
        try stateFolder.rewriteFlowTexts { _ in Array("flow: door\nformat: 99\n".utf8) }
        let restarted = try startDaemon()
        let answer = try Client(restarted.socket).ask("status @a")
        #expect(answer.hasPrefix("ERR storage") && answer.contains("cannot be used"), "\(answer)")
        #expect(answer.contains("gamectl close @a"))
        #expect(try Client(restarted.socket).ask("status @b").contains(#""state":"lobby""#))
        kill(restarted)
    }
}
