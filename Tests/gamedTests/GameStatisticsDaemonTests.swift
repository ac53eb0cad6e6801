import Connections
import Glibc
import TestSupport
import Testing

/// The statistics of games and the stuck sessions of a daemon, with and without a journal.
@Suite struct GameStatisticsDaemonTests {
    private let folder = Folder()
    private var stateDirectory: String { "\(folder.path)/state" }

    private func startDaemon(
        _ configuration: String = "", _ options: [String] = []
    ) throws -> DaemonProcess {
        let path = folder.write("gamed.conf", configuration)
        return try DaemonProcess(["--config", path, "--clock", "virtual"] + options)
    }

    /// Makes twenty visits of the state `introduction`, of 1 to 20 s, and begins another visit. 90 % of the twenty visits last
    /// at most 18 s, so the session is stuck as soon as the present visit is longer than 18 s.
    private func visitTwentyTimes(_ client: Client) {
        for seconds in 1...20 {
            #expect(client.ask("advance \(seconds)s").hasPrefix("OK"))
            #expect(client.ask("goto introduction").hasPrefix("OK"))
        }
    }

    private func gamectl(_ command: String, _ daemon: DaemonProcess) -> String {
        ShellCommand.run("gamectl --socket \"$S\" \(command)", daemon)
    }

    /// Repeats a request until its answer contains these words; the test fails if it never does.
    private func waitForAnswer(_ words: String, to request: String, _ client: Client) {
        let answer = client.ask(request, until: words)
        #expect(answer.contains(words), "\(request)")
    }

    @Test func `the daemon and gamectl compute statistics from the journal`() throws {
        let daemon = try startDaemon("", ["--state-dir", stateDirectory])
        let client = try Client(daemon.socket)
        visitTwentyTimes(client)
        #expect(client.ask("say Hurry").hasPrefix("OK"))
        let game =
            #"{"flow":"game","versions":["1"],"games":1,"running":1,"unfinished":0,"outcomes":[],"#
            + #""states":[{"state":"introduction","visits":20,"medianMs":10000,"p90Ms":18000}],"#
            + #""overrides":{"goto":20,"timer":0,"undo":0},"hints":1,"refusals":0}"#
        let statistics = #"{"refusalsRecorded":false,"flows":[\#(game)]}"#
        #expect(client.ask("stats") == "OK \(statistics)")
        #expect(client.ask("stats game") == "OK \(statistics)")
        #expect(client.ask("stats quiz") == #"OK {"refusalsRecorded":false,"flows":[]}"#)
        #expect(client.ask("stats since=1s").hasSuffix(#""flows":[]}"#))
        #expect(client.ask("stats since=0").contains(#""sinceMs":0"#))
        #expect(client.ask("stats gmae").contains("unknownFlow"))
        #expect(client.ask("stats since=tomorrow").contains("since: expected a duration"))
        #expect(client.ask("stats since=-1").contains("since: expected a duration"))
        #expect(client.ask("stats without=a-b").contains("without: "))
        let table = gamectl("stats", daemon)
        #expect(table.contains("game  1 game\n"), "\(table)")
        #expect(table.contains("introduction  20      10.0 s  18.0 s"), "\(table)")
        #expect(client.ask("label test=yes").hasPrefix("OK"))
        #expect(gamectl("stats without=test", daemon) == "no games\n")

        daemon.signal(SIGTERM)
        daemon.waitForEnd()
        let offline = ShellCommand.run("gamectl --json journal stats \(stateDirectory)")
        #expect(offline == "\(statistics)\n")
        #expect(
            ShellCommand.run("TZ=UTC gamectl journal stats \(stateDirectory) without=test since=1d")
                == "since 1970-01-01 00:00 UTC\nno games\n")
        #expect(
            ShellCommand.run(
                "TZ=UTC-2 gamectl journal stats \(stateDirectory) without=test since=1970-01-01T02:00"
            ) == "since 1970-01-01 02:00 UTC-2\nno games\n")
    }

    @Test func `without a journal there are no statistics`() throws {
        let daemon = try startDaemon()
        #expect(try Client(daemon.socket).ask("stats").contains("there is no journal"))
        #expect(gamectl("stats", daemon).contains("--state-dir"))
    }

    @Test func `a session that stays longer than usual is marked as stuck, and reported once`()
        throws
    {
        let script = folder.write(
            "alarm", "#!/bin/sh\ncat >>'\(folder.path)/alarms'\n", mode: 0o700)
        let configuration = "on stuck session=main run=\(script)\n"
        let options = ["--state-dir", stateDirectory, "--outputs", "on"]
        let daemon = try startDaemon(configuration, options)
        let client = try Client(daemon.socket)
        visitTwentyTimes(client)
        #expect(client.ask("advance 18s").hasPrefix("OK"))
        #expect(!client.ask("status").contains("stuck"))
        let watcher = try Client(daemon.socket)
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
        waitForAnswer(#""delivered":1"#, to: "outputs", client)
        #expect(client.ask("advance 100s").hasPrefix("OK"))
        #expect(client.ask("status").contains(#""stuck":true"#))
        #expect(gamectl("status", daemon).contains("introduction (stuck)"))
        #expect(gamectl("list", daemon).contains("introduction (stuck)"))
        let alarms = ShellCommand.run("cat '\(folder.path)/alarms'")
        #expect(alarms.split(separator: "\n").count == 1, "\(alarms)")
        // The id of an output about a stuck session is `INSTANCE:SESSION:sENTRY:N`: the letter `s`, the number of the entry, and
        // the number of the output among those about this entry.
        #expect(alarms.contains(#""state":"introduction""#) && alarms.contains(#":main:s"#))

        daemon.signal(SIGTERM)
        daemon.waitForEnd()
        let restartedDaemon = try startDaemon(configuration, options)
        let newClient = try Client(restartedDaemon.socket)
        waitForAnswer(#""stuck":true"#, to: "status", newClient)
        // The report of this visit was delivered before the restart, and is not repeated.
        #expect(newClient.ask("outputs").contains(#""waiting":0,"delivered":0"#))
        #expect(newClient.ask("goto introduction").hasPrefix("OK"))
        #expect(!newClient.ask("status").contains("stuck"))
        #expect(newClient.ask("advance 18s").hasPrefix("OK"))
        #expect(!newClient.ask("status").contains("stuck"))
        #expect(newClient.ask("advance 100s").hasPrefix("OK"))
        #expect(newClient.ask("status").contains(#""stuck":true"#))
        waitForAnswer(#""delivered":1"#, to: "outputs", newClient)
    }

    @Test func `on the real clock a session becomes stuck while time passes`() throws {
        let path = folder.write("gamed.conf", "")
        let daemon = try DaemonProcess(["--config", path, "--state-dir", stateDirectory])
        let client = try Client(daemon.socket)
        // The 21 past visits take almost no time. The present visit is soon longer than these: the session is stuck.
        for _ in 1...21 { #expect(client.ask("goto introduction").hasPrefix("OK")) }
        waitForAnswer(#""stuck":true"#, to: "status", client)
    }

    @Test func `a second request for statistics is refused while the first is being answered`()
        throws
    {
        let daemon = try startDaemon("", ["--state-dir", stateDirectory])
        let client = try Client(daemon.socket)
        let request = #"{"jsonrpc":"2.0","method":"stats","id":"#
        let replies = client.ask("[\(request)1},\(request)2}]")
        #expect(replies.contains(#""id":1,"result":{"refusalsRecorded":false"#), "\(replies)")
        #expect(replies.contains(#"{"which":"statistics","limit":1}"#), "\(replies)")
        #expect(client.ask("stats").hasPrefix("OK"))
    }

    @Test func `without a journal the visits since the start decide whether a session is stuck`()
        throws
    {
        let daemon = try startDaemon()
        let client = try Client(daemon.socket)
        visitTwentyTimes(client)
        #expect(client.ask("advance 19s").hasPrefix("OK"))
        #expect(client.ask("status").contains(#""stuck":true"#))
    }
}
