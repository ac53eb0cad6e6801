import GameFlow
import Glibc
import Sessions
import Testing
import Timers
import Wire

@testable import gamed

/// The server on a loop of the test's own, with limits small enough to reach.
@Suite struct ServerTests {
    private let loop: EventLoop
    private let sessions: Sessions
    private let server: Server
    private let path = DaemonProcess.freshSocket()

    init() throws {
        var limits = ServerLimits()
        limits.clients = 2
        limits.heartbeat = .milliseconds(20)
        limits.backlogBytes = 2000
        limits.noticeBytes = 4000
        limits.overrunGrace = .milliseconds(30)
        let identity = Dispatcher.Identity(version: "0", instance: "0", limits: limits.named)
        loop = try EventLoop()
        sessions = Sessions(AnyFlow.shipped(), on: loop)
        _ = try sessions.open(.main, sessions.flow("game"), from: .operatorAtStart)
        server = try Server(
            UnixSocket(path), on: loop, sessions, Conversation(Dispatcher(sessions, identity)),
            limits: limits)
    }

    /// Lets the server work for as long as the test says nothing.
    private func turn(_ interval: Interval = .milliseconds(10)) {
        let end = HeldCountdown(on: loop, interval) { loop.stop() }
        loop.run()
        withExtendedLifetime(end) {}
    }

    @Test func `one client more than fit is told so and turned away`() throws {
        let clients = try (0..<3).map { _ in try Client(path) }
        for client in clients.prefix(2) { client.write("ping\n") }
        turn()
        #expect(clients[0].line() == #"OK {"pong":true}"#)
        #expect(clients[1].line() == #"OK {"pong":true}"#)
        #expect(
            clients[2].rest()
                == #"{"jsonrpc":"2.0","id":null,"error":{"code":11,"message":"limit","data":{"which":"clients","limit":2}}}"#
                + "\n")
        clients[0].endInput()
        turn()
        let fourth = try Client(path)
        fourth.write("ping\n")
        turn()
        #expect(fourth.line() == #"OK {"pong":true}"#)
    }

    @Test func `a watcher to whom nothing happens gets a sign of life`() throws {
        let client = try Client(path)
        client.write("watch\n")
        turn(.milliseconds(60))
        #expect(client.line()?.hasPrefix("OK {") == true)
        let sign = client.line() ?? ""
        #expect(sign.hasPrefix(#"{"jsonrpc":"2.0","method":"heartbeat","params":{"pos":1,"atMs":"#))
        client.write("unwatch\n")
        turn(.milliseconds(60))
        client.endInput()
        turn()
        let rest = client.rest().split(separator: "\n")
        #expect(rest.last == "OK {}")
    }

    @Test func `a reply comes before the notifications that its request caused`() throws {
        let client = try Client(path)
        client.write(
            "watch\nsend displayHelp\n[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"send\",\"params\":{\"event\":\"dismissHelp\"}}]\nping\n"
        )
        turn()
        let kinds = (0..<6).map { _ in String((client.line() ?? "").prefix(24)) }
        #expect(kinds[0].hasPrefix("OK {\"sessions\""))
        #expect(kinds[1].hasPrefix("OK {\"session\""))
        #expect(kinds[2] == #"{"jsonrpc":"2.0","method"#)
        #expect(kinds[3] == #"[{"jsonrpc":"2.0","id":1"#)
        #expect(kinds[4] == #"{"jsonrpc":"2.0","method"#)
        #expect(kinds[5].hasPrefix("OK {\"pong\""))
    }

    @Test func `a watcher that has overrun is not waited for beyond its grace`() throws {
        let (deaf, player) = (try Client(path), try Client(path))
        var small: Int32 = 1
        setsockopt(
            deaf.descriptor, SOL_SOCKET, SO_RCVBUF, &small, socklen_t(MemoryLayout<Int32>.size))
        deaf.write("watch\n")
        turn()
        for _ in 0..<80 {
            player.write(String(repeating: "send displayHelp\nsend dismissHelp\n", count: 10))
            turn(.milliseconds(2))
            for _ in 0..<20 { #expect(player.line()?.hasPrefix("OK") == true) }
        }
        turn(.milliseconds(60))
        // Neither read nor told to end: the server closed it by itself.
        let lines = deaf.rest().split(separator: "\n")
        #expect(lines.count > 1)
        player.endInput()
        turn()
        #expect(server.clients == 0)
    }

    @Test func `ending lets nobody in, and is done when everybody has gone`() throws {
        let client = try Client(path)
        turn()
        var isDone = false
        server.stop {
            isDone = true
            loop.stop()
        }
        #expect(access(path, F_OK) != 0)
        if !isDone { turn() }
        #expect(isDone)
        #expect(client.rest() == "")
    }
}
