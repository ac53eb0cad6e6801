import Connections
import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// A watch of all sessions, while nodes end and other nodes take over their shards.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct NodeTakeoverWatchTests {
    private let cluster: ClusterFixture
    private let sessions = (1...24).map { "s\($0)" }

    /// The label that the tests give each session.
    private static let label = #""labels":{"team":"red"}"#

    init() throws { cluster = try ClusterFixture() }

    /// Reads notifications until each session was in a change or a gap with the text `content`, and a gap has all sessions if there
    /// was one. Expects that no change comes twice, and that no gap is incomplete. Stops when a second heartbeat follows the last
    /// change: a heartbeat comes after 15 s of silence, and a takeover takes less.
    private func expectReports(of content: String, to watcher: borrowing Client) {
        var (changed, known, heartbeats): ([String], Set<String>, Int) = ([], [], 0)
        while known.count < sessions.count, heartbeats < 2, let line = watcher.line() {
            if line.contains(#""method":"heartbeat""#) {
                heartbeats += 1
                continue
            }
            heartbeats = 0
            let names = sessions.filter { line.contains(#""session":"\#($0)""#) }
            if line.contains(#""method":"gap""#) {
                #expect(names == sessions, "\(line)")
                #expect(line.ranges(of: content).count == sessions.count, "\(line)")
            } else {
                #expect(line.contains(#""method":"change""#) && line.contains(content), "\(line)")
                changed += names
            }
            known.formUnion(names)
        }
        #expect(known == Set(sessions), "missing: \(Set(sessions).subtracting(known))")
        #expect(changed.count == Set(changed).count, "\(changed)")
    }

    @Test
    func `a watch at a cursor gets the missed changes of shards that had no owner when it began`()
        throws
    {
        let (a, b) = (try cluster.startNode("a"), try cluster.startNode("b"))
        try cluster.waitForBalancedShards(of: [a, b])
        let client = try Client(a.socket)
        for name in sessions { #expect(client.ask("open @\(name) flow=game").hasPrefix("OK")) }
        let cursor = try #require(
            try Client(a.socket).ask("watch @*").split(separator: #""cursor":""#).last?.prefix {
                $0 != "\""
            })
        for name in sessions { #expect(client.ask("label @\(name) team=red").hasPrefix("OK")) }

        b.signal(SIGKILL)
        #expect(b.waitForEnd() != 0)
        let watcher = try Client(a.socket)
        #expect(watcher.ask("watch @* since=\(cursor)").hasPrefix("OK"))
        expectReports(of: Self.label, to: watcher)
    }

    @Test func `a watch that begins before a node has shards gets the changes in its shards`()
        throws
    {
        let a = try cluster.startNode("a")
        let client = try Client(a.socket)
        #expect(client.ask("nodes", until: #""missing":0"#).contains(#""missing":0"#))
        let b = try cluster.startNode("b")
        defer { withExtendedLifetime((a, b)) {} }
        // The node is alive before it has shards.
        #expect(client.ask("nodes", until: #""node":"b""#).contains(#""node":"b""#))
        let watcher = try Client(a.socket)
        #expect(watcher.ask("watch @*").hasPrefix("OK"))
        try cluster.waitForBalancedShards(of: [a, b])
        for name in sessions {
            #expect(client.ask("open @\(name) flow=game").hasPrefix("OK"))
        }
        expectReports(of: #""kind":"open""#, to: watcher)
    }

    @Test
    func
        `a change that a node did not report before it ended is reported by the node that takes over`()
        throws
    {
        let nodes = try ["a", "b", "c"].map {
            try cluster.startNode($0, hasCertificate: true)
        }
        try cluster.waitForBalancedShards(of: nodes)
        let client = try Client(nodes[0].socket)
        let relay = try cluster.putRelay(before: nodes[1], knownTo: client)
        defer { withExtendedLifetime((nodes, relay)) {} }
        let watcher = try Client(nodes[0].socket)
        #expect(watcher.ask("watch @*").hasPrefix("OK"))
        for name in sessions { #expect(client.ask("open @\(name) flow=game").hasPrefix("OK")) }
        for _ in sessions { #expect(watcher.line()?.contains(#""kind":"open""#) == true) }

        cluster.disturb(relay, "stall")
        let sender = try Client(nodes[1].socket)
        for name in sessions { #expect(sender.ask("label @\(name) team=red").hasPrefix("OK")) }
        nodes[1].signal(SIGKILL)
        #expect(nodes[1].waitForEnd() != 0)
        expectReports(of: Self.label, to: watcher)
        // The next line is the answer, so no change came twice.
        #expect(watcher.ask("ping").hasPrefix("OK"))
    }
}
