import Connections
import Glibc
import TestSupport
import Testing

/// Hostile and broken clients. Each gets an error or is disconnected, and other clients are not affected.
@Suite struct HostileClientTests {
    @Test func `at the end of input each line is answered; an incomplete last line is an error`()
        throws
    {
        let daemon = try DaemonProcess()
        let client = try Client(daemon.socket)
        client.write("send displayHelp\nsend dismissHelp")
        client.endInput()
        let answers = client.textUntilEnd().split(separator: "\n")
        #expect(answers.count == 2)
        #expect(answers[0].hasPrefix("OK {"))
        #expect(answers[1] == #"ERR parseError {"why":"the last line has no end"}"#)
        #expect(try Client(daemon.socket).ask("status").contains(#""state":"help""#))
    }

    @Test func `a line of 10 MiB gets one error, and the connection stays open`() throws {
        let daemon = try DaemonProcess()
        let client = try Client(daemon.socket)
        client.write(String(repeating: "x", count: 10 << 20) + "\n")
        #expect(client.line() == #"ERR limit {"which":"lineBytes","limit":65536}"#)
        client.write("{" + String(repeating: " ", count: 1 << 20) + "}\n")
        #expect(
            client.line()
                == #"{"jsonrpc":"2.0","id":null,"error":{"code":11,"message":"limit","data":{"which":"lineBytes","limit":65536}}}"#
        )
        #expect(client.ask("ping") == #"OK {"pong":true}"#)
    }

    @Test func `a client killed in the middle of a line does not affect other clients`() throws {
        let daemon = try DaemonProcess()
        let otherClient = try Client(daemon.socket)
        for _ in 0..<50 {
            let client = try Client(daemon.socket)
            client.write(#"{"jsonrpc":"2.0","id":1,"method":"send","params":{"eve"#)
        }
        #expect(otherClient.ask("status").contains(#""seq":1"#))
    }

    @Test func `a thousand silent connections do not affect other connections`() throws {
        let daemon = try DaemonProcess()
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
        limit.rlim_cur = min(limit.rlim_max, max(limit.rlim_cur, 4096))
        setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit)
        let silentClients = try (0..<1000).map { _ in try Client(daemon.socket) }
        #expect(try Client(daemon.socket).ask("ping") == #"OK {"pong":true}"#)
        #expect(silentClients[999].ask("ping") == #"OK {"pong":true}"#)
        #expect(daemon.memory < 256 << 20)
        withExtendedLifetime(silentClients) {}
    }

    @Test func `the daemon stops reading from a client that does not read, and loses no request`()
        throws
    {
        let daemon = try DaemonProcess()
        let client = try Client(daemon.socket)
        // Each request has 5 bytes.
        let requestCount = 1_000_000
        let block = Array(String(repeating: "ping\n", count: 10_000).utf8)
        var (sentBytes, replyCount) = (0, 0)
        func sendMore() -> Bool {
            let offset = sentBytes % block.count
            let count = client.writeWithoutWaiting(
                block[offset..<min(block.count, offset + 5 * requestCount - sentBytes)])
            sentBytes += count
            return count > 0
        }
        let otherClient = try Client(daemon.socket)
        while sendMore() { _ = otherClient.ask("ping") }
        // The daemon reads no more from this client. It still answers other clients, and its memory has not grown.
        #expect(otherClient.ask("ping") == #"OK {"pong":true}"#)
        #expect(sentBytes < 5 * requestCount)
        #expect(daemon.memory < 128 << 20)
        while replyCount < requestCount {
            while sentBytes < 5 * requestCount, sendMore() {}
            replyCount += client.discardLines()
        }
        #expect(replyCount == requestCount)
        #expect(client.ask("ping") == #"OK {"pong":true}"#)
    }

    @Test
    func `a subscriber that does not read is disconnected with a reason, and others continue`()
        throws
    {
        let daemon = try DaemonProcess(["--clock", "virtual"])
        let (stalled, reader, player) = (
            try Client(daemon.socket), try Client(daemon.socket), try Client(daemon.socket)
        )
        _ = stalled.ask("watch")
        _ = reader.ask("watch")
        // A change has about 400 bytes, so all changes together exceed the limit of the backlog and the socket's buffer.
        let requests = String(repeating: "send displayHelp\nsend dismissHelp\n", count: 250)
        for _ in 0..<12 {
            player.write(requests)
            for _ in 0..<500 {
                #expect(player.line()?.hasPrefix("OK {") == true)
                #expect(reader.line()?.hasPrefix("{") == true)
            }
        }
        #expect(daemon.waitFor("does not read"))
        let lines = stalled.textUntilEnd().split(separator: "\n")
        #expect(
            lines.last?.hasPrefix(#"{"jsonrpc":"2.0","method":"overrun","params":{"dropped":"#)
                == true)
        #expect(
            lines.dropLast().allSatisfy {
                $0.hasPrefix(#"{"jsonrpc":"2.0","method":"change""#) && $0.hasSuffix("}")
            })
        #expect(player.ask("ping") == #"OK {"pong":true}"#)
        #expect(reader.ask("unwatch") == "OK {}")
    }

    @Test func `a subscriber that reads gets each of many notifications after a long answer`()
        throws
    {
        let daemon = try DaemonProcess(["--clock", "virtual", "--no-main"])
        let client = try Client(daemon.socket)
        for i in 0..<3000 {
            client.write("open @s\(i) playingLevel episode=1 level=1\n")
            #expect(client.line()?.hasPrefix("OK {") == true)
        }
        _ = client.ask("watch @* topics=changes,beats")
        // The answer fills the socket before the client can read.
        client.write("advance 3s\nping\n")
        client.endInput()
        let lines = client.textUntilEnd().split(separator: "\n")
        #expect(lines.count { $0.contains(#""method":"beat""#) } == 9000)
        #expect(lines.contains(#"OK {"pong":true}"#))
    }

    @Test func `an overrun arrives over TCP although the client has sent requests`() throws {
        let configuration = Folder()
        let path = configuration.write("gamed.conf", "allow source:tcp observe\n")
        let daemon = try DaemonProcess(
            ["--clock", "virtual", "--config", path, "--listen", "127.0.0.1:0"])
        let (stalled, player) = (try Client(tcp: daemon.tcpAddress), try Client(daemon.socket))
        _ = stalled.ask("watch topics=refusals")
        let argument = String(repeating: "y", count: 30_000)
        // More than the kernel's buffers of the connection and the limit of the backlog, and less than that of a client that reads.
        for _ in 0..<400 {
            #expect(player.ask(#"send startPlaying {"x":"\#(argument)"}"#).hasPrefix("ERR"))
        }
        #expect(daemon.waitFor("does not read"))
        stalled.write("ping\n")
        _ = player.ask("ping")
        let lines = stalled.textUntilEnd().split(separator: "\n")
        #expect(
            lines.last?.contains(#""method":"overrun""#) == true, "\(lines.last?.prefix(80) ?? "")")
    }

    @Test func `thousands of requests for missed changes need little memory`() throws {
        let daemon = try DaemonProcess(["--clock", "virtual"])
        let (watcher, player) = (try Client(daemon.socket), try Client(daemon.socket))
        for _ in 0..<20 {
            player.write(String(repeating: "send displayHelp\nsend dismissHelp\n", count: 500))
            for _ in 0..<1000 { #expect(player.line()?.hasPrefix("OK {") == true) }
        }
        let memoryBefore = daemon.memory
        let watchRequest =
            #"{"jsonrpc":"2.0","method":"watch","params":{"session":"*","since":0}}"# + "\n"
        watcher.write(String(repeating: watchRequest, count: 3000))
        #expect(player.ask("ping") == #"OK {"pong":true}"#)
        #expect(daemon.memory - memoryBefore < 16 << 20)
        // The watcher still gets the changes that it requested, beginning with the first change.
        #expect(watcher.line()?.contains(#""pos":1,"#) == true)
    }

    @Test func `a subscriber that reads is not disconnected because of many changes in one turn`()
        throws
    {
        let daemon = try DaemonProcess(["--clock", "virtual", "--no-main"])
        let (reader, player) = (try Client(daemon.socket), try Client(daemon.socket))
        let sessionCount = 3500
        player.write((0..<sessionCount).map { "open @room-\($0) help\n" }.joined())
        for _ in 0..<sessionCount { #expect(player.line()?.hasPrefix("OK {") == true) }
        #expect(reader.ask("watch @*").hasPrefix("OK {"))
        // The daemon makes about 1.5 MB of changes at one instant.
        #expect(player.ask("advance 30s").hasSuffix(#""more":false}"#))
        for _ in 0..<sessionCount {
            #expect(reader.line()?.hasPrefix(#"{"jsonrpc":"2.0","method":"change""#) == true)
        }
        #expect(reader.ask("ping") == #"OK {"pong":true}"#)
    }
}
