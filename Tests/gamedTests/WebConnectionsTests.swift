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

/// The connections of a web server whose event loop the test runs.
@Suite struct WebConnectionsTests {
    private let loop: LibeventLoop
    private let context: ServerContext
    private let server: WebServer
    private let socketPath = DaemonProcess.freshSocketPath()

    init() throws {
        loop = try LibeventLoop()
        let sessions = Sessions(AnyFlow.shipped(), on: loop)
        let limits = ServerLimits()
        let identity = Dispatcher.ServerIdentity(version: "0", instance: "0", limits: limits.named)
        context = ServerContext(
            on: loop, sessions, ProtocolHandler(Dispatcher(sessions, identity)),
            Authorizer(Rules(ownUID: Rules.ownUID), try TokenFile(nil)), limits: limits)
        server = try WebServer(UnixSocket(socketPath), context, instance: "0", access: WebAccess())
    }

    @Test func `the first bytes of a connection are checked even if the loop never sleeps`() throws
    {
        // A round tests nothing if the loop sleeps after it has accepted the connection and before the first bytes arrive.
        // Therefore there are several rounds.
        for _ in 0..<20 {
            let client = try Client(socketPath)
            client.write("HEAD /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 30\r\n\r\n")
            let status = try firstLine(client)
            #expect(status?.hasPrefix("HTTP/1.1 400") == true, "\(status ?? "no reply")")
        }
    }

    @Test func `TCP does not delay the body of a reply until its header is acknowledged`() throws {
        let network = try WebServer(
            NetworkSocket(host: "127.0.0.1", port: 0), context, instance: "0", nil,
            access: WebAccess())
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
            headers.append(lines.filter { !$0.hasPrefix("Date:") })
        }
        // The answer to GET begins directly after the header of the answer to HEAD.
        #expect(headers[0] == headers[1])
        #expect(headers[0].contains { $0.hasPrefix("Content-Length: ") })
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
