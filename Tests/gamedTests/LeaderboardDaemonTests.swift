import Connections
import Glibc
import TestSupport
import Testing

/// Leaderboards of a daemon with a journal.
@Suite struct LeaderboardDaemonTests {
    private let folder = Folder()

    private func startDaemon(
        _ rules: String = "", _ options: [String] = []
    ) throws -> DaemonProcess {
        let path = folder.write("gamed.conf", rules)
        return try DaemonProcess(
            [
                "--config", path, "--clock", "virtual", "--flow", "quiz", "--state-dir",
                "\(folder.path)/state",
            ] + options)
    }

    private func gamectl(_ command: String, _ daemon: DaemonProcess) -> String {
        ShellCommand.run("gamectl --socket \"$S\" \(command)", daemon)
    }

    /// Plays a quiz of one round that the player wins after `seconds` seconds. The game ends 5 s later.
    private func play(_ session: String, _ player: String, seconds: Int, _ client: Client) {
        let lines = [
            "open @\(session) flow=quiz", "send @\(session) start rounds=1",
            "advance \(seconds)s", "send @\(session) buzz player=\(player)",
            "send @\(session) judge correct=true", "advance 5s",
        ]
        for line in lines {
            let output = client.ask(line)
            #expect(output.hasPrefix("OK"), "\(line): \(output)")
        }
    }

    @Test func `a leaderboard of a flow without a final state needs the parameter state`() throws {
        let daemon = try startDaemon()
        let answer = try Client(daemon.socket).ask("leaderboard game")
        #expect(
            answer.hasPrefix("ERR invalid")
                && answer.contains("the flow game has no final state; state=NAME says which"),
            "\(answer)")
    }

    @Test func `a duration is named as in its flow file, in events and in the leaderboard`() throws
    {
        folder.write(
            "race.yaml",
            """
            flow: race
            start: run
            events: {finish: {left: duration}}
            states:
              run: {on: {finish: {to: won, with: {left: =event.left}}}}
              won: {final: true, data: {left: {type: duration, title: Time left}}}
            """)
        let daemon = try startDaemon("", ["--flows", folder.path])
        let client = try Client(daemon.socket)
        #expect(client.ask("open @a flow=race").hasPrefix("OK"))
        #expect(client.ask("send @a finish left=1m30s").contains(#""leftMs":90000"#))
        for name in ["left", "leftMs"] {
            let rows = client.ask("leaderboard race by=\(name)")
            #expect(
                rows.contains(#""by":"leftMs","title":"Time left","#)
                    && rows.contains(#""value":90000"#), "\(rows)")
        }
    }

    @Test func `the best games are ordered by time or by scores, and new games are added`() throws {
        let daemon = try startDaemon()
        let client = try Client(daemon.socket)
        #expect(client.ask("leaderboard quiz") == #"OK {"flow":"quiz","by":"time","rows":[]}"#)
        play("slow", "Ann", seconds: 9, client)
        play("fast", "Bob", seconds: 3, client)
        let leaderboard = client.ask("leaderboard quiz")
        #expect(
            leaderboard.contains(#""rank":1,"value":8000,"state":"finished","session":"fast""#),
            "\(leaderboard)")
        #expect(
            leaderboard.contains(#""rank":2,"value":14000,"state":"finished","session":"slow""#),
            "\(leaderboard)")
        #expect(client.ask("label @fast team=Owls").hasPrefix("OK"))
        let table = gamectl("leaderboard by=scores quiz", daemon)
        #expect(
            table
                == "RANK  SCORES  NAME  SESSION\n1     1       Ann   slow\n1     1       Bob   fast\n",
            "\(table)")
        #expect(gamectl("leaderboard limit=1 quiz", daemon).contains("1     8.0 s  Owls  fast"))
        #expect(client.ask("leaderboard without=team quiz").contains(#""rank":1,"value":14000"#))
        #expect(client.ask("leaderboard since=1s quiz").hasSuffix(#""rows":[]}"#))
        #expect(client.ask("leaderboard state=reveal quiz").contains(#""value":3000"#))
        #expect(client.ask("leaderboard state=reveal during=locked quiz").contains(#""value":0"#))
    }

    @Test(arguments: [
        ("leaderboard", "invalidParams"), ("leaderboard quizz", "didYouMean"),
        ("leaderboard by=score quiz", "did you mean scores?"),
        ("leaderboard state=finishd quiz", "unknownState"),
        ("leaderboard during=nosuch quiz", "unknownState"),
        ("leaderboard limit=0 quiz", "limit: expected 1 to 100"),
        ("leaderboard limit=101 quiz", "limit: expected 1 to 100"),
        ("leaderboard by=\"\" quiz", "by: expected"),
        ("leaderboard since=tomorrow quiz", "since: expected a duration"),
        ("leaderboard without=a-b quiz", "without: "),
    ])
    func `an invalid request is refused with the reason`(_ line: String, _ reason: String) throws {
        let daemon = try startDaemon()
        let output = try Client(daemon.socket).ask(line)
        #expect(output.hasPrefix("ERR") && output.contains(reason), "\(output)")
    }

    @Test func `a leaderboard has only the games of sessions that the caller may observe`() throws {
        let rules = "allow token:hall observe session=fa*\nallow token:desk operate\n"
        let daemon = try startDaemon(rules, ["--http", "127.0.0.1:0"])
        let client = try Client(daemon.socket)
        play("slow", "Ann", seconds: 9, client)
        play("fast", "Bob", seconds: 3, client)
        #expect(client.ask("label @fast _test=yes").hasPrefix("OK"))
        // Calls the method with the token `hall`, which the first call creates.
        func leaderboardForHall(_ params: String) -> String {
            ShellCommand.run(
                "T=$(gamectl --socket $S token list | grep -q hall || gamectl --socket $S token add hall "
                    + ">'\(folder.path)/hall'; cat '\(folder.path)/hall'); "
                    + "curl -s -H \"Authorization: Bearer $T\" -H 'Content-Type: application/json' -d "
                    + "'{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"leaderboard\",\"params\":\(params)}' $WEB/v1/rpc",
                daemon)
        }
        let output = leaderboardForHall(#"{"flow":"quiz"}"#)
        #expect(output.contains("fast") && !output.contains("slow"), "\(output)")
        #expect(
            leaderboardForHall(#"{"flow":"quiz","without":"_test"}"#)
                .contains("without: a label that begins with _ needs"))
        #expect(client.ask("leaderboard without=_test quiz").contains("slow"))
    }

    @Test
    func
        `a daemon reads more than 8 leaderboards in succession; without a journal it refuses them`()
        throws
    {
        let daemon = try startDaemon()
        let client = try Client(daemon.socket)
        play("fast", "Bob", seconds: 3, client)
        let states = ["lobby", "question", "locked", "reveal", "finished"]
        for endState in ["finished", "reveal"] {
            for timedState in states {
                let output = client.ask("leaderboard state=\(endState) during=\(timedState) quiz")
                #expect(output.contains(#""session":"fast""#), "\(output)")
            }
        }
        let daemonWithoutJournal = try DaemonProcess(["--clock", "virtual"])
        #expect(
            try Client(daemonWithoutJournal.socket).ask("leaderboard quiz")
                .contains("there is no journal"))
    }
}
