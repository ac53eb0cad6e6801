import Glibc
import Journal
import PostgresTestSupport
import TestSupport
import Testing

@testable import Parts

/// Each family of metrics has a value that a story causes and that the parser of Prometheus reads.
@Suite struct MetricStoriesTests {
    private let folder = Folder()

    /// Starts a daemon with lines of configuration.
    private func start(
        _ lines: String = "", _ arguments: [String] = ["--clock", "virtual"],
        environment: [String] = []
    ) throws -> DaemonProcess {
        let file = folder.write("gamed.conf", "metrics 127.0.0.1:0\n\(lines)")
        return try DaemonProcess(["--config", file] + arguments, environment: environment)
    }

    /// The environment of a daemon whose wall clock is set by `setClock`.
    private func wrongClock(ahead seconds: Int) -> [String] {
        setClock(ahead: seconds)
        let output = ShellCommand.run(
            """
            compiler=$(command -v clang || echo "$(dirname "$(readlink -f "$(command -v swift)")")/clang")
            "$compiler" -shared -fPIC -O1 -o '\(folder.path)/clock.so' Tests/gamedTests/Clients/wall_clock.c
            """)
        #expect(output == "")
        return ["LD_PRELOAD=\(folder.path)/clock.so", "WALL_CLOCK_LEAD=\(folder.path)/lead"]
    }

    /// Sets the wall clock of the daemon ahead of that of the machine.
    private func setClock(ahead seconds: Int) { folder.write("lead", "\(seconds)\n") }

    private var now: Double { Double(time(nil)) }

    /// Reads the samples until `condition` holds for them, and returns them.
    private func samples(
        of daemon: DaemonProcess, until condition: (MetricSamples) -> Bool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> MetricSamples {
        var samples = MetricSamples(of: daemon)
        let isMet = Wait.until {
            samples = MetricSamples(of: daemon)
            return condition(samples)
        }
        #expect(isMet, "\(samples.text)", sourceLocation: sourceLocation)
        return samples
    }

    @Test func `a game: requests, sessions, the journal and its backup`() throws {
        let daemon = try start(
            "", ["--clock", "virtual", "--state-dir", "\(folder.path)/state"])
        let client = try Client(daemon.socket)
        #expect(client.ask("open @two flow=startup").hasPrefix("OK"))
        #expect(client.ask("send startPlaying").hasPrefix("OK"))
        #expect(client.ask("send startPlaying").hasPrefix("ERR noTransition"))
        let backup = ShellCommand.run(
            "gamectl --socket $S backup '\(folder.path)/copy.db'; stat -c %s '\(folder.path)'/state/journal.db",
            daemon)
        let found = MetricSamples(of: daemon)
        for (sample, value) in [
            ("gamed_requests_total{method=send,outcome=ok}", 1.0),
            ("gamed_requests_total{method=send,outcome=refused}", 1),
            ("gamed_request_seconds_count{method=send}", 2),
            ("gamed_transitions_total{flow=game,from=introduction,to=choosingEpisode}", 1),
            ("gamed_refusals_total{flow=game,reason=noTransition,source=unix}", 1),
            ("gamed_sessions{flow=game,state=choosingEpisode}", 1),
            ("gamed_sessions{flow=startup,state=launching}", 1),
            ("gamed_timers{flow=startup}", 1), ("gamed_clients{kind=unix}", 1),
            ("gamed_storage_up", 1), ("gamed_sessions_unread", 0),
        ] { #expect(found[sample] == value, "\(sample) in \(found.text)") }
        // The start of the daemon, two openings and a transition.
        let rows = try #require(found["gamed_journal_rows_total"])
        #expect(rows == found["gamed_commit_rows_sum"] && rows >= 3, "\(found.text)")
        #expect(found["gamed_commit_seconds_count"] ?? 0 >= 2)
        let size = try #require(
            backup.split(separator: "\n").last.flatMap { Double($0) }, "\(backup)")
        #expect(found["gamed_journal_bytes"] ?? 0 >= size && size > 0, "\(found.text)")
        let age = now - (found["gamed_backup_timestamp_seconds"] ?? 0)
        #expect(0..<60 ~= age, "\(found.text)")
        #expect(found["gamed_turn_seconds_count"] ?? 0 > 0)
    }

    @Test func `the process: build, memory, time and files`() throws {
        let daemon = try start()
        let found = MetricSamples(of: daemon)
        #expect(found.sum("gamed_build_info") == 1, "\(found.text)")
        let age = now - (found["process_start_time_seconds"] ?? 0)
        #expect(-1..<60 ~= age, "\(found.text)")
        #expect(found["process_cpu_seconds_total"] ?? 0 > 0)
        let memory = try #require(found["process_resident_memory_bytes"])
        #expect(Double(daemon.memory) / 2..<Double(daemon.memory) * 2 ~= memory)
        #expect(found["process_virtual_memory_bytes"] ?? 0 > memory)
        let files = ShellCommand.run(
            "awk '/open files/ {print $4}' /proc/\(daemon.pid)/limits; ls /proc/\(daemon.pid)/fd | wc -l"
        ).split(separator: "\n").compactMap { Double($0) }
        #expect(found["process_max_fds"] == files.first, "\(found.text)")
        // The connection of the reader is counted, too.
        let difference = (found["process_open_fds"] ?? 0) - (files.last ?? 0)
        #expect(-2...2 ~= difference, "\(files), \(found.text)")
    }

    @Test func `a timer that fires late`() throws {
        let daemon = try start("", ["--limit", "stopped=0"])
        let client = try Client(daemon.socket)
        #expect(client.ask("goto playingLevel {\"episode\":1,\"level\":1}").hasPrefix("OK"))
        #expect(client.ask("timer timeUp set to=1ms").hasPrefix("OK"))
        let found = samples(of: daemon) { $0["gamed_timer_lateness_seconds_count"] ?? 0 >= 1 }
        #expect(found["gamed_timer_lateness_seconds_sum"] ?? 0 > 0, "\(found.text)")
    }

    @Test func `a client that a limit refuses`() throws {
        let daemon = try start("limit requests=1 for=uid:\(getuid())\n")
        let client = try Client(daemon.socket)
        var isLimited = false
        for _ in 0..<10 where !isLimited { isLimited = client.ask("ping").hasPrefix("ERR limit") }
        let limited = "gamed_limited_total{limit=unixRequests,principal=uid:\(getuid())}"
        let found = MetricSamples(of: daemon)
        #expect(isLimited && found[limited] ?? 0 >= 1, "\(found.text)")
    }

    @Test func `each limit that refuses a request counts with its name and the client`() throws {
        let daemon = try start(
            "http 127.0.0.1:0\nallow source:web operate\n", ["--clock", "virtual"])
        let client = try Client(daemon.socket)
        func refusal(_ line: String) -> String { client.ask(line) }
        let long = String(repeating: "x", count: 70_000)
        #expect(refusal(long).hasPrefix("ERR limit"))
        #expect(refusal("{\(long)}").contains(#""which":"lineBytes""#))
        let deep =
            String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        #expect(
            refusal(#"{"jsonrpc":"2.0","id":1,"method":"send","params":\#(deep)}"#)
                .contains(#""which":"depth""#))
        let labels = (1...40).map { "l\($0)=x" }.joined(separator: " ")
        #expect(refusal("label \(labels)").contains("\"labels\""))
        let output = ShellCommand.run(
            """
            cd '\(folder.path)'; head -c 70000 /dev/zero | tr '\\0' x > long; tr -d x < long > short
            head -c 140000 /dev/zero | tr '\\0' x > longer
            send() { curl -s -o /dev/null -w '%{http_code} ' -H 'Content-Type: application/json' "$@"; }
            send --data-binary @long $WEB/v1/rpc; send --data-binary @longer $WEB/v1/rpc
            send -H "X: $(head -c 20000 long)" $WEB/; send --data-binary @long $WEB/v1/send/main/x
            for n in 1 2 3 4 5 6 7; do send -d "{\\"code\\":\\"ABCDE$n\\"}" $WEB/join; done
            """, daemon)
        #expect(output == "413 413 400 413 404 404 404 404 404 429 429 ")
        let found = MetricSamples(of: daemon)
        let (user, host) = ("uid:\(getuid())", "127.0.0.1")
        for (limit, principal, count) in [
            ("lineBytes", user, 2.0), ("depth", user, 1), ("labels", user, 1),
            ("bodyBytes", host, 3), ("headerBytes", host, 1), ("wrongCodes", host, 2),
        ] {
            #expect(
                found["gamed_limited_total{limit=\(limit),principal=\(principal)}"] == count,
                "\(limit): \(found.text)")
        }
    }

    @Test func `each request over HTTP counts once, except those for pages`() throws {
        let daemon = try start(
            "http 127.0.0.1:0\nallow token:desk operate\n", ["--clock", "virtual"])
        let output = ShellCommand.run(
            """
            T=$(gamectl --socket $S token add desk | grep -oE '[0-9a-f]{64}')
            send() { curl -s -m 5 -o /dev/null -w '%{http_code} ' "$@"; }
            json() { send -H 'Content-Type: application/json' "$@"; }
            auth() { json -H "Authorization: Bearer $T" "$@"; }
            send $WEB/; send $WEB/livez; send $WEB/metrics
            send -d "$T" -H 'Content-Type: text/plain' $WEB/v1/login
            auth -d '{"jsonrpc":"2.0","id":1,"method":"ping"}' $WEB/v1/rpc
            auth -d '' $WEB/v1/send/main/startPlaying
            auth -d '' "$WEB/v1/send/main/startPlaying?a=1&a=2"; auth -d '[]' $WEB/v1/rpc
            auth "$WEB/v1/events?topics=x"; auth "$WEB/v1/events?session=nobody"
            json "$WEB/v1/events?session=main"; json -d '{}' -H 'Authorization: Bearer x' $WEB/v1/rpc
            head -c 70000 /dev/zero | tr '\\0' x | auth --data-binary @- $WEB/v1/rpc
            curl -sN -m 60 -H "Authorization: Bearer $T" "$WEB/v1/events?session=main" | head -c 1 >/dev/null
            """, daemon)
        #expect(output == "200 200 200 200 200 200 400 400 400 404 401 401 413 ")
        let found = MetricSamples(of: daemon)
        for (labels, count) in [
            // Signing in, and the stream.
            ("method=other,outcome=ok", 2.0), ("method=ping,outcome=ok", 1),
            ("method=send,outcome=ok", 1), ("method=other,outcome=invalid", 3),
            ("method=other,outcome=refused", 1), ("method=other,outcome=forbidden", 2),
            ("method=other,outcome=limited", 1),
        ] { #expect(found["gamed_requests_total{\(labels)}"] == count, "\(labels): \(found.text)") }
    }

    @Test func `a connection that a time limit ends counts, and is logged`() throws {
        TestCertificates.ofClients.write(to: folder)
        let path = folder.path
        let settings = """
            listen 127.0.0.1:0
            tls-cert \(path)/server.pem
            tls-key \(path)/server.key
            tls-client-ca \(path)/ca.pem
            allow cert:anna play

            """
        let daemon = try start(settings + "limit header=200ms\n")
        let silent = try Client(tcp: daemon.tcpAddress)
        #expect(silent.line() == nil)
        // On a busy machine, the handshake of the next client and the reading of the metrics take longer than a short limit.
        func reload(_ limit: String) throws {
            folder.write("gamed.conf", "metrics 127.0.0.1:0\n\(settings)\(limit)")
            #expect(try Client(daemon.socket).ask("reload").hasPrefix("OK"))
        }
        try reload("limit idle=200ms\n")
        let idle = ShellCommand.run(
            "cd '\(path)'; timeout 60 openssl s_client -connect $LINES -CAfile ca.pem -cert anna.pem -key anna.key -quiet </dev/null 2>/dev/null; echo ended",
            daemon)
        #expect(idle == "ended\n")
        try reload("")
        let found = MetricSamples(of: daemon)
        for limit in ["idleMs", "headerMs"] {
            #expect(found.has("gamed_limited_total", "limit", limit), "\(found.text)")
        }
        #expect(daemon.waitFor("closed, because it has sent no request"))
        #expect(daemon.waitFor("its TLS handshake took too long"))
    }

    @Test func `a request that its rate limit refuses is counted only once`() throws {
        let daemon = try start("limit requests=1 for=uid:\(getuid())\n")
        let client = try Client(daemon.socket)
        var refusals = 0.0
        for line in ["ping", #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, "{", "?"] {
            for _ in 0..<3 where client.ask(line).contains("unixRequests") { refusals += 1 }
        }
        let found = MetricSamples(of: daemon)
        #expect(refusals >= 4 && found.sum("gamed_limited_total") == refusals, "\(found.text)")
    }

    @Test func `devices: connections, inputs, outputs and their alerts`() throws {
        let port = LoopbackPort.findUnused()
        let bell = folder.write("bell", "#!/bin/sh\ncat >/dev/null\n", mode: 0o755)
        let daemon = try start(
            """
            flow quiz
            osc stage listen=127.0.0.1:\(port)
            map osc=stage address=/begin event=start args={"rounds":2}
            serial door \(folder.path)/tty
            on enter=question serial=door line=OPEN once=yes
            on enter=locked serial=door line=CLOSE max-age=1h
            on enter=question run=\(bell)

            """, ["--clock", "virtual", "--outputs", "on"])
        let client = try Client(daemon.socket)
        #expect(client.ask("send start rounds=2").hasPrefix("OK"))
        #expect(client.ask("send buzz player=ann").hasPrefix("OK"))
        _ = ShellCommand.run(
            """
            bash -c "printf '/begin\\0\\0,\\0\\0\\0' >/dev/udp/127.0.0.1/\(port)"
            bash -c "printf '/other\\0\\0,\\0\\0\\0' >/dev/udp/127.0.0.1/\(port)"
            """)
        let run = "gamed_outputs_total{target=run \(bell),result="
        let door = "gamed_outputs_total{target=serial door,result="
        let found = samples(of: daemon) {
            $0["gamed_inputs_total{name=stage}"] == 2 && $0["\(run)delivered}"] == 1
                && $0["\(door)given_up}"] == 1
        }
        for (sample, value) in [
            ("gamed_connection_up{name=stage,kind=osc}", 1.0),
            ("gamed_connection_up{name=door,kind=serial}", 0),
            ("gamed_inputs_unmatched_total{name=stage}", 1),
            ("gamed_outputs_waiting{target=serial door}", 1),
            ("gamed_alerts{kind=output}", 1), ("gamed_alerts{kind=connection}", 1),
        ] { #expect(found[sample] == value, "\(sample) in \(found.text)") }
        #expect(client.ask("outputs off").hasPrefix("OK"))
        #expect(client.ask("send judge correct=false").hasPrefix("OK"))
        _ = samples(of: daemon) { $0["\(run)withheld}"] == 1 }
    }

    @Test func `a certificate that ends`() throws {
        TestCertificates.ofClients.write(to: folder)
        let daemon = try start(
            "listen 127.0.0.1:0\ntls-cert \(folder.path)/server.pem\ntls-key \(folder.path)/server.key\n"
        )
        let end = ShellCommand.run(
            "date +%s -d \"$(openssl x509 -in '\(folder.path)/server.pem' -noout -enddate | cut -d= -f2)\""
        ).prefix { $0 != "\n" }
        let found = MetricSamples(of: daemon)
        let certificate =
            "gamed_certificate_expiry_timestamp_seconds{file=\(folder.path)/server.pem}"
        #expect(found[certificate] == Double(end), "\(end), \(found.text)")
    }

    @Test func `a wall clock that is set`() throws {
        let daemon = try start("", [], environment: wrongClock(ahead: 0))
        #expect(MetricSamples(of: daemon)["gamed_clock_steps_total"] == 0)
        setClock(ahead: 3600)
        _ = samples(of: daemon) { $0["gamed_clock_steps_total"] == 1 }
        setClock(ahead: 0)
        _ = samples(of: daemon) { $0["gamed_clock_steps_total"] == 2 }
    }

    @Test func `a process that stands still`() throws {
        let daemon = try start("", ["--limit", "stopped=1s"])
        daemon.signal(SIGSTOP)
        usleep(2_500_000)
        daemon.signal(SIGCONT)
        #expect(daemon.waitFor("the process stood still for"))
        let found = MetricSamples(of: daemon)
        #expect(found["gamed_stall_seconds_total"] ?? 0 > 1, "\(found.text)")
    }

    /// A daemon with a session that stays in a state longer than in twenty visits before.
    private func daemonWithStuckSession() throws -> DaemonProcess {
        let daemon = try start(
            "", ["--clock", "virtual", "--state-dir", "\(folder.path)/stuck"])
        let client = try Client(daemon.socket)
        for seconds in 1...20 {
            #expect(client.ask("advance \(seconds)s").hasPrefix("OK"))
            #expect(client.ask("goto introduction").hasPrefix("OK"))
        }
        #expect(client.ask("advance 19s").hasPrefix("OK"))
        return daemon
    }

    @Test func `a session that is stuck`() throws {
        let daemon = try daemonWithStuckSession()
        _ = samples(of: daemon) { $0["gamed_sessions_stuck{flow=game}"] == 1 }
    }

    /// A daemon that finds a damaged row of a session in its journal.
    private func daemonWithDamagedJournal(_ state: StateFolder) throws -> DaemonProcess {
        let options = ["--clock", "virtual", "--state-dir", state.path]
        let first = try start("", options)
        #expect(try Client(first.socket).ask("send displayHelp").hasPrefix("OK"))
        first.signal(SIGKILL)
        first.waitForEnd()
        try state.corruptRows { row in
            var body = row.body
            if row.session == "main" { body[body.count / 2] ^= 4 }
            return body
        }
        return try start("", options)
    }

    @Test func `a session that cannot be restored`() throws {
        let state = StateFolder()
        let found = MetricSamples(of: try daemonWithDamagedJournal(state))
        #expect(found.sum("gamed_sessions_quarantined") == 1, "\(found.text)")
        withExtendedLifetime(state) {}
    }

    @Test func `an archive that cannot be written`() throws {
        let archive = folder.write("archive", "a file in the place of the folder\n")
        let daemon = try start(
            "archive \(archive)\n", ["--clock", "virtual", "--state-dir", "\(folder.path)/state"])
        #expect(try Client(daemon.socket).ask("send displayHelp").hasPrefix("OK"))
        _ = samples(of: daemon) { $0["gamed_archive_lag_seconds"] ?? 0 > 0 }
        _ = ShellCommand.run("rm '\(archive)'")
        _ = samples(of: daemon) { $0["gamed_archive_lag_seconds"] == 0 }
    }

    @Test(.enabled(if: PostgresServer.absence == nil))
    func `nodes that share a database: shards, leases and requests that wait`() throws {
        let server = PostgresServer()
        let node = try startNode(server, environment: wrongClock(ahead: 0))
        let client = try Client(node.socket)
        #expect(client.ask("status").hasPrefix("OK"))
        let before = samples(of: node) { $0["gamed_shards"] == 256 }
        #expect(before["gamed_shard_moves_total"] ?? 0 >= 256, "\(before.text)")
        #expect(before["gamed_lease_remaining_seconds"] ?? 0 > 0, "\(before.text)")
        #expect(before["gamed_requests_held"] == 0 && before["gamed_shards_missing"] == 0)
        // The database's clock stays right.
        setClock(ahead: -5)
        _ = samples(of: node) { 4..<6 ~= $0["gamed_clock_skew_seconds"] ?? 0 }
        setClock(ahead: 0)
        server.stop()
        _ = samples(of: node) { $0["gamed_shards_missing"] == 256 }
        client.write("send displayHelp\n")
        let after = samples(of: node) { $0["gamed_requests_held"] == 1 }
        #expect(after["gamed_lease_remaining_seconds"] == 0, "\(after.text)")
    }

    /// A node with a database of its own.
    private func startNode(_ server: PostgresServer, environment: [String] = []) throws
        -> DaemonProcess
    {
        let url = server.url(server.makeDatabase())
        #expect(try DaemonProcess(["--store", url, "--prepare"]).waitForEnd() == 0)
        return try start("", ["--store", url, "--node", "a"], environment: environment)
    }

    /// The labels of samples that only a node with a database has, for a machine without PostgreSQL.
    private static let labelsOfNodes: [String: Set<String>] = [
        "gamed_shards": [], "gamed_shards_missing": [], "gamed_shard_moves_total": [],
        "gamed_lease_remaining_seconds": [], "gamed_requests_held": [],
        "gamed_clock_skew_seconds": [],
    ]

    /// The names are those that a scraper gets, and not those of the table of families.
    @Test func `the dashboard and the rules use names and labels that a daemon's metrics have`()
        throws
    {
        TestCertificates.ofClients.write(to: folder)
        let port = LoopbackPort.findUnused()
        let daemon = try start(
            """
            flow quiz
            listen 127.0.0.1:0
            tls-cert \(folder.path)/server.pem
            tls-key \(folder.path)/server.key
            osc stage listen=127.0.0.1:\(port)
            map osc=stage address=/begin event=start args={"rounds":2}
            serial door \(folder.path)/tty
            on enter=question serial=door line=OPEN once=yes
            archive \(folder.path)/archive

            """,
            [
                "--clock", "virtual", "--outputs", "on", "--state-dir", "\(folder.path)/state",
            ])
        let client = try Client(daemon.socket)
        #expect(client.ask("send start rounds=2").hasPrefix("OK"))
        #expect(client.ask("send start rounds=2").hasPrefix("ERR"))
        _ = ShellCommand.run(
            "bash -c \"printf '/other\\0\\0,\\0\\0\\0' >/dev/udp/127.0.0.1/\(port)\"")
        let found = samples(of: daemon) {
            $0["gamed_inputs_unmatched_total{name=stage}"] == 1
                && $0["gamed_outputs_total{target=serial door,result=given_up}"] == 1
        }
        let limiting = try start("limit requests=1 for=uid:\(getuid())\n")
        let limited = try Client(limiting.socket)
        for _ in 0..<10 where limited.ask("ping").hasPrefix("OK") {}
        let stuck = try daemonWithStuckSession()
        let state = StateFolder()
        var pages = [
            found, MetricSamples(of: limiting),
            samples(of: stuck) { $0.sum("gamed_sessions_stuck") == 1 },
            MetricSamples(of: try daemonWithDamagedJournal(state)),
        ]
        if PostgresServer.absence == nil {
            let node = try startNode(PostgresServer.shared)
            pages.append(samples(of: node) { $0["gamed_shards"] == 256 })
        }
        withExtendedLifetime(state) {}

        func labels(_ name: String) -> Set<String>? {
            let sets = pages.compactMap { $0.labels(of: name) }
            guard sets.isEmpty else { return sets.reduce([]) { $0.union($1) } }
            return PostgresServer.absence == nil ? nil : Self.labelsOfNodes[name]
        }
        let queries = try MetricQuery.ofDashboard() + MetricQuery.ofRules()
        #expect(queries.count > 50)
        for query in queries {
            #expect(query.mistakes(labels).isEmpty, "\(query.text)")
            // A value that is asked for must be one that the daemon writes.
            for selector in query.selectors {
                for matcher in selector.matchers
                where matcher.comparison == "=" && matcher.label != "job" {
                    #expect(
                        pages.contains { $0.has(selector.metric, matcher.label, matcher.value) },
                        "\(query.text)")
                }
            }
        }
    }

    @Test func `no family is without a story`() {
        let stories = RepositoryFile.text("Tests/gamedTests/MetricStoriesTests.swift")
        for family in MetricFamily.all {
            let names = ["", "_total", "_count", "_sum", "_info"].map { "\"\(family.name)\($0)" }
            let isTold = names.contains { name in
                ["\"", "{"].contains { stories.contains(name + $0) }
            }
            #expect(isTold, "\(family.name)")
        }
    }
}
