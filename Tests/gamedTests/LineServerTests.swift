import EventLoop
import GameFlow
import Glibc
import RPC
import Sessions
import ShippedFlows
import TestSupport
import Testing
import Timers

@testable import GamedServer

/// The server on the test's own loop, with small limits.
@Suite struct LineServerTests {
    private let loop: LibeventLoop
    private let sessions: Sessions
    private let server: LineServer
    private let path = DaemonProcess.freshSocket()

    init() throws {
        var limits = ServerLimits()
        limits.clients = 2
        limits.heartbeat = .milliseconds(20)
        limits.backlogBytes = 2000
        limits.notificationBytes = 4000
        limits.overrunGrace = .milliseconds(30)
        limits.nodeBacklog = 1 << 20
        let identity = Dispatcher.ServerIdentity(version: "0", instance: "0", limits: limits.named)
        loop = try LibeventLoop()
        sessions = Sessions(AnyFlow.shipped(), on: loop)
        _ = try sessions.open(.main, sessions.flow("game"), RequestContext(from: .operatorAtStart))
        let authorizer = Authorizer(Rules(ownUID: Rules.ownUID), try TokenFile(nil))
        let context = ServerContext(
            on: loop, sessions, ProtocolHandler(Dispatcher(sessions, identity)), authorizer,
            limits: limits)
        server = LineServer(context)
        try server.open(UnixSocket(path))
    }

    /// Runs the server for an interval.
    private func run(_ interval: Duration = .milliseconds(10)) {
        let end = ScopedCountdown(on: loop, interval) { loop.stop() }
        loop.run()
        withExtendedLifetime(end) {}
    }

    /// Runs the server until the client receives a line.
    private func line(_ client: Client) -> String {
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

    @Test func `a client above the limit gets an error and is disconnected`() throws {
        let clients = try (0..<3).map { _ in try Client(path) }
        for client in clients.prefix(2) { client.write("ping\n") }
        #expect(line(clients[0]) == #"OK {"pong":true}"#)
        #expect(line(clients[1]) == #"OK {"pong":true}"#)
        #expect(
            line(clients[2])
                == #"{"jsonrpc":"2.0","id":null,"error":{"code":11,"message":"limit","data":{"which":"clients","limit":2}}}"#
        )
        #expect(clients[2].rest() == "")
        clients[0].endInput()
        run { server.clients == 1 }
        let fourth = try Client(path)
        fourth.write("ping\n")
        #expect(line(fourth) == #"OK {"pong":true}"#)
        withExtendedLifetime(clients) {}
    }

    @Test func `a node that does not read is disconnected when too much waits for it`() throws {
        let client = try Client(path)
        run { server.connections.count == 1 }
        let connection = try #require(server.connections.values.first)
        let incomingLink = IncomingNodeLink(
            connection, NodeEnvironment(loop: loop, name: "a", proof: .none))
        incomingLink.begin()
        #expect(line(client) == #"!{"ready":true}"#)
        let frame = NodeFrame.line(1, String(repeating: "x", count: 60_000))
        // 60 KB at a time, and none of them is read: first the buffers of the kernel are full.
        for _ in 0..<200 where !connection.isGone {
            incomingLink.send(frame)
            run(.zero)
        }
        #expect(connection.isGone && server.connections.isEmpty)
        // A frame for a closed connection is dropped.
        incomingLink.send(.ping)
    }

    @Test func `an idle subscriber gets a heartbeat`() throws {
        let client = try Client(path)
        client.write("watch\n")
        #expect(line(client).hasPrefix("OK {"))
        let sign = line(client)
        #expect(sign.hasPrefix(#"{"jsonrpc":"2.0","method":"heartbeat","params":{"pos":1,"atMs":"#))
        client.write("unwatch\n")
        var last = line(client)
        while last.hasPrefix("{") { last = line(client) }
        #expect(last == "OK {}")
        run(.milliseconds(60))
        #expect(client.availableLine() == nil)
    }

    @Test func `a reply comes before the notifications that its request caused`() throws {
        let client = try Client(path)
        client.write(
            "watch\nsend displayHelp\n[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"send\",\"params\":{\"event\":\"dismissHelp\"}}]\nping\n"
        )
        let lines = (0..<6).map { _ in line(client) }
        #expect(lines[0].hasPrefix(#"OK {"sessions""#))
        #expect(lines[1].hasPrefix(#"OK {"session""#))
        #expect(lines[2].hasPrefix(#"{"jsonrpc":"2.0","method":"change""#))
        #expect(lines[3].hasPrefix(#"[{"jsonrpc":"2.0","id":1"#))
        #expect(lines[4].hasPrefix(#"{"jsonrpc":"2.0","method":"change""#))
        #expect(lines[5].hasPrefix(#"OK {"pong""#))
    }

    @Test func `a subscriber that exceeded the buffer is disconnected after its grace period`()
        throws
    {
        let (stalled, player) = (try Client(path), try Client(path))
        stalled.write("watch\n")
        run { stalled.available > 0 }
        // The changes exceed the socket's buffer, so that the server has to buffer the rest.
        for _ in 0..<80 {
            player.write(String(repeating: "send displayHelp\nsend dismissHelp\n", count: 10))
            for _ in 0..<20 { #expect(line(player).hasPrefix("OK")) }
        }
        // The client neither reads nor disconnects, so the server closes the connection.
        run { server.clients == 1 }
        #expect(stalled.rest().split(separator: "\n").count > 1)
    }

    @Test func `a stopped server removes its socket and ends its connections`() throws {
        let client = try Client(path)
        run()
        server.stop()
        #expect(access(path, F_OK) != 0)
        run { server.unfinished == 0 }
        #expect(client.rest() == "")
    }
}
