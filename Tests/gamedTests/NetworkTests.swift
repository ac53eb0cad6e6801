import Connections
import Glibc
import TestSupport
import Testing

/// Clients that send lines over TCP: their rights, authentication, and limits.
@Suite struct NetworkTests {
    private let folder = Folder()

    private func startDaemon(
        _ configuration: String, _ arguments: [String] = []
    ) throws -> DaemonProcess {
        let file = folder.write("gamed.conf", configuration)
        return try DaemonProcess(
            ["--config", file, "--listen", "127.0.0.1:0", "--clock", "virtual"] + arguments)
    }

    /// Adds a token with gamectl, and returns it.
    private func addToken(_ name: String, to daemon: DaemonProcess) -> String {
        let output = ShellCommand.run("gamectl --socket $S token add \(name)", daemon)
        return output.filter(\.isHexDigit)
    }

    @Test func `a TCP client without a token can only authenticate`() throws {
        let daemon = try startDaemon("allow token:desk play\n")
        let client = try Client(tcp: daemon.tcpAddress)
        for line in ["ping", "hello", "status", "send startPlaying", "watch", "describe"] {
            #expect(client.ask(line).hasPrefix("ERR forbidden "), "\(line)")
        }
        let invalidToken =
            #"ERR forbidden {"method":"auth","source":"tcp","needs":"a valid token"}"#
        #expect(client.ask("auth 00") == invalidToken)
        #expect(client.ask("auth \(addToken("desk", to: daemon))") == #"OK {"role":"play"}"#)
        let change = client.ask("send startPlaying")
        #expect(change.contains(#""source":{"kind":"tcp"}"#))
        let history = ShellCommand.run("gamectl --socket $S history --json", daemon)
        #expect(history.contains(#""source":{"kind":"tcp","peer":{"address":"127.0.0.1:"#))
        #expect(history.contains(#""as":"token:desk"}"#))
        #expect(
            client.ask("goto help")
                == #"ERR forbidden {"method":"goto","source":"tcp","needs":"operate"}"#)
        #expect(
            client.ask(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
                == #"{"jsonrpc":"2.0","id":1,"result":{"pong":true}}"#)
    }

    @Test func `a token without a rule grants nothing`() throws {
        let daemon = try startDaemon("allow token:other play\n")
        let client = try Client(tcp: daemon.tcpAddress)
        #expect(client.ask("auth \(addToken("desk", to: daemon))").hasPrefix("OK {\"role\":null}"))
        #expect(client.ask("status").hasPrefix("ERR forbidden"))
    }

    @Test func `removing a token ends only the connections that use this token`() throws {
        let daemon = try startDaemon("allow token:a observe\nallow token:b observe\n")
        let clientA = try Client(tcp: daemon.tcpAddress)
        let clientB = try Client(tcp: daemon.tcpAddress)
        #expect(clientA.ask("auth \(addToken("a", to: daemon))").hasPrefix("OK"))
        #expect(clientB.ask("auth \(addToken("b", to: daemon))").hasPrefix("OK"))
        #expect(clientA.ask("watch").hasPrefix("OK"))
        #expect(
            ShellCommand.run("gamectl --socket $S token remove a", daemon)
                == "token a removed; 1 connection closed\n")
        #expect(clientA.line() == nil)
        #expect(clientB.ask("ping").hasPrefix("OK"))
        #expect(ShellCommand.run("gamectl --socket $S token list", daemon) == "b\n")
    }

    @Test func `changed rules apply to existing connections`() throws {
        let daemon = try startDaemon("allow source:tcp operate\nlimit requests=100000\n")
        let client = try Client(tcp: daemon.tcpAddress)
        #expect(client.ask("goto help").hasPrefix("OK"))
        folder.write("gamed.conf", "allow source:tcp observe\n")
        daemon.signal(SIGHUP)
        #expect(daemon.waitFor("configuration reloaded; rules: 1"))
        #expect(client.ask("goto introduction").hasPrefix("ERR forbidden"))
        #expect(client.ask("status").hasPrefix("OK"))
        #expect(client.ask("watch").hasPrefix("OK"))
        folder.write("gamed.conf", "allow source:tcp nonsense\n")
        daemon.signal(SIGHUP)
        #expect(daemon.waitFor("gamed.conf:1:18: nonsense: expected observe, play, operate"))
        #expect(daemon.waitFor("the configuration is unchanged"))
        #expect(client.ask("status").hasPrefix("OK"))
        folder.write("gamed.conf", "allow source:web observe\n")
        daemon.signal(SIGHUP)
        #expect(client.line() == nil, "the watch continues without the right to it")
    }

    @Test func `a token that was removed and added again is a different token`() throws {
        let tokens = "\(folder.path)/tokens"
        let daemon = try startDaemon("allow token:desk observe\n", ["--tokens", tokens])
        let client = try Client(tcp: daemon.tcpAddress)
        #expect(client.ask("auth \(addToken("desk", to: daemon))").hasPrefix("OK"))
        folder.write("tokens", "desk \(String(repeating: "0", count: 64))\n")
        daemon.signal(SIGHUP)
        #expect(client.line() == nil)
    }

    @Test func `limits can be set at the start and changed by SIGHUP, and hello shows them`() throws
    {
        let daemon = try startDaemon("limit clients=100\nallow source:tcp observe\n")
        func limits() -> String { ShellCommand.run("gamectl --socket $S --json hello", daemon) }
        #expect(limits().contains(#""clients":100,"#))
        for (clientLimit, reloadCount) in [(10, 1), (200, 2)] {
            folder.write("gamed.conf", "limit clients=\(clientLimit)\nlimit requests=7\n")
            daemon.signal(SIGHUP)
            let reloadLines = Array(
                repeating: "reload: configuration reloaded; rules: 0; changed: ", count: reloadCount
            )
            #expect(daemon.waitFor(reloadLines[0], times: reloadCount))
            #expect(limits().contains(#""clients":\#(clientLimit),"#))
            #expect(limits().contains(#""requests":7,"#))
        }
    }

    @Test func `the name of an event adds no line to the log, and makes no line of the log long`()
        throws
    {
        let daemon = try startDaemon("")
        let client = try Client(tcp: daemon.tcpAddress)
        let longName = "e" + String(repeating: "\u{301}", count: 9000)
        for event in [#"x\n<2>gamed: FAKE\u001b[2J"#, longName] {
            let request =
                #"{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"\#(event)"}}"#
            #expect(client.ask(request).contains(#""message":"forbidden""#))
        }
        #expect(client.ask("auth 00").hasPrefix("ERR forbidden"))
        #expect(daemon.waitFor("2 refused so far"))
        #expect(daemon.output.contains(#"may not x\u000a<2>gamed: FAKE\u001b[2J: needs play"#))
        #expect(daemon.output.split(separator: "\n").allSatisfy { $0.utf8.count < 400 })
    }

    @Test func `an idle client is disconnected, and a client that watches is not`() throws {
        let daemon = try startDaemon("allow source:tcp observe\nlimit idle=300ms\n")
        let silentClient = try Client(tcp: daemon.tcpAddress)
        let watcher = try Client(tcp: daemon.tcpAddress)
        let slowClient = try Client(tcp: daemon.tcpAddress)
        #expect(watcher.ask("watch").hasPrefix("OK"))
        #expect(silentClient.line() == nil)
        // Bytes without a newline do not make the client active: it is disconnected while it sends them.
        var sentBytes = 0
        while slowClient.writeWithoutWaiting([0x61]) == 1, sentBytes < 10_000 {
            usleep(2000)
            sentBytes += 1
        }
        #expect(sentBytes < 10_000)
        #expect(watcher.ask("ping") == #"OK {"pong":true}"#)
    }

    @Test func `too many requests per second get an error, over TCP and HTTP`() throws {
        let daemon = try startDaemon(
            "allow source:tcp observe\nlimit requests=5\n", ["--http", "127.0.0.1:0"])
        let client = try Client(tcp: daemon.tcpAddress)
        client.write(String(repeating: "ping\n", count: 50))
        let answers = (0..<50).compactMap { _ in client.line() }
        let refused = answers.filter { $0 == #"ERR limit {"which":"requests","limit":5}"# }
        #expect(answers.count == 50)
        #expect(refused.count > 30)
        #expect(answers.prefix(5).allSatisfy { $0.hasPrefix("OK") })
        let request = #"{"jsonrpc":"2.0","id":"a","method":"ping"}"#
        client.write("[" + Array(repeating: request, count: 60).joined(separator: ",") + "]\n")
        #expect(client.line()?.contains(#""id":"a","error":{"code":11,"message":"limit""#) == true)
        // By default the number of requests over the UNIX socket is not limited.
        let unixClient = try Client(daemon.socket)
        unixClient.write(String(repeating: "ping\n", count: 50))
        #expect((0..<50).allSatisfy { _ in unixClient.line()?.hasPrefix("OK") == true })
        let statuses = ShellCommand.run(
            // One process sends all 60 requests in much less than six seconds. In six seconds only 30 requests are allowed.
            "curl -s -o /dev/null -w '%{http_code}\\n' -H 'Content-Type: application/json'"
                + " -d '\(request)' \"$WEB/v1/rpc#[1-60]\" | sort | uniq -c", daemon)
        #expect(statuses.contains(" 429"), "\(statuses)")
    }

    @Test func `the connections of one peer are limited, and others can connect`() throws {
        let daemon = try startDaemon("allow source:tcp observe\nlimit clientsPerPeer=2\n")
        let clients = try (0..<2).map { _ in try Client(tcp: daemon.tcpAddress) }
        for client in clients { #expect(client.ask("ping").hasPrefix("OK")) }
        let third = try Client(tcp: daemon.tcpAddress)
        #expect(
            third.textUntilEnd()
                == #"{"jsonrpc":"2.0","id":null,"error":{"code":11,"message":"limit","data":{"which":"clientsPerPeer","limit":2}}}"#
                + "\n")
        #expect(try Client(daemon.socket).ask("ping").hasPrefix("OK"))
        withExtendedLifetime(clients) {}
    }

    @Test func `a flood over TCP does not delay timers or the UNIX socket`() throws {
        let file = folder.write(
            "gamed.conf", "allow source:tcp observe\nlimit requests=0\nlimit requestsInAll=0\n")
        let daemon = try DaemonProcess([
            "--config", file, "--listen", "127.0.0.1:0", "--flow", "game",
        ])
        let floodingClients = try (0..<8).map { _ in try Client(tcp: daemon.tcpAddress) }
        let pings = Array(String(repeating: "ping\n", count: 2000).utf8)
        let unixClient = try Client(daemon.socket)
        for event in ["startPlaying", "chooseEpisode episode=1", "chooseLevel level=1"] {
            #expect(unixClient.ask("send \(event)").hasPrefix("OK"))
        }
        #expect(unixClient.ask("watch topics=beats").hasPrefix("OK"))
        var beats: [String] = []
        while beats.count < 2 {
            for client in floodingClients {
                _ = client.writeWithoutWaiting(pings[...])
                _ = client.discardLines()
            }
            if let line = unixClient.availableLine() { beats.append(line) }
        }
        #expect(beats.allSatisfy { $0.contains(#""missed":0"#) })
    }
}
