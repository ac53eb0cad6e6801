import Cluster
import Connections
import GameFlow
import Glibc
import PostgresTestSupport
import Sessions
import TestSupport
import Testing

/// Watches at a node, while the sessions' other owner ends or its connection is cut: each change is reported once. The tests wait for
/// heartbeats, which show that nothing more comes.
@Suite(.enabled(if: PostgresServer.absence == nil && TestLength.isLong)) struct NodeWatchTests {
    private let cluster: ClusterFixture
    private let sessions = (1...24).map { "s\($0)" }
    /// What a change has that gives a session the label of the tests.
    private static let label = #""team":"red""#

    init() throws { cluster = try ClusterFixture() }

    private func startNodes(_ arguments: [String] = []) throws -> (DaemonProcess, DaemonProcess) {
        let a = try cluster.startNode("a", "", arguments, hasCertificate: true)
        let b = try cluster.startNode("b", "", arguments, hasCertificate: true)
        try cluster.waitForBalancedShards(of: [a, b])
        return (a, b)
    }

    /// Two nodes, and two clients of the first one. `watcher` watches the sessions.
    private struct Watched {
        let a: DaemonProcess
        let b: DaemonProcess
        let client: Client
        let watcher: Client
    }

    /// Starts two nodes, opens the sessions, and begins a watch of all sessions, with these topics.
    private func startWatching(_ topics: String = "") throws -> Watched {
        let (a, b) = try startNodes()
        let watched = Watched(
            a: a, b: b, client: try Client(a.socket), watcher: try Client(a.socket))
        open(sessions, by: watched.client)
        #expect(watched.watcher.ask("watch @* \(topics)").hasPrefix("OK"))
        return watched
    }

    /// Starts two nodes, opens the sessions, and begins a watch of each of them.
    private func startWatchingEach() throws -> Watched {
        let (a, b) = try startNodes()
        let watched = Watched(
            a: a, b: b, client: try Client(a.socket), watcher: try Client(a.socket))
        open(sessions, by: watched.client)
        for name in sessions { #expect(watched.watcher.ask("watch @\(name)").hasPrefix("OK")) }
        return watched
    }

    private func open(_ names: [String], by client: borrowing Client) {
        for name in names { #expect(client.ask("open @\(name) flow=game").hasPrefix("OK")) }
    }

    private func label(_ names: [String], by client: borrowing Client) {
        for name in names {
            #expect(client.ask("label @\(name) team=red", until: "OK").hasPrefix("OK"))
        }
    }

    private func kill(_ node: DaemonProcess) {
        node.signal(SIGKILL)
        #expect(node.waitForEnd() != 0)
    }

    /// Reads notifications, and expects one with this text for each of the sessions. Reads until a heartbeat after the last of
    /// them, or until two in a row: a heartbeat comes after 15 s of silence, and a takeover takes less.
    private func expectOnce(_ text: String, of names: [String], at watcher: borrowing Client) {
        var counts = Dictionary(uniqueKeysWithValues: names.map { ($0, 0) })
        var heartbeats = 0
        while let line = watcher.line() {
            guard !line.contains(#""method":"heartbeat""#) else {
                heartbeats += 1
                if heartbeats == 2 || counts.values.allSatisfy({ $0 > 0 }) { break }
                continue
            }
            heartbeats = 0
            for name in names where line.contains(#""session":"\#(name)""#) && line.contains(text) {
                counts[name, default: 0] += 1
            }
        }
        #expect(counts.allSatisfy { $0.value == 1 }, "\(counts.filter { $0.value != 1 })")
    }

    @Test func `sessions that are opened while the connection is cut are reported`() throws {
        let (a, b) = try startNodes()
        let relay = try cluster.putRelay(before: b, knownTo: Client(a.socket))
        defer { withExtendedLifetime((a, b, relay)) {} }
        let watcher = try Client(a.socket)
        #expect(watcher.ask("watch @*").hasPrefix("OK"))
        cluster.disturb(relay, "stall")
        open(sessions, by: try Client(b.socket))
        cluster.disturb(relay, "cut")
        expectOnce("", of: sessions, at: watcher)
    }

    @Test
    func `a client that watches one session and all gets the changes of others in the same shard`()
        throws
    {
        let (a, b) = try startNodes()
        let relay = try cluster.putRelay(before: b, knownTo: Client(a.socket))
        defer { withExtendedLifetime((a, b, relay)) {} }
        var shards: [Int: [String]] = [:]
        for number in 1...512 {
            let name = try #require(SessionName("p\(number)"))
            shards[ShardMap.shard(of: name, shards: 256), default: []].append(name.text)
        }
        let pairs = shards.values.filter { $0.count > 1 }.prefix(16)
        let names = pairs.flatMap { $0.prefix(2) }
        let sender = try Client(b.socket)
        open(names, by: sender)
        let watcher = try Client(a.socket)
        for pair in pairs { #expect(watcher.ask("watch @\(pair[0])").hasPrefix("OK")) }
        #expect(watcher.ask("watch @*").hasPrefix("OK"))
        cluster.disturb(relay, "stall")
        label(pairs.flatMap { [$0[1], $0[0]] }, by: sender)
        cluster.disturb(relay, "cut")
        expectOnce(Self.label, of: names, at: watcher)
    }

    @Test
    func `changes that a client has got by ended watches of single sessions do not come again`()
        throws
    {
        let watched = try startWatching()
        for name in sessions { #expect(watched.watcher.ask("watch @\(name)").hasPrefix("OK")) }
        label(sessions, by: watched.client)
        expectOnce(Self.label, of: sessions, at: watched.watcher)
        for name in sessions { #expect(watched.watcher.ask("unwatch @\(name)").hasPrefix("OK")) }
        kill(watched.b)
        for name in sessions {
            let reply = watched.client.ask("label @\(name) team=blue", until: "OK")
            #expect(reply.hasPrefix("OK"))
        }
        expectOnce("", of: sessions, at: watched.watcher)
    }

    @Test func `watches of single sessions go on when their owner is taken for dead but lives`()
        throws
    {
        let watched = try startWatchingEach()
        defer { withExtendedLifetime(watched) {} }
        watched.b.signal(SIGSTOP)
        // Waits until this node owns the sessions of the other one.
        label(sessions, by: watched.client)
        expectOnce(Self.label, of: sessions, at: watched.watcher)
        watched.b.signal(SIGCONT)
        for name in sessions {
            #expect(watched.client.ask("label @\(name) team=blue", until: "OK").hasPrefix("OK"))
        }
        expectOnce(#""team":"blue""#, of: sessions, at: watched.watcher)
    }

    @Test
    func `watches of single sessions go on when their owner did not renew its leases in time`()
        throws
    {
        let watched = try startWatchingEach()
        defer { withExtendedLifetime(watched) {} }
        // As if the other node could not renew its leases in time.
        cluster.sql(
            """
            CREATE FUNCTION expire() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN NEW.lease_until := now() - interval '1 second'; RETURN NEW; END $$;
            CREATE TRIGGER expire BEFORE INSERT OR UPDATE ON gamed_node
                FOR EACH ROW WHEN (NEW.name = 'b') EXECUTE FUNCTION expire();
            """)
        #expect(watched.a.waitFor("the node has ended"))
        cluster.sql("DROP TRIGGER expire ON gamed_node")
        label(sessions, by: watched.client)
        expectOnce(Self.label, of: sessions, at: watched.watcher)
    }

    /// Requests that end, begin or change a watch of all sessions that exists, and leave it as it was.
    @Test(arguments: [
        "watch @* topics=bogus", "watch @* topics=changes", "watch @* since=m topics=bogus",
        #"[{"jsonrpc":"2.0","id":1,"method":"unwatch","params":{"session":"*"}},"#
            + #"{"jsonrpc":"2.0","id":2,"method":"watch","params":{"session":"*"}}]"#,
    ])
    func `a watch goes on after a takeover, whatever was asked about it before`(_ request: String)
        throws
    {
        let watched = try startWatching()
        defer { withExtendedLifetime(watched) {} }
        #expect(watched.watcher.ask(request) != "")
        kill(watched.b)
        label(sessions, by: watched.client)
        expectOnce(Self.label, of: sessions, at: watched.watcher)
    }

    @Test func `a watch is resumed at an owner whose store did not work`() throws {
        let (a, b) = try startNodes()
        let relay = try cluster.putRelay(before: b, knownTo: Client(a.socket))
        defer { withExtendedLifetime((a, b, relay)) {} }
        let sender = try Client(b.socket)
        open(sessions, by: sender)
        let watcher = try Client(a.socket)
        #expect(watcher.ask("watch @*").hasPrefix("OK"))
        cluster.sql(
            """
            CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'disk full' USING ERRCODE = '53100'; END $$;
            CREATE TRIGGER fail BEFORE INSERT ON gamed_row EXECUTE FUNCTION fail();
            """)
        for name in sessions.prefix(4) {
            #expect(sender.ask("label @\(name) team=blue").hasPrefix("ERR storage"))
        }
        cluster.disturb(relay, "cut")
        cluster.sql("DROP TRIGGER fail ON gamed_row")
        label(sessions, by: sender)
        expectOnce(Self.label, of: sessions, at: watcher)
    }

    @Test func `a watch of refusals gets no gap after a takeover`() throws {
        let watched = try startWatching("topics=refusals")
        defer { withExtendedLifetime(watched) {} }
        label(sessions, by: watched.client)
        kill(watched.b)
        let nodes = watched.client.ask("nodes", until: #""missing":0"#)
        #expect(nodes.contains(#""missing":0"#))
        var line = watched.watcher.ask("ping")
        while line.contains(#""method":"heartbeat""#) { line = watched.watcher.line() ?? "" }
        #expect(line.hasPrefix("OK"), "\(line)")
    }

    @Test func `a third node that joins reports each refusal once, and nothing after unwatch`()
        throws
    {
        let watched = try startWatching("topics=changes,refusals")
        defer { withExtendedLifetime(watched) {} }
        let c = try cluster.startNode("c", hasCertificate: true)
        defer { withExtendedLifetime(c) {} }
        let (client, watcher) = (watched.client, watched.watcher)
        try cluster.waitForBalancedShards(of: [watched.a, watched.b, c])
        for name in sessions { #expect(!client.ask("send @\(name) dismissHelp").hasPrefix("OK")) }
        expectOnce(#""method":"refused""#, of: sessions, at: watcher)
        #expect(watcher.ask("unwatch @*").hasPrefix("OK"))
        label(sessions, by: client)
        // Without a watch there are no heartbeats, so the next line is the answer.
        #expect(watcher.ask("ping").hasPrefix("OK"))
    }

    @Test func `the watch of one session is resumed when its shard gets an owner after the hold`()
        throws
    {
        let (a, b) = try startNodes(["--hold", "1s"])
        defer { withExtendedLifetime((a, b)) {} }
        let client = try Client(a.socket)
        open(sessions, by: client)
        let watcher = try Client(a.socket)
        for name in sessions { #expect(watcher.ask("watch @\(name)").hasPrefix("OK")) }
        kill(b)
        #expect(client.ask("nodes", until: #""missing":0"#).contains(#""missing":0"#))
        label(sessions, by: client)
        expectOnce(Self.label, of: sessions, at: watcher)
    }

    @Test func `a cursor with shards that do not exist is accepted by all nodes`() throws {
        let (a, b) = try startNodes()
        defer { withExtendedLifetime((a, b)) {} }
        let client = try Client(a.socket)
        let watcher = try Client(a.socket)
        let shards = (300..<1800).map { "\(String($0, radix: 36)).1" }
        let cursor = "m" + shards.joined(separator: "_")
        #expect(watcher.ask("watch @* since=\(cursor)").hasPrefix("OK"))
        open(sessions, by: client)
        expectOnce("", of: sessions, at: watcher)
    }

    @Test func `a watch that is begun again while changes are made reports each of them`() throws {
        let (a, b) = try startNodes()
        defer { withExtendedLifetime((a, b)) {} }
        let sender = try Client(b.socket)
        open(sessions, by: sender)
        let watcher = try Client(a.socket)
        #expect(watcher.ask("watch @*").hasPrefix("OK"))
        var lines: [String] = []
        for round in 1...200 {
            sender.write(sessions.map { "label @\($0) n=\(round)\n" }.joined())
            watcher.write("watch @*\n")
            for _ in sessions { _ = sender.line() }
            while let line = watcher.availableLine() { lines.append(line) }
        }
        while let line = watcher.line(), !line.contains(#""method":"heartbeat""#) {
            lines.append(line)
        }
        lines.removeAll { !$0.contains(#""method":"change""#) }
        for name in sessions {
            let changes = lines.filter { $0.contains(#""session":"\#(name)""#) }
            let labels = (1...200).filter { round in
                changes.contains { $0.contains(#""n":"\#(round)""#) }
            }
            #expect(changes.count == 200 && labels.count == 200, "\(name): \(changes.count)")
        }
    }
}
