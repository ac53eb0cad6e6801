import Access
import Cluster
import Connections
import EventLoop
import GameFlow
import Glibc
import JSONCoding
import Net
import Parts
import RPC
import Shards
import ShippedFlows
import TestSupport
import Testing
import Timers

@testable import GamedServer
@testable import Sessions

/// `LineServer` serves the connections of clients that send lines. The tests run its event loop and set small limits.
@Suite struct LineServerTests {
    private let loop: LibeventLoop
    private let sessions: Sessions
    private let server: LineServer
    private let path = DaemonProcess.freshSocketPath()

    init() throws {
        var limits = ServerLimits()
        limits.clients = 2
        limits.heartbeat = .milliseconds(20)
        limits.backlogBytes = 2000
        limits.notificationBytes = 4000
        limits.overrunGrace = .milliseconds(30)
        limits.readPatience = .milliseconds(10)
        limits.incomingNodeBacklog = 1 << 20
        let identity = Dispatcher.ServerIdentity(version: "0", instance: "0", limits: limits.named)
        loop = try LibeventLoop()
        sessions = Sessions(AnyFlow.shipped(), on: loop)
        _ = try sessions.open(.main, sessions.flow("game"), RequestContext(from: .ownProcess))
        let authorizer = Authorizer(Rules(ownUID: Rules.ownUID), try TokenFile(nil))
        let context = ServerContext(
            on: loop, sessions, ProtocolHandler(Dispatcher(sessions, identity)), authorizer,
            Invitations(authorizer, to: PageAddress(WebOptions()), on: loop),
            AccountLimits(limits, on: loop),
            limits: limits)
        server = LineServer(context)
        try server.open(UnixSocket(path))
    }

    /// Runs the server for an interval.
    private func run(_ interval: Duration = .milliseconds(10)) {
        loop.run(for: interval)
    }

    /// Runs the server until the client receives a line, and returns the line.
    private func receiveLine(_ client: Client) -> String {
        for _ in 0..<10_000 {
            if let line = client.availableLine() { return line }
            run(.milliseconds(1))
        }
        return "(no line was received)"
    }

    /// Runs the server until the condition is true.
    private func run(until condition: () -> Bool) {
        for _ in 0..<10_000 where !condition() { run(.milliseconds(1)) }
        #expect(condition())
    }

    /// Connects a client, and begins the protocol between nodes over its connection.
    private func connectNode() throws -> (Client, Connection, IncomingNodeLink) {
        let client = try Client(path)
        run { server.connections.count == 1 }
        let connection = try #require(server.connections.values.first)
        let incomingLink = IncomingNodeLink(
            connection, NodeEnvironment(loop: loop, identity: "a", address: "", proof: .none))
        incomingLink.begin()
        #expect(receiveLine(client) == #"!{"ready":true}"#)
        return (client, connection, incomingLink)
    }

    @Test func `a client above the limit of clients gets an error and is disconnected`() throws {
        let clients = try (0..<3).map { _ in try Client(path) }
        for client in clients.prefix(2) { client.write("ping\n") }
        #expect(receiveLine(clients[0]) == #"OK {"pong":true}"#)
        #expect(receiveLine(clients[1]) == #"OK {"pong":true}"#)
        #expect(
            receiveLine(clients[2])
                == #"{"jsonrpc":"2.0","id":null,"error":{"code":11,"message":"limit","data":{"which":"clients","limit":2}}}"#
        )
        #expect(clients[2].textUntilEnd() == "")
        clients[0].endInput()
        run { server.clientCount == 1 }
        let laterClient = try Client(path)
        laterClient.write("ping\n")
        #expect(receiveLine(laterClient) == #"OK {"pong":true}"#)
        withExtendedLifetime(clients) {}
    }

    @Test func `a node that does not read is disconnected when its backlog exceeds the limit`()
        throws
    {
        let (client, connection, incomingLink) = try connectNode()
        let frame = NodeFrame.line(1, String(repeating: "x", count: 60_000))
        // The client reads none of the frames, each of 60 KB. They fill the kernel's buffers first, and then the backlog.
        for _ in 0..<200 where !connection.isGone {
            incomingLink.send(frame)
            run(.zero)
        }
        #expect(connection.isGone && server.connections.isEmpty)
        withExtendedLifetime(client) {}
        // A frame for a closed connection is dropped.
        incomingLink.send(.ping)
    }

    @Test
    func
        `a request of a node that does not say when it was sent counts from when the link was read`()
        throws
    {
        let (client, _, incomingLink) = try connectNode()
        func process(_ frame: NodeFrame) -> Bool { incomingLink.process(frame.bytes.dropLast()) }
        #expect(
            process(
                .client(
                    1, source: Source(Source.Kind("unix")).relayed,
                    grants: Rights.everything.relayed,
                    needsArgumentConversion: false)))
        // Answers of this session were forgotten without a hash until an hour from now.
        let lost = sessions.now + .seconds(3600)
        sessions.idempotencyCache.lose(.main, upTo: lost)
        let request = "send id=k displayHelp"
        #expect(process(.line(1, request)))
        #expect(receiveLine(client).contains("ERR stale"))
        #expect(process(.line(1, request, sinceMs: Int(lost.milliseconds) + 1)))
        #expect(receiveLine(client).contains(#"\"seq\":2"#))
    }

    /// A watcher that takes some time for each notification.
    private final class SlowWatcher: Watcher {
        func notify(_ notification: Notification) { usleep(100) }
        func ended(_ session: SessionName) {}
        func mayObserve(_ session: SessionName) -> Bool { true }
    }

    @Test func `changes that many clients watch do not hold one turn of the loop`() throws {
        let watchers = (0..<100).map { _ in SlowWatcher() }
        for watcher in watchers { _ = try sessions.watch(.all, by: watcher) }
        let client = try Client(path)
        client.write("ping\n")
        #expect(receiveLine(client) == #"OK {"pong":true}"#)
        // Each change takes at least 10 ms, twice the time for the lines of one client.
        client.write(String(repeating: "send displayHelp\nsend dismissHelp\n", count: 7))
        // A timer that is always due fires once in each turn.
        var seqs: Set<Int> = []
        let turns = ScopedPendulum(on: loop, .milliseconds(1)) { [sessions] _ in
            if let main = try? sessions.session(.main) { seqs.insert(main.seq) }
        }
        run { (try? sessions.session(.main))?.seq == 15 }
        // Without a look at the clock, all changes would be made in one turn.
        #expect(seqs.count > 7, "\(seqs.sorted())")
        withExtendedLifetime((turns, watchers)) {}
    }

    @Test func `an idle subscriber gets a heartbeat`() throws {
        let client = try Client(path)
        client.write("watch\n")
        #expect(receiveLine(client).hasPrefix("OK {"))
        let heartbeat = receiveLine(client)
        #expect(
            heartbeat.hasPrefix(
                #"{"jsonrpc":"2.0","method":"heartbeat","params":{"pos":1,"atMs":"#))
        client.write("unwatch\n")
        var line = receiveLine(client)
        while line.hasPrefix("{") { line = receiveLine(client) }
        #expect(line == "OK {}")
        run(.milliseconds(60))
        #expect(client.availableLine() == nil)
    }

    @Test func `a reply comes before the notifications that its request caused`() throws {
        let client = try Client(path)
        client.write(
            "watch\nsend displayHelp\n[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"send\",\"params\":{\"event\":\"dismissHelp\"}}]\nping\n"
        )
        let lines = (0..<6).map { _ in receiveLine(client) }
        #expect(lines[0].hasPrefix(#"OK {"sessions""#))
        #expect(lines[1].hasPrefix(#"OK {"session""#))
        #expect(lines[2].hasPrefix(#"{"jsonrpc":"2.0","method":"change""#))
        #expect(lines[3].hasPrefix(#"[{"jsonrpc":"2.0","id":1"#))
        #expect(lines[4].hasPrefix(#"{"jsonrpc":"2.0","method":"change""#))
        #expect(lines[5].hasPrefix(#"OK {"pong""#))
    }

    @Test
    func `a notification that the socket takes in parts arrives complete, before later ones`()
        throws
    {
        let client = try Client(path)
        client.write("watch\n")
        #expect(receiveLine(client).hasPrefix("OK"))
        let connection = try #require(server.connections.values.first)
        // More than the socket holds, and less than the limits of a client that does not read.
        let text = String(repeating: "x", count: 1 << 20)
        connection.receive(EncodedNotification("long") { $0.object([.init("text", text)]) })
        run()
        connection.receive(EncodedNotification("next") { $0.object([]) })
        client.write("ping\n")
        var lines: [String] = []
        while lines.count < 3 {
            let line = receiveLine(client)
            if !line.contains("heartbeat") { lines.append(line) }
        }
        #expect(lines[0] == #"{"jsonrpc":"2.0","method":"long","params":{"text":"\#(text)"}}"#)
        #expect(
            Set(lines[1...]) == [
                #"{"jsonrpc":"2.0","method":"next","params":{}}"#, #"OK {"pong":true}"#,
            ])
        // The connection still reads, and its next notification is written at once.
        connection.receive(EncodedNotification("last") { $0.object([]) })
        var line = receiveLine(client)
        while line.contains("heartbeat") { line = receiveLine(client) }
        #expect(line == #"{"jsonrpc":"2.0","method":"last","params":{}}"#)
        client.write("ping\n")
        line = receiveLine(client)
        while line.contains("heartbeat") { line = receiveLine(client) }
        #expect(line == #"OK {"pong":true}"#)
    }

    @Test func `a subscriber that exceeded the buffer is disconnected after its grace period`()
        throws
    {
        let (stalled, player) = (try Client(path), try Client(path))
        stalled.write("watch\n")
        run { stalled.availableByteCount > 0 }
        // The changes exceed the socket's buffer, so that the server has to buffer the rest.
        for _ in 0..<80 {
            player.write(String(repeating: "send displayHelp\nsend dismissHelp\n", count: 10))
            for _ in 0..<20 { #expect(receiveLine(player).hasPrefix("OK")) }
        }
        // The client neither reads nor disconnects, so the server closes the connection.
        run { server.clientCount == 1 }
        #expect(stalled.textUntilEnd().split(separator: "\n").count > 1)
    }

    @Test func `a stopped server removes its socket and ends its connections`() throws {
        let client = try Client(path)
        run()
        server.stop()
        #expect(access(path, F_OK) != 0)
        run { server.unfinishedClients == 0 }
        #expect(client.textUntilEnd() == "")
    }
}
