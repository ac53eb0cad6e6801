import Glibc
import TestSupport
import Testing

/// Lines over TCP: access, authentication and time limits.
@Suite struct NetworkTests {
    private let folder = Folder()

    private func daemon(_ configuration: String, _ arguments: [String] = []) throws -> DaemonProcess
    {
        let file = folder.write("gamed.conf", configuration)
        return try DaemonProcess(
            ["--config", file, "--listen", "127.0.0.1:0", "--clock", "virtual"] + arguments)
    }

    private func token(_ name: String, _ daemon: DaemonProcess) -> String {
        let token = ShellCommand.run("gamectl --socket $S token add \(name)", daemon)
        return token.filter(\.isHexDigit)
    }

    @Test func `a TCP client without a token can only authenticate`() throws {
        let daemon = try daemon("allow token:desk play\n")
        let client = try Client(tcp: daemon.lines)
        for line in ["ping", "hello", "status", "send startPlaying", "watch", "describe"] {
            #expect(client.ask(line).hasPrefix("ERR forbidden "), "\(line)")
        }
        let needs =
            #"ERR forbidden {"method":"auth","source":"tcp","needs":"a valid token"}"#
        #expect(client.ask("auth 00") == needs)
        #expect(client.ask("auth \(token("desk", daemon))") == #"OK {"role":"play"}"#)
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
        let daemon = try daemon("allow token:other play\n")
        let client = try Client(tcp: daemon.lines)
        #expect(client.ask("auth \(token("desk", daemon))").hasPrefix("OK {\"role\":null}"))
        #expect(client.ask("status").hasPrefix("ERR forbidden"))
    }

    @Test func `removing a token ends its connections only`() throws {
        let daemon = try daemon("allow token:a observe\nallow token:b observe\n")
        let (gone, stays) = (try Client(tcp: daemon.lines), try Client(tcp: daemon.lines))
        #expect(gone.ask("auth \(token("a", daemon))").hasPrefix("OK"))
        #expect(stays.ask("auth \(token("b", daemon))").hasPrefix("OK"))
        #expect(gone.ask("watch").hasPrefix("OK"))
        #expect(
            ShellCommand.run("gamectl --socket $S token remove a", daemon)
                == "token a removed; 1 connection closed\n")
        #expect(gone.line() == nil)
        #expect(stays.ask("ping").hasPrefix("OK"))
        #expect(ShellCommand.run("gamectl --socket $S token list", daemon) == "b\n")
    }

    @Test func `changed rules apply to existing connections`() throws {
        let daemon = try daemon("allow source:tcp operate\nlimit requests=100000\n")
        let client = try Client(tcp: daemon.lines)
        #expect(client.ask("goto help").hasPrefix("OK"))
        folder.write("gamed.conf", "allow source:tcp observe\n")
        daemon.signal(SIGHUP)
        #expect(daemon.waitFor("configuration reloaded; 1 rules"))
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

    @Test func `a token that was removed and added again is a different one`() throws {
        let tokens = "\(folder.path)/tokens"
        let daemon = try daemon("allow token:desk observe\n", ["--tokens", tokens])
        let client = try Client(tcp: daemon.lines)
        #expect(client.ask("auth \(token("desk", daemon))").hasPrefix("OK"))
        folder.write("tokens", "desk \(String(repeating: "0", count: 64))\n")
        daemon.signal(SIGHUP)
        #expect(client.line() == nil)
    }

    @Test func `limits can be raised, and hello shows them`() throws {
        let daemon = try daemon("limit clients=100\nallow source:tcp observe\n")
        func limits() -> String { ShellCommand.run("gamectl --socket $S --json hello", daemon) }
        #expect(limits().contains(#""clients":100,"#))
        for (count, times) in [(10, 1), (200, 2)] {
            folder.write("gamed.conf", "limit clients=\(count)\nlimit requests=7\n")
            daemon.signal(SIGHUP)
            let expected = Array(
                repeating: "SIGHUP: configuration reloaded; 0 rules\n", count: times)
            #expect(daemon.waitFor(expected.joined(separator: "gamed: ")))
            #expect(limits().contains(#""clients":\#(count),"#))
            #expect(limits().contains(#""requests":7,"#))
        }
    }

    @Test func `a client's name cannot add lines to the log or make long ones`() throws {
        let daemon = try daemon("")
        let client = try Client(tcp: daemon.lines)
        let long = "e" + String(repeating: "\u{301}", count: 9000)
        for event in [#"x\n<2>gamed: FAKE\u001b[2J"#, long] {
            let request =
                #"{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"\#(event)"}}"#
            #expect(client.ask(request).contains(#""message":"forbidden""#))
        }
        #expect(client.ask("auth 00").hasPrefix("ERR forbidden"))
        #expect(daemon.waitFor("2 refused so far"))
        #expect(daemon.output.contains(#"may not x\u000a<2>gamed: FAKE\u001b[2J: needs play"#))
        #expect(daemon.output.split(separator: "\n").allSatisfy { $0.utf8.count < 400 })
    }

    @Test func `an idle client is disconnected, and a subscriber is not`()
        throws
    {
        let daemon = try daemon("allow source:tcp observe\nlimit idle=300ms\n")
        let (silent, watcher) = (try Client(tcp: daemon.lines), try Client(tcp: daemon.lines))
        let slow = try Client(tcp: daemon.lines)
        #expect(watcher.ask("watch").hasPrefix("OK"))
        #expect(silent.line() == nil)
        // Bytes without a newline do not make the client active: it is disconnected while it sends them.
        var sent = 0
        while slow.writeWithoutWaiting([0x61]) == 1, sent < 10_000 {
            usleep(2000)
            sent += 1
        }
        #expect(sent < 10_000)
        #expect(watcher.ask("ping") == #"OK {"pong":true}"#)
    }

    @Test func `too many requests per second get an error, over TCP and HTTP`() throws {
        let daemon = try daemon(
            "allow source:tcp observe\nlimit requests=5\n", ["--http", "127.0.0.1:0"])
        let client = try Client(tcp: daemon.lines)
        client.write(String(repeating: "ping\n", count: 50))
        let answers = (0..<50).compactMap { _ in client.line() }
        let refused = answers.filter { $0 == #"ERR limit {"which":"requests","limit":5}"# }
        #expect(answers.count == 50)
        #expect(refused.count > 30)
        #expect(answers.prefix(5).allSatisfy { $0.hasPrefix("OK") })
        let request = #"{"jsonrpc":"2.0","id":"a","method":"ping"}"#
        client.write("[" + Array(repeating: request, count: 60).joined(separator: ",") + "]\n")
        #expect(client.line()?.contains(#""id":"a","error":{"code":11,"message":"limit""#) == true)
        // By default the UNIX socket has no such limit.
        let own = try Client(daemon.socket)
        own.write(String(repeating: "ping\n", count: 50))
        #expect((0..<50).allSatisfy { _ in own.line()?.hasPrefix("OK") == true })
        let flood = ShellCommand.run(
            // One process sends all requests, so they take much less than the six seconds in which thirty are allowed.
            "curl -s -o /dev/null -w '%{http_code}\\n' -H 'Content-Type: application/json'"
                + " -d '\(request)' \"$WEB/v1/rpc#[1-60]\" | sort | uniq -c", daemon)
        #expect(flood.contains(" 429"), "\(flood)")
    }

    @Test func `the connections of one peer are limited, and others can connect`() throws {
        let daemon = try daemon("allow source:tcp observe\nlimit clientsPerPeer=2\n")
        let clients = try (0..<2).map { _ in try Client(tcp: daemon.lines) }
        for client in clients { #expect(client.ask("ping").hasPrefix("OK")) }
        let third = try Client(tcp: daemon.lines)
        #expect(
            third.rest()
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
        let flood = try (0..<8).map { _ in try Client(tcp: daemon.lines) }
        let block = Array(String(repeating: "ping\n", count: 2000).utf8)
        let own = try Client(daemon.socket)
        for event in ["startPlaying", "chooseEpisode episode=1", "chooseLevel level=1"] {
            #expect(own.ask("send \(event)").hasPrefix("OK"))
        }
        #expect(own.ask("watch topics=beats").hasPrefix("OK"))
        var beats: [String] = []
        while beats.count < 2 {
            for client in flood {
                _ = client.writeWithoutWaiting(block[...])
                _ = client.discardLines()
            }
            if let line = own.availableLine() { beats.append(line) }
        }
        #expect(beats.allSatisfy { $0.contains(#""missed":0"#) })
    }
}
