import Connections
import Glibc
import TestSupport
import Testing

/// Hostile clients and many clients over HTTP. The daemon answers or disconnects each hostile client, and the other clients are
/// not affected.
@Suite struct WebLoadTests {
    private let folder = Folder()

    private func startDaemon(
        _ configuration: String, _ arguments: [String] = []
    ) throws -> DaemonProcess {
        let file = folder.write("gamed.conf", configuration)
        return try DaemonProcess(
            ["--config", file, "--http", "127.0.0.1:0", "--listen", "127.0.0.1:0"] + arguments)
    }

    /// A client that is connected to the HTTP address of a daemon.
    private func webClient(of daemon: DaemonProcess) throws -> Client {
        try Client(tcp: String(daemon.webAddress.dropFirst("http://".count)))
    }

    /// The text of a GET request.
    private func getRequest(
        _ path: String, _ daemon: DaemonProcess, _ headers: String = ""
    ) -> String {
        let host = daemon.webAddress.dropFirst("http://".count)
        return "GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(headers)\r\n"
    }

    @Test func `an unfinished header gets 408, even if bytes keep arriving`() throws {
        let daemon = try startDaemon("limit header=400ms\n")
        let slowClient = try webClient(of: daemon)
        let silentClient = try webClient(of: daemon)
        let idleClient = try webClient(of: daemon)
        idleClient.write(getRequest("/healthz", daemon))
        slowClient.write("GET /healthz HTTP/1.1\r\nHost: x\r\n")
        // Single bytes do not extend the time limit: the connection ends while they still arrive.
        var sentBytes = 0
        while slowClient.availableByteCount == 0, sentBytes < 10_000 {
            _ = slowClient.writeWithoutWaiting([0x61])
            usleep(2000)
            sentBytes += 1
        }
        let answer = slowClient.textUntilEnd()
        #expect(answer.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"), "\(answer)")
        #expect(sentBytes < 10_000)
        #expect(silentClient.textUntilEnd().hasPrefix("HTTP/1.1 408"))
        // After a complete request a client may be idle for longer than the limit. The limit holds again for its next request.
        while let line = idleClient.line(), line != "ok" {}
        idleClient.write(getRequest("/healthz", daemon))
        while let line = idleClient.line(), line != "ok" {}
        idleClient.write("GET /healthz HT")
        #expect(idleClient.textUntilEnd().hasPrefix("HTTP/1.1 408"))
        let bodyClient = try webClient(of: daemon)
        bodyClient.write(
            "POST /v1/rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
        )
        #expect(bodyClient.textUntilEnd().hasPrefix("HTTP/1.1 408"))
        #expect(try Client(daemon.socket).ask("ping").hasPrefix("OK"))
    }

    @Test func `a silent keep-alive connection is closed`() throws {
        let daemon = try startDaemon("limit idle=300ms\n")
        let client = try webClient(of: daemon)
        for _ in 0..<3 {
            client.write(getRequest("/healthz", daemon))
            while let line = client.line(), line != "ok" {}
        }
        #expect(client.textUntilEnd().hasPrefix("HTTP/1.1 408"))
    }

    @Test func `a client that closes its sending side gets its reply`() throws {
        let daemon = try startDaemon("")
        let client = try webClient(of: daemon)
        client.write(getRequest("/healthz", daemon, "Connection: close\r\n"))
        client.endInput()
        #expect(client.textUntilEnd().hasSuffix("\r\n\r\nok\n"))
    }

    /// A request in place of a body. A server would answer this request if the server misread the length of the body.
    private static let hiddenRequest = "GET /healthz HTTP/1.1\r\nHost: H\r\n\r\n"
    /// The beginning of a request whose further headers a test adds. Tests replace `H` by the daemon's host.
    private static let postBeginning =
        "POST /v1/rpc HTTP/1.1\r\nHost: H\r\nContent-Type: application/json\r\n"

    @Test(arguments: [
        "HEAD /healthz HTTP/1.1\r\nHost: H\r\nContent-Length: 30\r\n\r\n",
        postBeginning + "Content-Length : 54\r\n\r\n" + hiddenRequest,
        postBeginning + "Content-Length\t: 54\r\n\r\n" + hiddenRequest,
        postBeginning + "Content-Length: -0\r\n\r\n" + hiddenRequest,
        postBeginning + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + hiddenRequest,
        postBeginning + "Transfer-Encoding: identity\r\n\r\n" + hiddenRequest,
        postBeginning + "Transfer-Encoding: xchunked\r\n\r\n" + hiddenRequest,
        postBeginning + "Transfer-Encoding: \"chunked\"\r\n\r\n" + hiddenRequest,
        postBeginning + "Transfer-Encoding:\r\n\r\n" + hiddenRequest,
        postBeginning + "Transfer-Encoding: chunked\r\n\r\n0x27\r\n" + hiddenRequest,
        postBeginning + "Transfer-Encoding: chunked\r\n\r\n+27\r\n" + hiddenRequest,
        postBeginning + "Transfer-Encoding: chunked\r\n\r\n27\n" + hiddenRequest,
        postBeginning + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}" + hiddenRequest,
        "TRACE / HTTP/1.1\r\nHost: H\r\nContent-Length: 30\r\n\r\n",
        "HEAD / HTTP/1.1\r\nHost: H\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: H\r\nHost: evil\r\n\r\n",
        "GET http://evil/healthz HTTP/1.1\r\nHost: H\r\n\r\n",
        "POST /v1/rpc HTTP/1.1\r\nHost: H\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    ])
    func `an ambiguous request gets one error and the connection is closed`(
        _ request: String
    ) throws {
        let daemon = try startDaemon("")
        let client = try webClient(of: daemon)
        let host = String(daemon.webAddress.dropFirst("http://".count))
        client.write(
            request.replacing("Host: H\r\n", with: "Host: \(host)\r\n")
                + getRequest("/healthz", daemon))
        let answer = client.textUntilEnd()
        #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
        #expect(answer.ranges(of: "HTTP/1.1 ").count == 1, "\(answer)")
    }

    @Test func `a POST without a length has an empty body, and the next request is read`() throws {
        let daemon = try startDaemon("")
        let client = try webClient(of: daemon)
        let host = String(daemon.webAddress.dropFirst("http://".count))
        client.write(
            "POST /v1/rpc HTTP/1.1\r\nHost: \(host)\r\nConnection: keep-alive\r\n\r\n"
                + getRequest("/healthz", daemon, "Connection: close\r\n"))
        let answer = client.textUntilEnd()
        #expect(answer.hasPrefix("HTTP/1.1 415 "), "\(answer)")
        #expect(answer.hasSuffix("\r\n\r\nok\n"), "\(answer)")
    }

    @Test func `chunks with extensions form a body, and requests are answered in order`()
        throws
    {
        let daemon = try startDaemon("allow source:web observe\n")
        let client = try webClient(of: daemon)
        let host = String(daemon.webAddress.dropFirst("http://".count))
        let body = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        let size = String(body.utf8.count, radix: 16)
        let chunks = "\(size);note=\"a b\"\r\n\(body)\r\n0;last\r\nX-Sum: 1\r\n\r\n"
        let request = Self.postBeginning.replacing("H\r\n", with: "\(host)\r\n")
        client.write(
            getRequest("/healthz", daemon) + request + "Transfer-Encoding: chunked\r\n\r\n" + chunks
                + getRequest("/healthz", daemon, "Connection: close\r\n"))
        let answer = client.textUntilEnd()
        #expect(answer.ranges(of: "HTTP/1.1 200 OK").count == 3, "\(answer)")
        #expect(answer.contains(#"{"pong":true}"#))
    }

    @Test func `bytes that follow a stream's request do not block the daemon`() throws {
        let daemon = try startDaemon("allow source:web observe\n")
        let extraBytes = String(repeating: "x", count: 100_000)
        let closingClient = try webClient(of: daemon)
        closingClient.write(getRequest("/v1/events", daemon) + extraBytes)
        while let line = closingClient.line(), !line.hasPrefix("event: snapshot") {}
        closingClient.endInput()
        // The daemon notices at once that the client has closed its side, although the daemon has nothing to send.
        while try metric("gamed_clients{kind=\"stream\"}", daemon) != "0" {}
        let openClient = try webClient(of: daemon)
        openClient.write(getRequest("/v1/events", daemon) + extraBytes)
        while let line = openClient.line(), !line.hasPrefix("event: snapshot") {}
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd() == 0)
        #expect(!daemon.output.contains("did not read"))
    }

    /// The value of a metric of the daemon.
    private func metric(_ name: String, _ daemon: DaemonProcess) throws -> String {
        let client = try webClient(of: daemon)
        client.write(getRequest("/metrics", daemon, "Connection: close\r\n"))
        let line = client.textUntilEnd().split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.map { String($0.dropFirst(name.count + 1)) } ?? ""
    }

    /// The limit of descriptors of this process. The first use of this property raises the limit to at least 16 384, or to the
    /// system's maximum if the maximum is lower.
    private static let descriptorLimit: Int = {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
        limit.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, 16_384))
        setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
        return Int(clamping: limit.rlim_cur)
    }()

    @Test(
        .enabled(
            if: descriptorLimit >= 11_000, "the limit of descriptors for a process is too low"))
    func `ten thousand silent connections do not affect other connections`() throws {
        let daemon = try startDaemon("allow source:tcp observe\n")
        var silentClients: [Client] = []
        for _ in 0..<5000 {
            silentClients += [try Client(tcp: daemon.tcpAddress), try webClient(of: daemon)]
        }
        #expect(silentClients[0].ask("ping").hasPrefix("OK"))
        silentClients[9999].write(getRequest("/healthz", daemon))
        #expect(silentClients[9999].line() == "HTTP/1.1 200 OK\r")
        #expect(try Client(daemon.socket).ask("ping").hasPrefix("OK"))
        let memory = daemon.memory
        #expect(memory > 0)
        #expect(memory < 512 << 20)
    }

    @Test
    func `a stream that is never read is disconnected, and a thousand others get each change`()
        throws
    {
        let daemon = try startDaemon(
            "allow source:web observe\nlimit requests=0\n", ["--clock", "virtual"])
        var readers: [Client] = []
        for _ in 0..<1000 {
            let reader = try webClient(of: daemon)
            reader.write(getRequest("/v1/events?session=main", daemon))
            readers.append(reader)
        }
        let stalled = try webClient(of: daemon)
        stalled.write(getRequest("/v1/events?session=*", daemon))
        for reader in readers { while reader.line()?.hasPrefix("event: snapshot") == false {} }
        // Only the stalled client watches the session `elsewhere`. The changes of this session exceed the backlog's limit plus
        // the kernel's buffer for a socket; this buffer has 4 to 10 MB.
        let player = try Client(daemon.socket)
        #expect(player.ask("open @elsewhere").hasPrefix("OK"))
        let changes = String(
            repeating: "send @elsewhere displayHelp\nsend @elsewhere dismissHelp\n", count: 250)
        for _ in 0..<96 where !daemon.output.contains("does not read") {
            player.write(changes)
            for _ in 0..<500 { #expect(player.line()?.hasPrefix("OK {") == true) }
        }
        #expect(daemon.waitFor("does not read"))
        #expect(daemon.memory < 256 << 20)
        // The other clients are still connected, and get each change of `main` once.
        for _ in 0..<5 {
            #expect(player.ask("send displayHelp").hasPrefix("OK"))
            #expect(player.ask("send dismissHelp").hasPrefix("OK"))
        }
        for reader in readers {
            var seqs: [Int] = []
            while seqs.count < 10, let line = reader.line() {
                guard let range = line.firstRange(of: #""session":"main","seq":"#),
                    line.hasPrefix("data:")
                else { continue }
                seqs.append(Int(line[range.upperBound...].prefix { $0.isNumber }) ?? 0)
            }
            #expect(seqs == Array(2...11))
        }
    }

    @Test func `a client that reads its stream is not disconnected by many changes in one turn`()
        throws
    {
        let daemon = try startDaemon(
            "allow source:web observe\nlimit requests=0\n", ["--clock", "virtual", "--no-main"])
        let player = try Client(daemon.socket)
        for number in 0..<100 {
            let request = "open @room-\(number) playingLevel episode=1 level=1"
            #expect(player.ask(request).hasPrefix("OK"))
        }
        let reader = try webClient(of: daemon)
        reader.write(getRequest("/v1/events?session=*&topics=beats", daemon))
        while reader.line()?.hasPrefix("event: snapshot") == false {}
        // A hundred sessions beat each second, which makes about 4 MB at once.
        player.write("advance 89s\n")
        var beatCount = 0
        while beatCount < 8900, let line = reader.line() {
            #expect(!line.hasPrefix("event: overrun"))
            if line.hasPrefix("event: beat") { beatCount += 1 }
        }
        #expect(beatCount == 8900)
    }

    @Test func `the daemon stops reading from a client that reads no replies`() throws {
        let daemon = try startDaemon("limit requests=0\nlimit requestsInAll=0\n")
        let memoryBefore = daemon.memory
        let client = try webClient(of: daemon)
        let block = Array(String(repeating: getRequest("/openapi.json", daemon), count: 1000).utf8)
        var sentBytes = 0
        // Most attempts write nothing after the daemon has stopped reading.
        for _ in 0..<2000 {
            let count = client.writeWithoutWaiting(block[(sentBytes % block.count)...])
            sentBytes += count
            if count == 0 { usleep(500) }
        }
        #expect(sentBytes < 32 << 20)
        #expect(daemon.memory - memoryBefore < 16 << 20)
        #expect(try Client(daemon.socket).ask("ping").hasPrefix("OK"))
    }

    @Test func `a pending reply is sent before the daemon ends`() throws {
        let daemon = try startDaemon("allow source:web observe\nlimit requests=0\n")
        let client = try webClient(of: daemon)
        let request = #"{"jsonrpc":"2.0","id":1,"method":"describe"}"#
        let body = "[" + Array(repeating: request, count: 1000).joined(separator: ",") + "]"
        let host = daemon.webAddress.dropFirst("http://".count)
        client.write(
            "POST /v1/rpc HTTP/1.1\r\nHost: \(host)\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        #expect(client.line() == "HTTP/1.1 200 OK\r")
        daemon.signal(SIGTERM)
        let answer = client.textUntilEnd()
        #expect(answer.hasSuffix("]"))
        #expect(answer.ranges(of: #""flow":"game""#).count == 1000)
        #expect(daemon.waitForEnd() == 0)
    }

    @Test func `requests above the limit get the status 429, and the other requests 200`() throws {
        let daemon = try startDaemon("limit requests=20\nallow source:web observe\n")
        let client = try webClient(of: daemon)
        let body = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        let host = daemon.webAddress.dropFirst("http://".count)
        let request =
            "POST /v1/rpc HTTP/1.1\r\nHost: \(host)\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        client.write(String(repeating: request, count: 200))
        var statuses: [Substring: Int] = [:]
        while statuses.values.reduce(0, +) < 200, let line = client.line() {
            if line.hasPrefix("HTTP/1.1 ") {
                statuses[line.dropFirst(9).prefix(3), default: 0] += 1
            }
            // A body does not end with a newline, so the next response begins on the last line of the body.
            if let next = line.firstRange(of: "HTTP/1.1 "), next.lowerBound != line.startIndex {
                statuses[line[next.upperBound...].prefix(3), default: 0] += 1
            }
        }
        #expect(statuses["200", default: 0] >= 20)
        #expect(statuses["429", default: 0] > 100)
        #expect(statuses.count == 2)
    }

    @Test func `connections above the limit get an error`() throws {
        let daemon = try startDaemon("limit clientsPerPeer=3\n")
        let clients = try (0..<3).map { _ in try webClient(of: daemon) }
        for client in clients {
            client.write(getRequest("/healthz", daemon))
            #expect(client.line() == "HTTP/1.1 200 OK\r")
        }
        let fourth = try webClient(of: daemon)
        let answer = fourth.textUntilEnd()
        #expect(answer.hasPrefix("HTTP/1.1 429 Too Many Requests\r\n"), "\(answer)")
        #expect(answer.contains(#""which":"clientsPerPeer","limit":3"#))
        withExtendedLifetime(clients) {}
    }
}
