import EventLoop
import GameFlow
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
    private let server: WebServer
    private let socketPath = DaemonProcess.freshSocketPath()

    init() throws {
        loop = try LibeventLoop()
        let sessions = Sessions(AnyFlow.shipped(), on: loop)
        let limits = ServerLimits()
        let identity = Dispatcher.ServerIdentity(version: "0", instance: "0", limits: limits.named)
        let context = ServerContext(
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
        task = try DeferredTask(on: loop, .normal) { [loop] in
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
