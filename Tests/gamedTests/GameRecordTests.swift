import Glibc
import TestSupport
import Testing

/// Statistics and stuck sessions of a daemon with a journal.
@Suite struct GameRecordTests {
    private let folder = Folder()
    private var state: String { "\(folder.path)/state" }

    private func daemon(_ lines: String = "", _ options: [String] = []) throws -> DaemonProcess {
        let path = folder.write("gamed.conf", lines)
        return try DaemonProcess(["--config", path, "--clock", "virtual"] + options)
    }

    /// Makes twenty visits of the state `introduction`, of 1 to 20 s, and begins another.
    private func visitTwentyTimes(_ client: Client) {
        for seconds in 1...20 {
            #expect(client.ask("advance \(seconds)s").hasPrefix("OK"))
            #expect(client.ask("goto introduction").hasPrefix("OK"))
        }
    }

    private func run(_ command: String, _ daemon: DaemonProcess) -> String {
        ShellCommand.run("gamectl --socket \"$S\" \(command)", daemon)
    }

    /// Repeats a request until the answer contains these words.
    private func expect(_ words: String, _ request: String, _ client: Client) {
        let answer = client.ask(request, until: words)
        #expect(answer.contains(words), "\(request)")
    }

    @Test func `stats are computed from the journal, by the daemon and without it`() throws {
        let daemon = try daemon("", ["--state-dir", state])
        let client = try Client(daemon.socket)
        visitTwentyTimes(client)
        #expect(client.ask("say Hurry").hasPrefix("OK"))
        let row =
            #"{"flow":"game","versions":["1"],"games":1,"running":1,"unfinished":0,"outcomes":[],"#
            + #""states":[{"state":"introduction","visits":20,"medianMs":10000,"p90Ms":18000}],"#
            + #""overrides":{"goto":20,"timer":0,"undo":0},"hints":1,"refusals":0}"#
        let result = #"{"refusalsRecorded":false,"flows":[\#(row)]}"#
        #expect(client.ask("stats") == "OK \(result)")
        #expect(client.ask("stats game") == "OK \(result)")
        #expect(client.ask("stats quiz") == #"OK {"refusalsRecorded":false,"flows":[]}"#)
        #expect(client.ask("stats since=1s").hasSuffix(#""flows":[]}"#))
        #expect(client.ask("stats since=0").contains(#""sinceMs":0"#))
        #expect(client.ask("stats gmae").contains("unknownFlow"))
        #expect(client.ask("stats since=tomorrow").contains("since: expected a duration"))
        #expect(client.ask("stats since=-1").contains("since: expected a duration"))
        #expect(client.ask("stats without=a-b").contains("without: "))
        let table = run("stats", daemon)
        #expect(table.contains("game  1 game\n"), "\(table)")
        #expect(table.contains("introduction  20      0:10    0:18"), "\(table)")
        #expect(client.ask("label test=yes").hasPrefix("OK"))
        #expect(run("stats without=test", daemon) == "no games\n")

        daemon.signal(SIGTERM)
        daemon.waitForEnd()
        let offline = ShellCommand.run("gamectl --json journal stats \(state)")
        #expect(offline == "\(result)\n")
        #expect(
            ShellCommand.run("gamectl journal stats \(state) without=test since=1d") == "no games\n"
        )
    }

    @Test func `without a journal there are no stats`() throws {
        let daemon = try daemon()
        #expect(try Client(daemon.socket).ask("stats").contains("there is no journal"))
        #expect(run("stats", daemon).contains("--state-dir"))
    }

    @Test func `a session that stays longer than usual is marked, and reported once`() throws {
        let script = folder.write(
            "alarm", "#!/bin/sh\ncat >>'\(folder.path)/alarms'\n", mode: 0o700)
        let lines = "on stuck session=main run=\(script)\n"
        let options = ["--state-dir", state, "--outputs", "on"]
        let first = try daemon(lines, options)
        let client = try Client(first.socket)
        visitTwentyTimes(client)
        #expect(client.ask("advance 18s").hasPrefix("OK"))
        #expect(!client.ask("status").contains("stuck"))
        let watcher = try Client(first.socket)
        #expect(watcher.ask("watch topics=stuck").hasPrefix("OK"))
        #expect(client.ask("advance 1ms").hasPrefix("OK"))
        #expect(client.ask("status").contains(#""stuck":true"#))
        #expect(client.ask("list").contains(#""stuck":true"#))
        let notification = watcher.line() ?? ""
        #expect(
            notification.hasPrefix(
                #"{"jsonrpc":"2.0","method":"stuck","params":{"session":"main","entry":"#),
            "\(notification)")
        #expect(notification.contains(#""state":"introduction","atMs":228001,"#), "\(notification)")
        expect(#""delivered":1"#, "outputs", client)
        #expect(client.ask("advance 100s").hasPrefix("OK"))
        #expect(client.ask("status").contains(#""stuck":true"#))
        #expect(run("status", first).contains("introduction (stuck)"))
        #expect(run("list", first).contains("introduction (stuck)"))
        let alarms = ShellCommand.run("cat '\(folder.path)/alarms'")
        #expect(alarms.split(separator: "\n").count == 1, "\(alarms)")
        #expect(alarms.contains(#""state":"introduction""#) && alarms.contains(#":main:s"#))

        first.signal(SIGTERM)
        first.waitForEnd()
        let second = try daemon(lines, options)
        let other = try Client(second.socket)
        expect(#""stuck":true"#, "status", other)
        #expect(other.ask("outputs").contains(#""waiting":0,"delivered":0"#))
        #expect(other.ask("goto introduction").hasPrefix("OK"))
        #expect(!other.ask("status").contains("stuck"))
        #expect(other.ask("advance 18s").hasPrefix("OK"))
        #expect(!other.ask("status").contains("stuck"))
        #expect(other.ask("advance 100s").hasPrefix("OK"))
        #expect(other.ask("status").contains(#""stuck":true"#))
        expect(#""delivered":1"#, "outputs", other)
    }

    @Test func `on the real clock a session is marked without any request`() throws {
        let path = folder.write("gamed.conf", "")
        let daemon = try DaemonProcess(["--config", path, "--state-dir", state])
        let client = try Client(daemon.socket)
        for _ in 1...21 { #expect(client.ask("goto introduction").hasPrefix("OK")) }
        expect(#""stuck":true"#, "status", client)
    }

    @Test func `a second request for stats is refused while the first is answered`() throws {
        let daemon = try daemon("", ["--state-dir", state])
        let client = try Client(daemon.socket)
        let request = #"{"jsonrpc":"2.0","method":"stats","id":"#
        let replies = client.ask("[\(request)1},\(request)2}]")
        #expect(replies.contains(#""id":1,"result":{"refusalsRecorded":false"#), "\(replies)")
        #expect(replies.contains(#"{"which":"statistics","limit":1}"#), "\(replies)")
        #expect(client.ask("stats").hasPrefix("OK"))
    }

    @Test func `without a journal the visits since the start are known`() throws {
        let daemon = try daemon()
        let client = try Client(daemon.socket)
        visitTwentyTimes(client)
        #expect(client.ask("advance 19s").hasPrefix("OK"))
        #expect(client.ask("status").contains(#""stuck":true"#))
    }
}
