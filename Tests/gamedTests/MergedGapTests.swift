import Connections
import Glibc
import PostgresTestSupport
import Testing

/// The notifications of a client that watches the sessions of all nodes from a cursor on.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct MergedGapTests {
    private let cluster: ClusterFixture
    private let sessions = (1...8).map { "s\($0)" }

    init() throws { cluster = try ClusterFixture() }

    private func cursor(in reply: String) -> String {
        guard let start = reply.firstRange(of: #""cursor":""#)?.upperBound else { return "" }
        return String(reply[start...].prefix { $0 != "\"" })
    }

    @Test
    func `missed changes are sent as changes if they are remembered, otherwise as one gap`()
        throws
    {
        var nodes = [try cluster.startNode("a"), try cluster.startNode("b")]
        try cluster.waitForBalancedShards(of: nodes)
        defer { withExtendedLifetime(nodes) {} }
        let client = try Client(nodes[0].socket)
        for name in sessions { #expect(client.ask("open @\(name) flow=game").hasPrefix("OK")) }
        let startCursor = cursor(in: try Client(nodes[0].socket).ask("watch @*"))
        for name in sessions { #expect(client.ask("label @\(name) team=red").hasPrefix("OK")) }

        // The owners of the sessions remember the changes.
        let earlyWatcher = try Client(nodes[1].socket)
        #expect(earlyWatcher.ask("watch @* since=\(startCursor)").hasPrefix("OK"))
        let changes = sessions.map { _ in earlyWatcher.line() ?? "" }
        #expect(changes.allSatisfy { $0.contains(#""method":"change""#) }, "\(changes)")

        // After a restart the owners do not remember the changes.
        for node in nodes { node.signal(SIGTERM) }
        for node in nodes { #expect(node.waitForEnd() == 0) }
        nodes = [try cluster.startNode("a"), try cluster.startNode("b")]
        try cluster.waitForBalancedShards(of: nodes)
        let lateWatcher = try Client(nodes[0].socket)
        #expect(lateWatcher.ask("watch @* since=\(startCursor)").contains(#""sessions":["#))
        let gap = lateWatcher.line() ?? ""
        // The eight sessions were opened with the changes 1 to 8, and labelled with the changes 9 to 16. Their state has no
        // timer, so no other change follows however long the restart takes.
        #expect(
            gap.contains(#""method":"gap","params":{"session":"*","since":8,"pos":16,"#), "\(gap)")
        for name in sessions { #expect(gap.contains(#""session":"\#(name)""#), "\(gap)") }
        let gapCursor = cursor(in: gap)

        // The next notification is the next change. A watch that continues at the gap's cursor begins with this change.
        let sender = try Client(nodes[1].socket)
        #expect(sender.ask("label @s1 team=blue").hasPrefix("OK"))
        #expect((lateWatcher.line() ?? "").contains(#""method":"change""#))
        let resumedWatcher = try Client(nodes[1].socket)
        #expect(resumedWatcher.ask("watch @* since=\(gapCursor)").hasPrefix("OK"))
        let change = resumedWatcher.line() ?? ""
        #expect(
            change.contains(#""method":"change""#) && change.contains(#""session":"s1""#),
            "\(change)")
    }
}
