import Access
import Connections
import EventLoop
import GameFlow
import Glibc
import Net
import Parts
import RPC
import Sessions
import ShippedFlows
import TestSupport
import Testing
import Timers

@testable import GamedServer

/// `HTTPConnection`: the connections of a web server whose event loop the test runs.
@Suite struct HTTPConnectionTests {
    private let loop: LibeventLoop
    private let context: ServerContext
    private let server: WebServer
    private let socketPath = DaemonProcess.freshSocketPath()

    init() throws {
        loop = try LibeventLoop()
        let sessions = Sessions(AnyFlow.shipped(), on: loop)
        let limits = ServerLimits()
        let identity = Dispatcher.ServerIdentity(version: "0", instance: "0", limits: limits.named)
        let authorizer = Authorizer(Rules(ownUID: Rules.ownUID), try TokenFile(nil))
        context = ServerContext(
            on: loop, sessions, ProtocolHandler(Dispatcher(sessions, identity)), authorizer,
            Invitations(authorizer, to: PageAddress(WebOptions()), on: loop),
            AccountLimits(limits, on: loop),
            limits: limits)
        server = try WebServer(
            UnixSocket(socketPath), context, instance: "0", access: WebAccess(WebOptions()))
    }

    @Test func `TCP does not delay the body of a reply until its header is acknowledged`() throws {
        let network = try WebServer(
            NetworkSocket(host: "127.0.0.1", port: 0), context, instance: "0", nil,
            access: WebAccess(WebOptions()))
        let client = try Client(tcp: network.address)
        client.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try firstLine(client)?.hasPrefix("HTTP/1.1 ") == true)
        let serverEnd = try #require(
            (3..<1024).first {
                Self.port($0, getpeername) == Self.port(client.descriptor, getsockname)
            })
        var isOn: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(serverEnd, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, &size)
        #expect(isOn != 0)
    }

    /// The port of one end of an IPv4 connection. `getName` is getsockname(2) or getpeername(2). Nil for any other descriptor.
    private static func port(
        _ descriptor: Int32,
        _ getName: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) ->
            Int32
    ) -> in_port_t? {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getName(descriptor, $0, &size) }
        }
        return result == 0 && address.sin_family == sa_family_t(AF_INET) ? address.sin_port : nil
    }

    /// On a kept connection, the body of an answer to HEAD would be read as the beginning of the next answer.
    @Test(arguments: ["/healthz", "/", "/nowhere", "/v1/rpc", "/metrics", "/openapi.json"])
    func `an answer to HEAD has the header of the answer to GET, and no body`(_ path: String) throws
    {
        let client = try Client(socketPath)
        var headers: [[String]] = []
        for method in ["HEAD", "GET"] {
            client.write("\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            var lines: [String] = []
            repeat {
                let line = try #require(try firstLine(client))
                lines.append(line)
            } while lines.last != "\r"
            // The metrics count the first request, so that the second answer is longer.
            headers.append(
                lines.filter {
                    !$0.hasPrefix("Date:")
                        && !(path == "/metrics" && $0.hasPrefix("Content-Length:"))
                })
        }
        // The answer to GET begins directly after the header of the answer to HEAD.
        #expect(headers[0] == headers[1])
        #expect(path == "/metrics" || headers[0].contains { $0.hasPrefix("Content-Length: ") })
    }

    // MARK: several requests on a connection

    private let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"

    /// The lines of answers to `count` times `request`.
    private func answers(_ count: Int, to client: Client) throws -> [String] {
        var lines: [String] = []
        while lines.count(where: { $0 == "ok" }) < count {
            lines.append(try #require(try firstLine(client)))
        }
        return lines
    }

    @Test func `requests that arrive together are answered in order, each once`() throws {
        let client = try Client(socketPath)
        client.write(request + request.replacing("GET", with: "PUT") + request)
        let statuses = try answers(2, to: client).compactMap { line in
            line.firstRange(of: "HTTP/1.1 ").map { line[$0.upperBound...].prefix(3) }
        }
        #expect(statuses == ["200", "405", "200"])
    }

    @Test func `a client that sends many requests at once does not keep others waiting`() throws {
        let flooding = try Client(socketPath)
        let client = try Client(socketPath)
        flooding.write(String(repeating: request, count: 500))
        client.write(request)
        _ = try answers(1, to: client)
        var count = 0
        while let line = flooding.availableLine() { if line == "ok" { count += 1 } }
        #expect(count < 100)
        _ = try answers(500 - count, to: flooding)
    }

    private let postHead =
        "POST /v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n"
        + "Expect: 100-continue\r\nContent-Length: 1\r\n\r\n"

    @Test func `a client that waits to send its body gets the answer to continue, once`() throws {
        let client = try Client(socketPath)
        client.write(postHead)
        #expect(try firstLine(client) == "HTTP/1.1 100 Continue\r")
        #expect(try firstLine(client) == "\r")
        client.write("x")
        #expect(try firstLine(client) == "HTTP/1.1 401 Unauthorized\r")
        let other = try Client(socketPath)
        other.write(postHead + "x")
        #expect(try firstLine(other) == "HTTP/1.1 401 Unauthorized\r")
    }

    @Test func `a connection of HTTP/1.0 stays only if the client asks for it`() throws {
        for (header, stays) in [("", false), ("Connection: Keep-Alive\r\n", true)] {
            let client = try Client(socketPath)
            client.write("GET /healthz HTTP/1.0\r\nHost: localhost\r\n\(header)\r\n")
            let lines = try answers(1, to: client)
            #expect(lines.first == "HTTP/1.0 200 OK\r")
            #expect(lines.contains("Connection: \(stays ? "keep-alive" : "close")\r"))
            if stays {
                client.write(request)
                _ = try answers(1, to: client)
            } else {
                #expect(client.textUntilEnd().isEmpty)
            }
        }
    }

    // MARK: the age of a request

    @Test func `a request that arrives while another is answered is as old as its arrival`() throws
    {
        let client = try Client(socketPath)
        // The client does not read these answers, which are longer than the buffer of its socket.
        let page = request.replacing("/healthz", with: "/openapi.json")
        client.write(String(repeating: page, count: 50))
        for _ in 0..<10_000 where server.connections.values.first?.isAnswering != true {
            loop.run(for: .milliseconds(1))
        }
        let connection = try #require(server.connections.values.first)
        #expect(connection.isAnswering)
        let arrival = loop.timerQueue.now
        client.write(request)
        loop.run(for: .milliseconds(50))
        var lines: [String] = []
        for _ in 0..<10_000 where lines.last != "ok" {
            loop.run(for: .milliseconds(1))
            while let line = client.availableLine() { lines.append(line) }
        }
        #expect(lines.last == "ok")
        #expect(connection.sentSince <= arrival)
    }

    @Test func `a request that arrives at an idle connection is as old as the last look at it`()
        throws
    {
        let client = try Client(socketPath)
        client.write(request)
        _ = try answers(1, to: client)
        let connection = try #require(server.connections.values.first)
        for _ in 0..<3 {
            let answered = loop.timerQueue.now
            loop.run(for: .milliseconds(30))
            let arrival = loop.timerQueue.now
            // The loop looks at the connection at the beginning of each turn.
            loop.run(for: .milliseconds(1))
            client.write(request)
            _ = try answers(1, to: client)
            #expect(connection.sentSince > answered && connection.sentSince >= arrival)
        }
    }

    /// Runs the loop until the client receives a line, and returns the line; nil after two minutes. A task that requests itself
    /// again and again keeps the loop from sleeping.
    private func firstLine(_ client: Client) throws -> String? {
        var line: String?
        var task: DeferredTask?
        task = DeferredTask(on: loop) { [loop] in
            line = client.availableLine()
            if line == nil { task?.call() } else { loop.stop() }
        }
        task?.call()
        let timeout = ScopedCountdown(on: loop, .seconds(120)) { [loop] in loop.stop() }
        loop.run()
        withExtendedLifetime(timeout) {}
        task = nil
        return line
    }
}
