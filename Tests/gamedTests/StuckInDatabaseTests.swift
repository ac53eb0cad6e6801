import Connections
import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// Stuck sessions of several nodes.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct StuckInDatabaseTests {
    private let cluster: ClusterFixture

    init() throws { cluster = try ClusterFixture() }

    /// Repeats a request until the answer contains some words. The test fails if no answer contains them.
    private func expectAnswer(_ words: String, to line: String, from client: Client) {
        let answer = client.ask(line, until: words)
        #expect(answer.contains(words), "\(line)")
    }

    /// Writes a program that appends its input to the file `alarms`, and returns the path of the program.
    private func writeAlarmProgram() -> String {
        let path = cluster.folder.write(
            "alarm",
            "#!/bin/sh\ncat >> '\(cluster.folder.path)/alarms'\necho >> '\(cluster.folder.path)/alarms'\n"
        )
        _ = PostgresServer.shell("chmod 755 '\(path)'")
        return path
    }

    /// The ids of the outputs that the alarm program has received. The program may receive an output twice: the next owner
    /// sends the output again if the killed owner had not recorded the delivery.
    private var alarmIDs: Set<Substring> {
        let lines = ShellCommand.run("cat '\(cluster.folder.path)/alarms' 2>/dev/null")
        return Set(lines.split(separator: "\n").map { $0.prefix { $0 != "," } })
    }

    /// Waits until at least `count` outputs have been sent.
    private func waitForAlarms(_ count: Int) -> Bool { Wait.until { alarmIDs.count >= count } }

    @Test
    func `a stuck session is reported once in each entry, also if its owner changes`()
        throws
    {
        let configuration = "on stuck session=s* run=\(writeAlarmProgram())\n"
        let nodes = [
            try cluster.startNode("a", configuration), try cluster.startNode("b", configuration),
        ]
        defer { withExtendedLifetime(nodes) {} }
        try cluster.waitForBalancedShards(of: nodes)
        let clients = try nodes.map { try Client($0.socket) }
        let watchers = try nodes.map { try Client($0.socket) }
        for watcher in watchers {
            #expect(watcher.ask("watch @* topics=stuck").hasPrefix("OK"))
        }
        // The session ends 20 visits almost at once, which are as many as the comparison needs. The present visit is soon
        // longer than these visits, so the session is stuck. Both nodes say so: the owner of the session and the other node.
        // After a further visit that one could be stuck as well, if the machine is slow.
        #expect(clients[0].ask("open @s1 flow=game").hasPrefix("OK"))
        for _ in 1...20 { #expect(clients[0].ask("goto @s1 introduction").hasPrefix("OK")) }
        for client in clients {
            expectAnswer(#""stuck":true"#, to: "status @s1", from: client)
            expectAnswer(#""stuck":true"#, to: "list", from: client)
        }
        for watcher in watchers {
            let notification = watcher.line() ?? ""
            #expect(notification.contains(#""method":"stuck""#), "\(notification)")
            #expect(notification.contains(#""session":"s1""#), "\(notification)")
        }
        #expect(waitForAlarms(1))

        // Finds the owner: after `hello redirects=true` a node answers `elsewhere` if the other node owns the session.
        let acceptsRedirects = clients[0].ask("hello redirects=true").hasPrefix("OK")
        #expect(acceptsRedirects)
        let isElsewhere = clients[0].ask("status @s1").hasPrefix("ERR elsewhere")
        #expect(clients[0].ask("hello redirects=false").hasPrefix("OK"))
        let (owner, nextOwner) = isElsewhere ? (1, 0) : (0, 1)
        // The owner is killed. The next owner marks the session as stuck again, but does not report it again.
        nodes[owner].signal(SIGKILL)
        nodes[owner].waitForEnd()
        expectAnswer(#""stuck":true"#, to: "status @s1", from: clients[nextOwner])
        #expect(alarmIDs.count == 1, "\(alarmIDs)")

        // A further entry is reported, because the next owner knows the visits that the earlier owner counted.
        #expect(clients[nextOwner].ask("goto @s1 introduction").hasPrefix("OK"))
        expectAnswer(#""stuck":true"#, to: "status @s1", from: clients[nextOwner])
        #expect(waitForAlarms(2))
        #expect(alarmIDs.count == 2 && alarmIDs.allSatisfy { $0.contains(":s1:s") }, "\(alarmIDs)")
    }

    @Test func `a session is compared with the visits of sessions in all shards of its node`()
        throws
    {
        let node = try cluster.startNode("a", "", ["--http", "127.0.0.1:0"])
        defer { withExtendedLifetime(node) {} }
        let client = try Client(node.socket)
        for number in 1...20 {
            #expect(client.ask("open @v\(number) flow=game").hasPrefix("OK"))
            #expect(client.ask("close @v\(number)").hasPrefix("OK"))
        }
        #expect(client.ask("open @late flow=game").hasPrefix("OK"))
        expectAnswer(#""stuck":true"#, to: "status @late", from: client)
        let metrics = ShellCommand.run("curl -s $WEB/metrics", node)
        #expect(metrics.contains("gamed_sessions_stuck{flow=\"game\"} 1\n"), "\(metrics)")

        // The session is also stuck after a restart.
        node.signal(SIGTERM)
        node.waitForEnd()
        let restartedNode = try cluster.startNode("a")
        defer { withExtendedLifetime(restartedNode) {} }
        expectAnswer(#""stuck":true"#, to: "status @late", from: try Client(restartedNode.socket))
    }
}
