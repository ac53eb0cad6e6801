import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// Event streams of all sessions of several nodes, as curl sees them.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct EventStreamNodesTests {
    private let room: NodeRoom
    private let names = (1...6).map { "s\($0)" }

    init() throws { room = try NodeRoom() }

    private func node(_ name: String, _ port: Int) throws -> DaemonProcess {
        try room.node(name, "allow source:web observe\n", ["--http", "127.0.0.1:\(port)"])
    }

    /// The lines of a node's stream after the event with this id, as soon as `count` of them match a pattern.
    private func stream(
        _ node: DaemonProcess, after id: String? = nil, until pattern: String = "event: snapshot",
        count: Int = 1, while command: String = ":"
    ) -> [String] {
        let header = id.map { "-H 'Last-Event-ID: \($0)'" } ?? ""
        let output = EventStream.read(
            "\(header) \"$WEB/v1/events?session=*\"", node,
            while: command, until: pattern, count: count)
        return output.split(separator: "\n").map(String.init)
    }

    private func lastID(_ lines: [String]) -> String? {
        lines.last { $0.hasPrefix("id: ") }.map { String($0.dropFirst(4)) }
    }

    /// The sessions and numbers of the changes, in their order.
    private func changes(_ lines: [String]) -> [String] {
        zip(lines, lines.dropFirst()).filter { $0.0 == "event: change" }.map { _, data in
            let rest = data.split(separator: "\"session\":\"").last ?? ""
            let seq = data.firstRange(of: "\"seq\":").map {
                data[$0.upperBound...].prefix(while: \.isNumber)
            }
            return "\(rest.prefix { $0 != "\"" }) \(seq ?? "")"
        }
    }

    @Test
    func `a stream continues after the last event, at each node, and misses and repeats nothing`()
        throws
    {
        let ports = [ClusterTests.freePort(), ClusterTests.freePort()]
        let nodes = [try node("a", ports[0]), try node("b", ports[1])]
        defer { withExtendedLifetime(nodes) {} }
        try room.waitForShares(of: nodes)
        let client = try Client(nodes[0].socket)
        for name in names { #expect(client.ask("open @\(name) flow=game").hasPrefix("OK")) }
        let first = stream(nodes[0])
        #expect(first.contains("event: snapshot") && changes(first).isEmpty)
        var id = try #require(lastID(first), "the snapshot has no id: \(first)")
        for (round, event) in ["displayHelp", "dismissHelp"].enumerated() {
            for name in names { #expect(client.ask("send @\(name) \(event)").hasPrefix("OK")) }
            // The second time at the other node.
            let next = stream(
                nodes[round], after: id, until: "event: change", count: names.count)
            #expect(next.contains("event: snapshot"))
            #expect(changes(next).sorted() == names.map { "\($0) \(round + 2)" }, "\(next)")
            #expect(!next.contains("event: gap"))
            // The snapshot is newer than what was missed, so it has no id.
            #expect(next.firstIndex { $0.hasPrefix("id: ") } ?? 0 > 2, "\(next)")
            id = try #require(lastID(next))
        }
        let rest = stream(nodes[0], after: id)
        #expect(changes(rest).isEmpty && !rest.contains("event: gap"), "\(rest)")
        // The id of another daemon begins the stream again; one that no node made is refused.
        #expect(lastID(stream(nodes[0], after: "other:m1.1")) != nil)
        let instance = id.prefix { $0 != ":" }
        let odd = ShellCommand.run(
            "curl -s -H 'Last-Event-ID: \(instance):x' 'http://127.0.0.1:\(ports[0])/v1/events?session=*'"
        )
        #expect(odd.contains("since: expected INSTANCE:CURSOR"), "\(odd)")

        // What a new owner does not remember is replaced by one gap.
        nodes[1].signal(SIGKILL)
        nodes[1].waitForEnd()
        try room.waitForShares(of: [nodes[0]])
        for name in names { #expect(client.ask("send @\(name) displayHelp").hasPrefix("OK")) }
        // The stream has sent what was missed when it sends the next changes.
        let next = names.map { "gamectl --socket $S send @\($0) dismissHelp >/dev/null" }
        let after = stream(
            nodes[0], after: id, until: "^data:.*\"name\":\"dismissHelp\"", count: names.count,
            while: next.joined(separator: "; "))
        let seen = Set(changes(after).filter { $0.hasSuffix(" 4") })
        let gaps = after.count { $0 == "event: gap" }
        #expect(gaps <= 1 && (gaps == 1 || seen.count == names.count), "\(after)")
        let end = try #require(lastID(after))
        #expect(changes(stream(nodes[0], after: end)).isEmpty)
    }
}
