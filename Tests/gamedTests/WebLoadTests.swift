import Glibc
import TestSupport
import Testing

/// Hostile clients and many clients over HTTP. Each is answered or disconnected, and others are not affected.
@Suite struct WebLoadTests {
    private let folder = Folder()

    private func daemon(_ configuration: String, _ arguments: [String] = []) throws -> DaemonProcess
    {
        let file = folder.write("gamed.conf", configuration)
        return try DaemonProcess(
            ["--config", file, "--http", "127.0.0.1:0", "--listen", "127.0.0.1:0"] + arguments)
    }

    private func web(_ daemon: DaemonProcess) throws -> Client {
        try Client(tcp: String(daemon.web.dropFirst("http://".count)))
    }

    private func get(_ path: String, _ daemon: DaemonProcess, _ headers: String = "") -> String {
        let host = daemon.web.dropFirst("http://".count)
        return "GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(headers)\r\n"
    }

    @Test func `an unfinished header gets 408, even if bytes keep arriving`() throws {
        let daemon = try daemon("limit header=400ms\n")
        let (slow, silent, other) = (try web(daemon), try web(daemon), try web(daemon))
        other.write(get("/healthz", daemon))
        slow.write("GET /healthz HTTP/1.1\r\nHost: x\r\n")
        // Single bytes do not extend the time limit: the connection ends while they still arrive.
        var sent = 0
        while slow.available == 0, sent < 10_000 {
            _ = slow.writeWithoutWaiting([0x61])
            usleep(2000)
            sent += 1
        }
        let answer = slow.rest()
        #expect(answer.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"), "\(answer)")
        #expect(sent < 10_000)
        #expect(silent.rest().hasPrefix("HTTP/1.1 408"))
        // After a complete request a client may be idle for longer, but the limit also holds for its next request.
        while let line = other.line(), line != "ok" {}
        other.write(get("/healthz", daemon))
        while let line = other.line(), line != "ok" {}
        other.write("GET /healthz HT")
        #expect(other.rest().hasPrefix("HTTP/1.1 408"))
        let body = try web(daemon)
        body.write(
            "POST /v1/rpc HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
        )
        #expect(body.rest().hasPrefix("HTTP/1.1 408"))
        #expect(try Client(daemon.socket).ask("ping").hasPrefix("OK"))
    }

    @Test func `a silent keep-alive connection is closed`() throws {
        let daemon = try daemon("limit idle=300ms\n")
        let client = try web(daemon)
        for _ in 0..<3 {
            client.write(get("/healthz", daemon))
            while let line = client.line(), line != "ok" {}
        }
        #expect(client.rest().hasPrefix("HTTP/1.1 408"))
    }

    @Test func `a client that closes its sending side gets its reply`() throws {
        let daemon = try daemon("")
        let client = try web(daemon)
        client.write(get("/healthz", daemon, "Connection: close\r\n"))
        client.endInput()
        #expect(client.rest().hasSuffix("\r\n\r\nok\n"))
    }

    private static let hidden = "GET /healthz HTTP/1.1\r\nHost: H\r\n\r\n"
    private static let post =
        "POST /v1/rpc HTTP/1.1\r\nHost: H\r\nContent-Type: application/json\r\n"

    @Test(arguments: [
        "HEAD /healthz HTTP/1.1\r\nHost: H\r\nContent-Length: 30\r\n\r\n",
        post + "Content-Length : 54\r\n\r\n" + hidden,
        post + "Content-Length\t: 54\r\n\r\n" + hidden,
        post + "Content-Length: -0\r\n\r\n" + hidden,
        post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + hidden,
        post + "Transfer-Encoding: identity\r\n\r\n" + hidden,
        post + "Transfer-Encoding: xchunked\r\n\r\n" + hidden,
        post + "Transfer-Encoding: \"chunked\"\r\n\r\n" + hidden,
        post + "Transfer-Encoding:\r\n\r\n" + hidden,
        post + "Transfer-Encoding: chunked\r\n\r\n0x27\r\n" + hidden,
        post + "Transfer-Encoding: chunked\r\n\r\n+27\r\n" + hidden,
        post + "Transfer-Encoding: chunked\r\n\r\n27\n" + hidden,
        post + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}" + hidden,
        "TRACE / HTTP/1.1\r\nHost: H\r\nContent-Length: 30\r\n\r\n",
        "HEAD / HTTP/1.1\r\nHost: H\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: H\r\nHost: evil\r\n\r\n",
        "GET http://evil/healthz HTTP/1.1\r\nHost: H\r\n\r\n",
        "POST /v1/rpc HTTP/1.1\r\nHost: H\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    ])
    func `an ambiguous request gets one error and the connection is closed`(
        _ request: String
    ) throws {
        let daemon = try daemon("")
        let client = try web(daemon)
        let host = String(daemon.web.dropFirst("http://".count))
        client.write(
            request.replacing("Host: H\r\n", with: "Host: \(host)\r\n") + get("/healthz", daemon))
        let answer = client.rest()
        #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
        #expect(answer.ranges(of: "HTTP/1.1 ").count == 1, "\(answer)")
    }

    @Test func `a body without a length gets 411 and the connection is closed`() throws {
        let daemon = try daemon("")
        let client = try web(daemon)
        let host = String(daemon.web.dropFirst("http://".count))
        client.write("POST /v1/rpc HTTP/1.1\r\nHost: \(host)\r\n\r\n" + get("/healthz", daemon))
        let answer = client.rest()
        #expect(answer.hasPrefix("HTTP/1.1 411 Length Required\r\n"), "\(answer)")
        #expect(answer.ranges(of: "HTTP/1.1 ").count == 1, "\(answer)")
    }

    @Test func `chunks with extensions form a body, and requests are answered in order`()
        throws
    {
        let daemon = try daemon("allow source:web observe\n")
        let client = try web(daemon)
        let host = String(daemon.web.dropFirst("http://".count))
        let body = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        let size = String(body.utf8.count, radix: 16)
        let chunks = "\(size);note=\"a b\"\r\n\(body)\r\n0;last\r\nX-Sum: 1\r\n\r\n"
        let request = Self.post.replacing("H\r\n", with: "\(host)\r\n")
        client.write(
            get("/healthz", daemon) + request + "Transfer-Encoding: chunked\r\n\r\n" + chunks
                + get("/healthz", daemon, "Connection: close\r\n"))
        let answer = client.rest()
        #expect(answer.ranges(of: "HTTP/1.1 200 OK").count == 3, "\(answer)")
        #expect(answer.contains(#"{"pong":true}"#))
    }

    @Test func `bytes sent after a stream's request do not block others`() throws {
        let daemon = try daemon("allow source:web observe\n")
        let noise = String(repeating: "x", count: 100_000)
        let gone = try web(daemon)
        gone.write(get("/v1/events", daemon) + noise)
        while let line = gone.line(), !line.hasPrefix("event: snapshot") {}
        gone.endInput()
        // The daemon notices at once that the client has closed its side, although it sends nothing to the client.
        while try metric("gamed_web_streams", daemon) != "0" {}
        let stays = try web(daemon)
        stays.write(get("/v1/events", daemon) + noise)
        while let line = stays.line(), !line.hasPrefix("event: snapshot") {}
        daemon.signal(SIGTERM)
        #expect(daemon.waitForEnd() == 0)
        #expect(!daemon.output.contains("did not read"))
    }

    /// The value of a metric.
    private func metric(_ name: String, _ daemon: DaemonProcess) throws -> String {
        let client = try web(daemon)
        client.write(get("/metrics", daemon, "Connection: close\r\n"))
        let line = client.rest().split(separator: "\n").first { $0.hasPrefix(name + " ") }
        return line.map { String($0.dropFirst(name.count + 1)) } ?? ""
    }

    /// Raises this process's limit of descriptors as far as possible, and returns it.
    private static let descriptors: Int = {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
        limit.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, 16_384))
        setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
        return Int(clamping: limit.rlim_cur)
    }()

    @Test(
        .enabled(if: descriptors >= 11_000, "the limit of descriptors for a process is too low"))
    func `ten thousand silent connections do not affect others`() throws {
        let daemon = try daemon("allow source:tcp observe\n")
        var silent: [Client] = []
        for _ in 0..<5000 { silent += [try Client(tcp: daemon.lines), try web(daemon)] }
        #expect(silent[0].ask("ping").hasPrefix("OK"))
        silent[9999].write(get("/healthz", daemon))
        #expect(silent[9999].line() == "HTTP/1.1 200 OK\r")
        #expect(try Client(daemon.socket).ask("ping").hasPrefix("OK"))
        let memory = daemon.memory
        #expect(memory > 0)
        #expect(memory < 512 << 20)
    }

    @Test
    func
        `one of a thousand streams that never reads is disconnected, and the others get everything`()
        throws
    {
        let daemon = try daemon(
            "allow source:web observe\nlimit requests=0\n", ["--clock", "virtual"])
        var readers: [Client] = []
        for _ in 0..<1000 {
            let reader = try web(daemon)
            reader.write(get("/v1/events?session=main", daemon))
            readers.append(reader)
        }
        let stalled = try web(daemon)
        stalled.write(get("/v1/events?session=*", daemon))
        for reader in readers { while reader.line()?.hasPrefix("event: snapshot") == false {} }
        // Only the stalled client watches this session. Its changes exceed the backlog's limit and the kernel's buffer for a
        // socket, which is 4 to 10 MB.
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
                guard let at = line.firstRange(of: #""session":"main","seq":"#),
                    line.hasPrefix("data:")
                else { continue }
                seqs.append(Int(line[at.upperBound...].prefix { $0.isNumber }) ?? 0)
            }
            #expect(seqs == Array(2...11))
        }
    }

    @Test func `a stream that reads is not disconnected because of many changes in one turn`()
        throws
    {
        let daemon = try daemon(
            "allow source:web observe\nlimit requests=0\n", ["--clock", "virtual", "--no-main"])
        let player = try Client(daemon.socket)
        for room in 0..<100 {
            let order = "open @room-\(room) playingLevel episode=1 level=1"
            #expect(player.ask(order).hasPrefix("OK"))
        }
        let reader = try web(daemon)
        reader.write(get("/v1/events?session=*&topics=beats", daemon))
        while reader.line()?.hasPrefix("event: snapshot") == false {}
        // A hundred sessions beat each second, which makes about 4 MB at once.
        player.write("advance 89s\n")
        var beats = 0
        while beats < 8900, let line = reader.line() {
            #expect(!line.hasPrefix("event: overrun"))
            if line.hasPrefix("event: beat") { beats += 1 }
        }
        #expect(beats == 8900)
    }

    @Test func `a client that sends requests and reads nothing is no longer read from`() throws {
        let daemon = try daemon("limit requests=0\nlimit requestsInAll=0\n")
        let before = daemon.memory
        let client = try web(daemon)
        let block = Array(String(repeating: get("/openapi.json", daemon), count: 1000).utf8)
        var sent = 0
        // Most attempts write nothing, once the daemon reads no more.
        for _ in 0..<2000 {
            let count = client.writeWithoutWaiting(block[(sent % block.count)...])
            sent += count
            if count == 0 { usleep(500) }
        }
        #expect(sent < 32 << 20)
        #expect(daemon.memory - before < 16 << 20)
        #expect(try Client(daemon.socket).ask("ping").hasPrefix("OK"))
    }

    @Test func `a pending reply is sent before the daemon ends`() throws {
        let daemon = try daemon("allow source:web observe\nlimit requests=0\n")
        let client = try web(daemon)
        let request = #"{"jsonrpc":"2.0","id":1,"method":"describe"}"#
        let body = "[" + Array(repeating: request, count: 1000).joined(separator: ",") + "]"
        let host = daemon.web.dropFirst("http://".count)
        client.write(
            "POST /v1/rpc HTTP/1.1\r\nHost: \(host)\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        #expect(client.line() == "HTTP/1.1 200 OK\r")
        daemon.signal(SIGTERM)
        let answer = client.rest()
        #expect(answer.hasSuffix("]"))
        #expect(answer.ranges(of: #""flow":"game""#).count == 1000)
        #expect(daemon.waitForEnd() == 0)
    }

    @Test func `a flood of requests is answered with 429, and the rest with 200`() throws {
        let daemon = try daemon("limit requests=20\nallow source:web observe\n")
        let client = try web(daemon)
        let body = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
        let host = daemon.web.dropFirst("http://".count)
        let request =
            "POST /v1/rpc HTTP/1.1\r\nHost: \(host)\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        client.write(String(repeating: request, count: 200))
        var statuses: [Substring: Int] = [:]
        while statuses.values.reduce(0, +) < 200, let line = client.line() {
            if line.hasPrefix("HTTP/1.1 ") {
                statuses[line.dropFirst(9).prefix(3), default: 0] += 1
            }
            // A body has no newline, so the next response begins on its line.
            if let next = line.firstRange(of: "HTTP/1.1 "), next.lowerBound != line.startIndex {
                statuses[line[next.upperBound...].prefix(3), default: 0] += 1
            }
        }
        #expect(statuses["200", default: 0] >= 20)
        #expect(statuses["429", default: 0] > 100)
        #expect(statuses.count == 2)
    }

    @Test func `connections above the limit get an error`() throws {
        let daemon = try daemon("limit clientsPerPeer=3\n")
        let clients = try (0..<3).map { _ in try web(daemon) }
        for client in clients {
            client.write(get("/healthz", daemon))
            #expect(client.line() == "HTTP/1.1 200 OK\r")
        }
        let fourth = try web(daemon)
        let answer = fourth.rest()
        #expect(answer.hasPrefix("HTTP/1.1 429 Too Many Requests\r\n"), "\(answer)")
        #expect(answer.contains(#""which":"clientsPerPeer","limit":3"#))
        withExtendedLifetime(clients) {}
    }
}
