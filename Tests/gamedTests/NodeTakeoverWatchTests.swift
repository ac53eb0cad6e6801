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

    /// Reads notifications until each session of `sessions` was in a change or a gap, each with the text `content`. Returns how
    /// often each session was in one. Stops when a second heartbeat follows the last change: a heartbeat comes after
    /// 15 s of silence, and a takeover takes less.
    private func reports(of content: String, to watcher: borrowing Client) -> [String: Int] {
        var (counts, heartbeats): ([String: Int], Int) = ([:], 0)
        while counts.count < sessions.count, heartbeats < 2, let line = watcher.line() {
            if line.contains(#""method":"heartbeat""#) {
                heartbeats += 1
                continue
            }
            heartbeats = 0
            #expect(
                line.contains(#""method":"change""#) || line.contains(#""method":"gap""#), "\(line)"
            )
            for name in sessions where line.contains(#""session":"\#(name)""#) {
                #expect(line.contains(content), "\(line)")
                counts[name, default: 0] += 1
            }
        }
        return counts
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
        let counts = reports(of: Self.label, to: watcher)
        #expect(counts == Dictionary(uniqueKeysWithValues: sessions.map { ($0, 1) }), "\(counts)")
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
        let counts = reports(of: #""kind":"open""#, to: watcher)
        #expect(counts == Dictionary(uniqueKeysWithValues: sessions.map { ($0, 1) }), "\(counts)")
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
        let relay = try cluster.putRelay(before: nodes[1], named: "b")
        defer { withExtendedLifetime((nodes, relay)) {} }
        let port = relay.output.filter(\.isNumber)
        let client = try Client(nodes[0].socket)
        #expect(client.ask("nodes", until: ":\(port)\"").contains(":\(port)\""))
        let watcher = try Client(nodes[0].socket)
        #expect(watcher.ask("watch @*").hasPrefix("OK"))
        for name in sessions { #expect(client.ask("open @\(name) flow=game").hasPrefix("OK")) }
        for _ in sessions { #expect(watcher.line()?.contains(#""kind":"open""#) == true) }

        relay.writeLine("stall")
        #expect(relay.waitFor("connections"))
        #expect(!relay.output.contains("stall 0 "), "the nodes are not connected through the relay")
        let sender = try Client(nodes[1].socket)
        for name in sessions { #expect(sender.ask("label @\(name) team=red").hasPrefix("OK")) }
        nodes[1].signal(SIGKILL)
        #expect(nodes[1].waitForEnd() != 0)
        let counts = reports(of: Self.label, to: watcher)
        #expect(counts == Dictionary(uniqueKeysWithValues: sessions.map { ($0, 1) }), "\(counts)")
        // The next line is the answer, so no change came twice.
        #expect(watcher.ask("ping").hasPrefix("OK"))
    }
}
