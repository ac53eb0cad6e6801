import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// Stuck sessions of several nodes.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct StuckInDatabaseTests {
    private let room: NodeRoom

    init() throws { room = try NodeRoom() }

    /// Asks until the answer contains some words.
    private func expect(_ words: String, _ line: String, _ client: Client) {
        let answer = client.ask(line, until: words)
        #expect(answer.contains(words), "\(line)")
    }

    /// A program that appends what it gets to a file.
    private func alarm() -> String {
        let path = room.folder.write(
            "alarm",
            "#!/bin/sh\ncat >> '\(room.folder.path)/alarms'\necho >> '\(room.folder.path)/alarms'\n"
        )
        _ = PostgresServer.shell("chmod 755 '\(path)'")
        return path
    }

    /// The ids of the outputs. An owner that is killed before it has recorded a delivery lets the next one repeat it.
    private var alarms: Set<Substring> {
        let lines = ShellCommand.run("cat '\(room.folder.path)/alarms' 2>/dev/null")
        return Set(lines.split(separator: "\n").map { $0.prefix { $0 != "," } })
    }

    /// Waits until that many outputs were sent.
    private func waitForAlarms(_ count: Int) -> Bool { Wait.until { alarms.count >= count } }

    @Test
    func
        `the owner marks and reports a stuck session once in each entry, and the next owner goes on`()
        throws
    {
        let lines = "on stuck session=s* run=\(alarm())\n"
        let nodes = [try room.node("a", lines), try room.node("b", lines)]
        defer { withExtendedLifetime(nodes) {} }
        try room.waitForShares(of: nodes)
        let clients = try nodes.map { try Client($0.socket) }
        let watchers = try nodes.map { try Client($0.socket) }
        for watcher in watchers {
            #expect(watcher.ask("watch @* topics=stuck").hasPrefix("OK"))
        }
        // Whichever node owns it, both see it.
        #expect(clients[0].ask("open @s1 flow=game").hasPrefix("OK"))
        for _ in 1...21 { #expect(clients[0].ask("goto @s1 introduction").hasPrefix("OK")) }
        for client in clients {
            expect(#""stuck":true"#, "status @s1", client)
            expect(#""stuck":true"#, "list", client)
        }
        for watcher in watchers {
            let notification = watcher.line() ?? ""
            #expect(notification.contains(#""method":"stuck""#), "\(notification)")
            #expect(notification.contains(#""session":"s1""#), "\(notification)")
        }
        #expect(waitForAlarms(1))

        // The owner dies. The next one marks the session again, and reports nothing again.
        let owner = clients[0].ask("hello redirects=true").hasPrefix("OK")
        #expect(owner)
        let isElsewhere = clients[0].ask("status @s1").hasPrefix("ERR elsewhere")
        #expect(clients[0].ask("hello redirects=false").hasPrefix("OK"))
        let (killed, left) = isElsewhere ? (1, 0) : (0, 1)
        nodes[killed].signal(SIGKILL)
        nodes[killed].waitForEnd()
        expect(#""stuck":true"#, "status @s1", clients[left])
        #expect(alarms.count == 1, "\(alarms)")

        // A further entry is reported, by the visits that the earlier owner had.
        #expect(clients[left].ask("goto @s1 introduction").hasPrefix("OK"))
        expect(#""stuck":true"#, "status @s1", clients[left])
        #expect(waitForAlarms(2))
        #expect(alarms.count == 2 && alarms.allSatisfy { $0.contains(":s1:s") }, "\(alarms)")
    }

    @Test func `a session is compared with the visits of sessions in all shards of its node`()
        throws
    {
        let node = try room.node("a", "", ["--http", "127.0.0.1:0"])
        defer { withExtendedLifetime(node) {} }
        let client = try Client(node.socket)
        for number in 1...20 {
            #expect(client.ask("open @v\(number) flow=game").hasPrefix("OK"))
            #expect(client.ask("close @v\(number)").hasPrefix("OK"))
        }
        #expect(client.ask("open @late flow=game").hasPrefix("OK"))
        expect(#""stuck":true"#, "status @late", client)
        let metrics = ShellCommand.run("curl -s $WEB/metrics", node)
        #expect(metrics.contains("gamed_sessions_stuck 1\n"), "\(metrics)")

        // After a restart too.
        node.signal(SIGTERM)
        node.waitForEnd()
        let next = try room.node("a", "")
        defer { withExtendedLifetime(next) {} }
        expect(#""stuck":true"#, "status @late", try Client(next.socket))
    }
}
