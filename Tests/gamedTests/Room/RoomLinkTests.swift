import Connections
import Glibc
import TestSupport
import Testing

/// `on` lines with `open=` and `send=`: a change of one session opens other sessions and sends them events.
@Suite struct RoomLinkTests {
    private let folder = Folder()

    private func startDaemon(_ lines: String, _ options: [String] = []) throws -> DaemonProcess {
        let path = folder.write("gamed.conf", lines)
        return try DaemonProcess(
            ["--config", path, "--flow", "quiz", "--clock", "virtual"] + options)
    }

    @Test func `entering a state opens another session and sends it an event with arguments`()
        throws
    {
        let daemon = try startDaemon(
            """
            on enter=question session=main open=second flow=quiz
            on enter=question session=main send=@second start args={"rounds":"$data.rounds"}
            on enter=locked session=main run=/bin/true
            on enter=locked session=main send=@second buzz args={"player":"$session"}

            """, ["--state-dir", "\(folder.path)/state"])
        let client = try Client(daemon.socket)
        #expect(client.ask("send start rounds=3").hasPrefix("OK"))
        let secondStatus = client.ask("status @second")
        #expect(
            secondStatus.contains(#""state":"question","data":{"round":1,"rounds":3"#),
            "\(secondStatus)")
        #expect(client.ask("send buzz player=ann").hasPrefix("OK"))
        let history = client.ask("history @second")
        #expect(
            history.contains(
                #""event":{"name":"buzz","args":{"player":"main"}},"source":{"kind":"session","peer":{"device":"main"}}"#
            ),
            "\(history)")
        // The id of the send has the form of an output's id: the instance, the session, the `pos` of the change, and a number.
        // The outputs and sends of a change are numbered from 1: the output of `run=` is 1, and the send of `send=` is 2.
        let instance = client.ask("hello").split(separator: "\"instance\":\"").last?
            .prefix { $0 != "\"" }
        let entry = client.ask("status @main").split(separator: "\"entry\":").last?
            .prefix(while: \.isNumber)
        daemon.signal(SIGTERM)
        daemon.waitForEnd()
        let exported = ShellCommand.run("gamectl journal export '\(folder.path)/state'")
        #expect(
            exported.contains("\"id\":\"\(instance ?? ""):main:\(entry ?? ""):2\""),
            "\(exported)")
        let replayed = ShellCommand.run("gamectl replay '\(folder.path)/state'; echo $?")
        #expect(replayed.hasSuffix("\n0\n"), "\(replayed)")
    }

    @Test func `a timer that became due while no daemon ran causes the step of a line`() throws {
        folder.write(
            "lamp.yaml",
            """
            flow: lamp
            start: lit
            events: {press: {}}
            states:
              lit:
                timers: {burnt: {after: 500ms}}
                on: {press: {to: dark}, burnt: {to: dark}}
              dark:
                on: {press: {to: out}}
              out: {final: true}

            """)
        let path = folder.write(
            "gamed.conf",
            "session other flow=lamp\non enter=dark session=main send=@other press\n")
        let options = [
            "--config", path, "--flows", folder.path, "--flow", "lamp",
            "--state-dir", "\(folder.path)/state",
        ]
        let killed = try DaemonProcess(options)
        #expect(try Client(killed.socket).ask("send @other press").contains(#""seq":2"#))
        killed.signal(SIGKILL)
        killed.waitForEnd()
        usleep(500_000)
        let daemon = try DaemonProcess(options)
        let client = try Client(daemon.socket)
        #expect(client.ask("status", until: #""state":"dark""#).contains("dark"))
        #expect(client.ask("status @other").contains(#""state":"out""#))
    }

    @Test func `a refused send is reported and logged, and does not affect the sending session`()
        throws
    {
        let daemon = try startDaemon(
            """
            session other flow=quiz
            on enter=question session=main send=@other buzz args={"player":"x"}

            """)
        let watcher = try Client(daemon.socket)
        #expect(watcher.ask("watch @other topics=refusals").hasPrefix("OK"))
        let client = try Client(daemon.socket)
        #expect(client.ask("send start rounds=3").hasPrefix("OK"))
        let refusal = watcher.line() ?? ""
        #expect(
            refusal.contains("noTransition") && refusal.contains(#""kind":"session""#), "\(refusal)"
        )
        #expect(daemon.waitFor("session main could not send buzz to session other: noTransition"))
        #expect(client.ask("status").contains(#""state":"question""#))
    }

    @Test func `an endless chain of sends ends at a limit, and the daemon continues`() throws {
        let daemon = try startDaemon(
            """
            session a flow=quiz
            session b flow=quiz
            on enter=question session=a send=@b abandon
            on enter=question session=a send=@b start args={"rounds":1}
            on enter=question session=b send=@a abandon
            on enter=question session=b send=@a start args={"rounds":1}

            """)
        let client = try Client(daemon.socket)
        #expect(client.ask("send @a start rounds=1").hasPrefix("OK"))
        #expect(daemon.waitFor("session a could not send start to session b: limit"))
        #expect(client.ask("ping").hasPrefix("OK"))
        // The chain ends after 64 pairs of an abandon and a start, which are sent to `b` and `a` in turn. `a` has its opening,
        // its first start and 2 × 32 changes: 66. `b` has its opening and one change less than 2 × 32, because its first
        // abandon is refused: 64.
        #expect(client.ask("status @a").contains(#""seq":66"#))
        #expect(client.ask("status @b").contains(#""seq":64"#))
    }

    @Test func `mistakes in lines with open= or send= are found`() throws {
        for (line, why) in [
            ("on enter=x open=b flow=nothing", "flow: no flow has this name"),
            ("on enter=x send=b start", "expected send=@NAME EVENT"),
            ("on enter=x send=@b nothing", "no flow has an event nothing"),
            ("on enter=x send=@b start args=[1]", "args: expected an object"),
            ("on enter=x send=@b start args={\"rounds\":\"$x\"}", "$x: unknown"),
            ("on enter=x send=@b start args={\"round\":1}", "args: start takes rounds: integer"),
            ("on enter=x send=@b start", "args: start takes rounds: integer"),
            ("on enter=x send=@b abandon args={\"a\":1}", "args: abandon takes nothing"),
            ("on send=@b start", "expected effect=NAME or enter=STATE"),
        ] {
            let path = folder.write("gamed.conf", "\(line)\n")
            let response = ShellCommand.run("gamed --check --config \(path)")
            #expect(
                response.contains("gamed.conf:1:") && response.contains(why), "\(line): \(response)"
            )
        }
    }
}
