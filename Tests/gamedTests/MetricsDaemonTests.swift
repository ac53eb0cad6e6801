import Glibc
import TestSupport
import Testing

/// The metrics of a running daemon.
@Suite struct MetricsDaemonTests {
    private let folder = Folder()

    private func start(_ lines: String, _ arguments: [String] = []) throws -> DaemonProcess {
        let file = folder.write("gamed.conf", "http 127.0.0.1:0\nmetrics 127.0.0.1:0\n\(lines)")
        return try DaemonProcess(["--config", file, "--clock", "virtual"] + arguments)
    }

    /// The samples that all readers get.
    private func open(_ daemon: DaemonProcess) -> String {
        ShellCommand.run("curl -sS -m 60 $WEB/metrics | grep -v '^#'", daemon)
    }

    /// All samples.
    private func all(_ daemon: DaemonProcess) -> String {
        ShellCommand.run("curl -sS -m 60 $METRICS/metrics | grep -v '^#'", daemon)
    }

    @Test func `requests, transitions, refusals, sessions and timers are counted by flow`() throws {
        let daemon = try start("", ["--state-dir", "\(folder.path)/state"])
        let client = try Client(daemon.socket)
        #expect(client.ask("open @two flow=quiz").hasPrefix("OK"))
        #expect(client.ask("send startPlaying").hasPrefix("OK"))
        #expect(client.ask("send startPlaying").hasPrefix("ERR noTransition"))
        #expect(client.ask("send nothing").hasPrefix("ERR unknownEvent"))
        #expect(client.ask("advance 5s").hasPrefix("OK"))
        let metrics = all(daemon)
        for line in [
            #"gamed_requests_total{method="send",outcome="ok"} 1"#,
            #"gamed_requests_total{method="send",outcome="refused"} 2"#,
            #"gamed_request_seconds_count{method="send"} 3"#,
            #"gamed_transitions_total{flow="game",from="introduction",to="choosingEpisode"} 1"#,
            #"gamed_refusals_total{flow="game",reason="noTransition",source="unix"} 1"#,
            #"gamed_sessions{flow="game",state="choosingEpisode"} 1"#,
            #"gamed_clients{kind="unix"} 1"#, "gamed_storage_up 1", "gamed_sessions_unread 0",
            "gamed_backup_timestamp_seconds 0",
        ] { #expect(metrics.contains("\(line)\n"), "\(line) is not in \(metrics)") }
        #expect(metrics.contains(#"gamed_sessions{flow="quiz",state=""#), "\(metrics)")
        #expect(metrics.contains("gamed_journal_bytes "), "\(metrics)")
        #expect(!metrics.contains("gamed_commit_rows_count 0"), "\(metrics)")
        // A reader without rights gets no label that names somebody.
        #expect(
            open(daemon).contains(#"gamed_refusals_total{flow="game",reason="noTransition"} 1"#))
    }

    @Test func `a timer that is late is late in the metrics`() throws {
        let file = folder.write("gamed.conf", "http 127.0.0.1:0\n")
        let daemon = try DaemonProcess(["--config", file, "--limit", "stopped=0"])
        let client = try Client(daemon.socket)
        #expect(client.ask("send startPlaying").hasPrefix("OK"))
        #expect(client.ask("goto playingLevel {\"episode\":1,\"level\":1}").hasPrefix("OK"))
        #expect(client.ask("timer timeUp set to=1ms").hasPrefix("OK"))
        #expect(client.ask("ping").hasPrefix("OK"))
        var metrics = open(daemon)
        while metrics.contains("gamed_timer_lateness_seconds_count 0\n") { metrics = open(daemon) }
        #expect(metrics.contains("gamed_timer_lateness_seconds_sum 0."), "\(metrics)")
    }

    @Test func `a backup has a time, also after a restart`() throws {
        let state = ["--state-dir", "\(folder.path)/state"]
        var daemon = try start("", state)
        let output = ShellCommand.run(
            "gamectl --socket $S backup '\(folder.path)/copy.db'; date +%s", daemon)
        let now = output.split(separator: "\n").last.flatMap { Int($0) } ?? 0
        func time() -> Int? {
            all(daemon).split(separator: "\n").first {
                $0.hasPrefix("gamed_backup_timestamp_seconds ")
            }.flatMap { Int($0.split(separator: " ")[1]) }
        }
        let first = try #require(time())
        #expect(now - first < 60 && first <= now, "\(output)")
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd() == 0)
        daemon = try start("", state)
        #expect(time() == first)
    }

    @Test func `a limited client has a series of its own for those who may operate everything`()
        throws
    {
        let daemon = try start(
            """
            limit requests=1
            allow token:desk operate
            allow source:web observe

            """)
        let token = ShellCommand.run("gamectl --socket $S token add desk", daemon)
            .prefix { $0 != "\n" }
        let statuses = ShellCommand.run(
            """
            for i in 1 2 3 4 5 6; do
                curl -s -o /dev/null -w '%{http_code} ' -H 'Authorization: Bearer \(token)' $WEB/readyz; done
            """, daemon)
        #expect(statuses.contains("429"))
        // Without the token, the account is the host's. It may make one request.
        let metrics = all(daemon)
        for line in [
            #"gamed_limited_total{limit="requests",principal="token:desk"} "#,
            #"gamed_requests_total{method="other",outcome="limited"} "#,
        ] { #expect(metrics.contains(line), "\(metrics)") }
    }

    @Test func `a token that may operate every session reads all labels at the web address`() throws
    {
        let daemon = try start("allow token:desk operate\nallow token:one operate session=main\n")
        for (name, isComplete) in [("desk", true), ("one", false)] {
            let token = ShellCommand.run("gamectl --socket $S token add \(name)", daemon)
                .prefix { $0 != "\n" }
            _ = try Client(daemon.socket).ask("send finish")
            _ = try Client(daemon.socket).ask("send completeLevel score=1")
            let metrics = ShellCommand.run(
                "curl -s -H 'Authorization: Bearer \(token)' $WEB/metrics", daemon)
            #expect(metrics.contains(#"source="unix""#) == isComplete, "\(name): \(metrics)")
        }
    }

    @Test func `more sessions than are counted at once are counted in several turns`() throws {
        let lines = (1...10_050).map { "open @s\($0) flow=startup" }
        let daemon = try start("")
        let client = try Client(daemon.socket)
        for start in stride(from: 0, to: lines.count, by: 50) {
            let batch = lines[start..<min(start + 50, lines.count)]
            client.write(batch.joined(separator: "\n") + "\n")
            for _ in batch { #expect(client.line()?.hasPrefix("OK") == true) }
        }
        let expected = "gamed_sessions{flow=\"startup\",state=\"launching\"} 10050\n"
        // The first reading begins to count.
        #expect(!all(daemon).contains(expected))
        var metrics = all(daemon)
        for _ in 0..<1000 where !metrics.contains(expected) { metrics = all(daemon) }
        #expect(metrics.contains(expected))
        #expect(metrics.contains("gamed_timers{flow=\"startup\"} 10050\n"))
    }
}
