import Glibc
import TestSupport
import Testing

@testable import Connections

/// The method `clients`.
@Suite struct ClientsMethodTests {
    private let folder = Folder()

    private func start(_ lines: String = "") throws -> DaemonProcess {
        let file = folder.write("gamed.conf", "http 127.0.0.1:0\nlisten 127.0.0.1:0\n\(lines)")
        return try DaemonProcess(["--config", file, "--clock", "virtual"])
    }

    @Test func `each connection is listed with its rights, its watches and its requests`() throws {
        let daemon = try start("allow source:tcp observe\nallow source:web observe\n")
        let operatorClient = try Client(daemon.socket)
        let observer = try Client(tcp: daemon.tcpAddress)
        #expect(observer.ask("watch @main topics=changes,beats").hasPrefix("OK"))
        #expect(observer.ask("send displayHelp").hasPrefix("ERR forbidden"))
        #expect(observer.ask("send displayHelp").hasPrefix("ERR forbidden"))
        let stream = try Client(tcp: String(daemon.webAddress.dropFirst("http://".count)))
        stream.write(
            "GET /v1/events?session=*&topics=refusals HTTP/1.1\r\nHost: \(daemon.webAddress.dropFirst("http://".count))\r\n\r\n"
        )
        while let line = stream.line(), !line.hasPrefix("event: snapshot") {}
        let answer = operatorClient.ask("clients")
        for words in [
            #""id":"1","kind":"unix","principal":"uid:\#(getuid())","peer":{"pid":\#(getpid())"#,
            #""role":"operate","watches":[],"requests":1,"refusals":0,"#,
            #""id":"2","kind":"tcp","principal":"127.0.0.1","peer":{"address":"127.0.0.1:"#,
            #""role":"observe","watches":[{"session":"main","topics":["changes","beats"]}],"requests":3,"refusals":2,"#,
            #""id":"3","kind":"stream","principal":"127.0.0.1""#,
            #""watches":[{"session":"*","topics":["refusals"]}],"requests":1,"refusals":0,"#,
            #""more":false}"#,
        ] { #expect(answer.contains(words), "\(words) is not in \(answer)") }
        let table = ShellCommand.run("gamectl --socket $S clients", daemon)
        #expect(table.contains("main (changes,beats)") && table.contains("stream"), "\(table)")
        #expect(observer.ask("clients").hasPrefix("ERR forbidden"))
    }

    @Test func `what a client does not read is counted, for lines and for a stream`() throws {
        let daemon = try start("allow source:tcp observe\nallow source:web observe\n")
        let operatorClient = try Client(daemon.socket)
        let lines = try Client(tcp: daemon.tcpAddress)
        #expect(lines.ask("watch @* topics=refusals").hasPrefix("OK"))
        let address = String(daemon.webAddress.dropFirst("http://".count))
        let stream = try Client(tcp: address)
        stream.write(
            "GET /v1/events?session=*&topics=refusals HTTP/1.1\r\nHost: \(address)\r\n\r\n")
        while let line = stream.line(), !line.hasPrefix("event: snapshot") {}
        let reason = String(repeating: "x", count: 1000)
        var clients = ""
        // The operator's own answers can be unread for a moment, too.
        var areCounted: Bool {
            clients.contains(/"kind":"tcp"[^}]*}[^}]*}[^}]*"unreadBytes":[1-9]/)
                && clients.contains(/"kind":"stream"[^}]*}[^}]*}[^}]*"unreadBytes":[1-9]/)
        }
        // The kernel takes some of the bytes. Beyond the limit `backlogBytes`, all of them would be dropped.
        for _ in 0..<1000 where !areCounted {
            for _ in 0..<50 { _ = operatorClient.ask("send \(reason)") }
            clients = operatorClient.ask("clients")
        }
        #expect(areCounted, "\(clients)")
    }

    @Test func `a client with many watches is listed with the first of them`() throws {
        let daemon = try start()
        let client = try Client(daemon.socket)
        for number in 1...20 {
            #expect(client.ask("open @s\(number) flow=game").hasPrefix("OK"))
            #expect(client.ask("watch @s\(number)").hasPrefix("OK"))
        }
        let operatorClient = try Client(daemon.socket)
        let answer = operatorClient.ask("clients")
        #expect(answer.matches(of: /"topics":\["changes"\]/).count == 16)
        #expect(answer.contains(#""moreWatches":4"#), "\(answer)")
        #expect(ShellCommand.run("gamectl --socket $S clients", daemon).contains("and 4 more"))
    }

    @Test func `kick closes a connection, and says what would keep the client out`() throws {
        let daemon = try start("allow source:tcp observe\n")
        let operatorClient = try Client(daemon.socket)
        let observer = try Client(tcp: daemon.tcpAddress)
        #expect(observer.ask("ping").hasPrefix("OK"))
        let answer = operatorClient.ask("clients kick 2")
        #expect(!answer.contains(#""id":"2""#) && answer.contains("token remove NAME"), "\(answer)")
        #expect(observer.line() == nil)
        #expect(try Client(tcp: daemon.tcpAddress).ask("ping").hasPrefix("OK"))
        // A connection that has gone is no mistake.
        let again = operatorClient.ask("clients kick 2")
        #expect(
            again.hasPrefix("OK") && again.contains("no client has the id 2; it may have gone"),
            "\(again)")
        // But a script learns that nothing was closed.
        let third = try Client(tcp: daemon.tcpAddress)
        #expect(third.ask("ping").hasPrefix("OK"))
        let number = operatorClient.ask("clients").matches(of: /"id":"(\d+)","kind":"tcp"/).last?.1
        for (option, id, status) in [
            ("", "99999", 1), ("--json", "99999", 1), ("--json", number ?? "", 0),
        ] {
            let output = ShellCommand.run(
                "gamectl --socket \"$S\" \(option) clients kick \(id) 2>&1 >/dev/null; echo $?",
                daemon)
            let sentence =
                status == 0 ? "" : "gamectl: there is no client \(id); it may have gone already\n"
            #expect(output == "\(sentence)\(status)\n", "\(option) \(id)")
        }
        #expect(third.line() == nil)
        #expect(operatorClient.ask("clients kick").hasPrefix("ERR invalidParams"))
        #expect(operatorClient.ask("clients drop 1").hasPrefix("ERR invalidParams"))
        // An operator can close its own connection, and gets the answer before.
        #expect(operatorClient.ask("clients kick 1").hasPrefix("OK"))
        #expect(operatorClient.line() == nil)
    }

    @Test(arguments: ["clients", #"{"jsonrpc":"2.0","id":1,"method":"clients"}"#])
    func `the answer to a request is not among the bytes that its client has not read`(
        _ request: String
    ) throws {
        let daemon = try DaemonProcess([])
        let answer = try Client(daemon.socket).ask(request)
        #expect(answer.contains(#""unreadBytes":0,"#), "\(answer)")
    }

    @Test func `requests count for a minute`() {
        var recent = RecentRequests()
        (recent.requests, recent.refusals) = (5, 2)
        for _ in 0..<5 { recent.roll() }
        recent.requests += 1
        #expect(recent.lastMinute == (6, 2))
        recent.roll()
        #expect(recent.lastMinute == (1, 0))
        // The numbers since the beginning may overflow.
        recent.requests = .max
        for _ in 0..<6 { recent.roll() }
        recent.requests &+= 3
        #expect(recent.lastMinute == (3, 0))
    }
}
