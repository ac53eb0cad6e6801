import Connections
import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// The timers of sessions whose owner changes, with a database.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct HandOverInDatabaseTests {
    private let cluster: ClusterFixture
    private let names = (1...12).map { "s\($0)" }

    init() throws {
        cluster = try ClusterFixture()
        cluster.folder.write(
            "safe.yaml",
            """
            flow: safe
            start: open

            events:
              turn:

            states:
              open:
                timers:
                  byDeadline: {after: 1h}
                  byRemaining: {after: 1h, restart: remaining}
                  byRestart: {after: 1h, restart: restart}
                  dropped: {after: 1h, restart: drop}
                on:
                  turn, byDeadline, byRemaining, byRestart, dropped: shut

              shut:
                final: true

            """)
    }

    private func startNode(_ name: String) throws -> DaemonProcess {
        try cluster.startNode(name, "", ["--flows", cluster.folder.path])
    }

    /// The remaining time of each timer of a session, in milliseconds, by the name of its signal.
    private func remainingTimes(_ name: String, _ client: Client) -> [String: Int] {
        var remainingMs: [String: Int] = [:]
        let status = client.ask("status @\(name)")
        for timer in status.split(separator: #"{"fires":""#).dropFirst() {
            let end = timer.split(separator: #""remainingMs":"#).last ?? ""
            remainingMs[String(timer.prefix { $0 != "\"" })] = Int(end.prefix(while: \.isNumber))
        }
        return remainingMs
    }

    /// Checks that no timer was set again. All timers of a session were set at the same instant with the same duration. So
    /// unchanged timers have the same remaining time.
    private func expectUnchangedTimers(_ client: Client, _ situation: Comment) {
        for name in names {
            let times = remainingTimes(name, client)
            #expect(
                times.count == 4 && Set(times.values).count == 1,
                "\(situation): \(name) \(times)")
        }
    }

    @Test
    func
        `timers continue after a hand-over; after the owner is killed, they restart as the flow declares`()
        throws
    {
        let a = try startNode("a")
        let client = try Client(a.socket)
        for name in names { #expect(client.ask("open @\(name) flow=safe").hasPrefix("OK")) }
        let b = try startNode("b")
        try cluster.waitForBalancedShards(of: [a, b])
        expectUnchangedTimers(client, "a node has joined")
        b.signal(SIGTERM)
        b.waitForEnd()
        try cluster.waitForBalancedShards(of: [a])
        expectUnchangedTimers(client, "a node has ended")

        // Node c acquires half of the shards. Node a acquires them again after the death of node c.
        let c = try startNode("c")
        try cluster.waitForBalancedShards(of: [a, c])
        c.signal(SIGKILL)
        c.waitForEnd()
        try cluster.waitForBalancedShards(of: [a])
        var restartedCount = 0
        for name in names {
            let times = remainingTimes(name, client)
            guard times["dropped"] == nil else { continue }
            restartedCount += 1
            #expect(times["byRestart"] ?? 0 > times["byRemaining"] ?? 0, "\(name) \(times)")
            #expect(times["byRemaining"] ?? 0 > times["byDeadline"] ?? 0, "\(name) \(times)")
        }
        #expect(
            restartedCount > 0 && restartedCount < names.count,
            "of 12 sessions, node c had \(restartedCount)")
        let check = ShellCommand.run("gamectl journal check '\(cluster.url)'", a)
        #expect(check.hasSuffix("sound\n"), "\(check)")
        let exported = ShellCommand.run("gamectl journal export '\(cluster.url)'", a)
        #expect(exported.contains(#""handOver":true"#))

        // Node d starts when no other node runs. Between the end of node a and the start of node d no node fired timers. So the
        // timers restart as the flow declares, although node a has ended properly.
        a.signal(SIGTERM)
        a.waitForEnd()
        let d = try startNode("d")
        let clientOfD = try Client(d.socket)
        for name in names { #expect(remainingTimes(name, clientOfD)["dropped"] == nil, "\(name)") }
        let replay = ShellCommand.run("gamectl replay '\(cluster.url)' 2>&1; echo $?", d)
        #expect(replay.hasSuffix("\n0\n"), "\(replay)")
    }
}
