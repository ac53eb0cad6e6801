import Connections
import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// Event streams of the sessions of several nodes, read with curl.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct EventStreamNodesTests {
    private let cluster: ClusterFixture
    private let names = (1...6).map { "s\($0)" }

    init() throws { cluster = try ClusterFixture() }

    private func startNode(_ name: String, _ port: Int) throws -> DaemonProcess {
        try cluster.startNode(name, "allow source:web observe\n", ["--http", "127.0.0.1:\(port)"])
    }

    /// Reads a node's stream after the event with this id, until `count` lines match a pattern. Returns all lines.
    private func readStream(
        _ node: DaemonProcess, after id: String? = nil, until pattern: String = "event: snapshot",
        count: Int = 1, while command: String = ":"
    ) -> [String] {
        let header = id.map { "-H 'Last-Event-ID: \($0)'" } ?? ""
        let output = EventStream.read(
            "\(header) \"$WEB/v1/events?session=*\"", node,
            while: command, until: pattern, count: count)
        return output.split(separator: "\n").map(String.init)
    }

    /// The id of the newest event that has an id.
    private func lastID(_ lines: [String]) -> String? {
        lines.last { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) }
    }

    /// The changes in their order, each as its session and its `seq`, such as `s1 2`.
    private func changes(_ lines: [String]) -> [String] {
        zip(lines, lines.dropFirst()).filter { $0.0 == "event: change" }.map { _, data in
            let session = data.split(separator: "\"session\":\"").last ?? ""
            let seq = data.firstRange(of: "\"seq\":").map {
                data[$0.upperBound...].prefix(while: \.isNumber)
            }
            return "\(session.prefix { $0 != "\"" }) \(seq ?? "")"
        }
    }

    @Test
    func `a stream continues at any node after the last event, and misses or repeats no change`()
        throws
    {
        let ports = [LoopbackPort.findUnused(), LoopbackPort.findUnused()]
        let nodes = [try startNode("a", ports[0]), try startNode("b", ports[1])]
        defer { withExtendedLifetime(nodes) {} }
        try cluster.waitForBalancedShards(of: nodes)
        let client = try Client(nodes[0].socket)
        for name in names { #expect(client.ask("open @\(name) flow=game").hasPrefix("OK")) }
        let firstLines = readStream(nodes[0])
        #expect(firstLines.contains("event: snapshot") && changes(firstLines).isEmpty)
        var id = try #require(lastID(firstLines), "the snapshot has no id: \(firstLines)")
        for (round, event) in ["displayHelp", "dismissHelp"].enumerated() {
            for name in names { #expect(client.ask("send @\(name) \(event)").hasPrefix("OK")) }
            // The first round reads the stream at node a, the second at node b.
            let lines = readStream(
                nodes[round], after: id, until: "event: change", count: names.count)
            #expect(lines.contains("event: snapshot"))
            #expect(changes(lines).sorted() == names.map { "\($0) \(round + 2)" }, "\(lines)")
            #expect(!lines.contains("event: gap"))
            // The snapshot comes before the missed changes, but is newer than these. It has no id: a client that continued
            // after the snapshot's id would not get the missed changes.
            #expect(lines.firstIndex { $0.hasPrefix("id: ") } ?? 0 > 2, "\(lines)")
            id = try #require(lastID(lines))
        }
        let laterLines = readStream(nodes[0], after: id)
        #expect(changes(laterLines).isEmpty && !laterLines.contains("event: gap"), "\(laterLines)")
        // With an id of another daemon the stream begins again. An id that no node has made is refused.
        #expect(lastID(readStream(nodes[0], after: "other:m1.1")) != nil)
        let instance = id.prefix { $0 != ":" }
        let response = ShellCommand.run(
            "curl -s -H 'Last-Event-ID: \(instance):x' 'http://127.0.0.1:\(ports[0])/v1/events?session=*'"
        )
        #expect(response.contains("since: expected INSTANCE:CURSOR"), "\(response)")

        // Node b is killed, and then each session changes. The stream continues after an id from before the kill. The new owner
        // of the shards of node b may not remember all changes since that id. Then one gap replaces the missed changes.
        nodes[1].signal(SIGKILL)
        nodes[1].waitForEnd()
        try cluster.waitForBalancedShards(of: [nodes[0]])
        for name in names { #expect(client.ask("send @\(name) displayHelp").hasPrefix("OK")) }
        // The stream sends the missed changes, or the gap, before the changes that these commands make.
        let laterCommands = names.map { "gamectl --socket $S send @\($0) dismissHelp >/dev/null" }
        let linesAfterKill = readStream(
            nodes[0], after: id, until: "^data:.*\"name\":\"dismissHelp\"", count: names.count,
            while: laterCommands.joined(separator: "; "))
        // The missed changes have the `seq` 4.
        let receivedMissedChanges = Set(changes(linesAfterKill).filter { $0.hasSuffix(" 4") })
        let gapCount = linesAfterKill.count { $0 == "event: gap" }
        #expect(
            gapCount <= 1 && (gapCount == 1 || receivedMissedChanges.count == names.count),
            "\(linesAfterKill)")
        let newestID = try #require(lastID(linesAfterKill))
        #expect(changes(readStream(nodes[0], after: newestID)).isEmpty)
    }
}
