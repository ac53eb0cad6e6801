import Glibc
import TestSupport
import Testing

/// Sends between sessions, as the configuration asks for them.
@Suite struct RoomLinkTests {
    private let folder = Folder()

    private func daemon(_ lines: String, _ options: [String] = []) throws -> DaemonProcess {
        let path = folder.write("gamed.conf", lines)
        return try DaemonProcess(
            ["--config", path, "--flow", "quiz", "--clock", "virtual"] + options)
    }

    @Test func `entering a state opens another session and sends it an event with arguments`()
        throws
    {
        let daemon = try daemon(
            """
            on enter=question session=main open=second flow=quiz
            on enter=question session=main send=@second start args={"rounds":"$data.rounds"}
            on enter=locked session=main run=/bin/true
            on enter=locked session=main send=@second buzz args={"player":"$session"}

            """, ["--state-dir", "\(folder.path)/state"])
        let client = try Client(daemon.socket)
        #expect(client.ask("send start rounds=3").hasPrefix("OK"))
        let second = client.ask("status @second")
        #expect(second.contains(#""state":"question","data":{"round":1,"rounds":3"#), "\(second)")
        // It is open, so opening it again does nothing.
        #expect(client.ask("send buzz player=ann").hasPrefix("OK"))
        let history = client.ask("history @second")
        #expect(
            history.contains(
                #""event":{"name":"buzz","args":{"player":"main"}},"source":{"kind":"session","peer":{"device":"main"}}"#
            ),
            "\(history)")
        // The id is that of an output: the instance, the session, its change, and a number in the order of the lines.
        let instance = client.ask("hello").split(separator: "\"instance\":\"").last?
            .prefix { $0 != "\"" }
        let entered = client.ask("status @main").split(separator: "\"entry\":").last?
            .prefix(while: \.isNumber)
        daemon.signal(SIGTERM)
        daemon.waitForEnd()
        let exported = ShellCommand.run("gamectl journal export '\(folder.path)/state'")
        #expect(
            exported.contains("\"id\":\"\(instance ?? ""):main:\(entered ?? ""):2\""),
            "\(exported)")
        let replayed = ShellCommand.run("gamectl replay '\(folder.path)/state'; echo $?")
        #expect(replayed.hasSuffix("\n0\n"), "\(replayed)")
    }

    @Test func `a refusal of the other session is a refusal there, and changes nothing here`()
        throws
    {
        let daemon = try daemon(
            """
            session other flow=quiz
            on enter=question session=main send=@other buzz args={"player":"x"}

            """)
        let watcher = try Client(daemon.socket)
        #expect(watcher.ask("watch @other topics=refusals").hasPrefix("OK"))
        let client = try Client(daemon.socket)
        #expect(client.ask("send start rounds=3").hasPrefix("OK"))
        let refused = watcher.line() ?? ""
        #expect(
            refused.contains("noTransition") && refused.contains(#""kind":"session""#), "\(refused)"
        )
        #expect(daemon.waitFor("session other refused to main to send buzz: noTransition"))
    }

    @Test func `a chain without an end is refused after 64 steps, and the daemon goes on`() throws {
        let daemon = try daemon(
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
        #expect(daemon.waitFor("refused to"))
        let history = client.ask("history @a limit=1")
        #expect(history.hasPrefix("OK"))
        let seq = client.ask("status @a")
        #expect(seq.contains(#""seq":"#) && client.ask("ping").hasPrefix("OK"))
        #expect(daemon.waitFor("limit"))
    }

    @Test func `mistakes in lines are found`() throws {
        for (line, why) in [
            ("on enter=x open=b flow=nothing", "flow: no flow has this name"),
            ("on enter=x send=b start", "expected send=@NAME EVENT"),
            ("on enter=x send=@b nothing", "no flow has an event nothing"),
            ("on enter=x send=@b start args=[1]", "args: expected an object"),
            ("on enter=x send=@b start args={\"a\":\"$x\"}", "$x: unknown"),
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
