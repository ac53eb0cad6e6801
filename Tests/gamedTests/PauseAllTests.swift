import Connections
import PostgresTestSupport
import TestSupport
import Testing

/// The timers of all sessions are paused and resumed with one request.
@Suite struct PauseAllTests {
    @Test func `pause of all sessions pauses each and says how many`() throws {
        let daemon = try DaemonProcess(["--clock", "virtual", "--no-main"])
        let client = try Client(daemon.socket)
        for number in 0..<300 { client.write("open @room-\(number) help\n") }
        for _ in 0..<300 { #expect(client.line()?.hasPrefix("OK {") == true) }
        #expect(client.ask("pause @*") == #"OK {"sessions":300,"failed":[]}"#)
        let status = client.ask("status @room-7")
        #expect(status.contains(#""paused":true,"held":true"#))
        #expect(client.ask("advance 1h") == #"OK {"fired":[],"nowMs":3600000,"more":false}"#)
        #expect(client.ask("resume @*") == #"OK {"sessions":300,"failed":[]}"#)
        #expect(client.ask("status @room-7").contains(#""paused":false}"#))
        #expect(client.ask("history @room-7 limit=1").contains(#""action":"resume""#))
    }

    @Test func `one session has the short verbs, too`() throws {
        let daemon = try DaemonProcess(["--clock", "virtual", "--no-main"])
        let client = try Client(daemon.socket)
        _ = client.ask("open @a help")
        #expect(client.ask("pause @a").contains(#""held":true"#))
        let resumed = client.ask("resume @a")
        #expect(resumed.contains(#""paused":false"#) && !resumed.contains("held"))
        #expect(client.ask("pause @a helpTimedOut").contains(#""paused":true}"#))
        #expect(client.ask("extend @a").hasPrefix("ERR methodNotFound"))
    }

    @Test func `a request with an id is carried out once, and mistakes are refused`() throws {
        let daemon = try DaemonProcess(["--clock", "virtual", "--no-main"])
        let client = try Client(daemon.socket)
        for name in ["a", "b"] { _ = client.ask("open @\(name) help") }
        #expect(client.ask("pause @* id=p1") == #"OK {"sessions":2,"failed":[]}"#)
        _ = client.ask("resume @*")
        #expect(client.ask("pause @* id=p1") == #"OK {"sessions":2,"failed":[]}"#)
        #expect(client.ask("status @a").contains(#""paused":false"#))
        #expect(
            client.ask("timer @* timedOut pause").contains("only pause and resume of all timers"))
        #expect(client.ask("timer @* * restart").contains("only pause and resume of all timers"))
        #expect(client.ask("pause @* entry=3").contains("entry: not with all sessions"))
    }

    @Test func `a caller pauses the sessions that it may operate`() throws {
        let folder = Folder()
        let configuration = folder.write(
            "gamed.conf",
            """
            clock virtual
            no-main
            http 127.0.0.1:0
            tokens \(folder.path)/tokens
            allow token:room operate session=a*
            allow token:room observe
            allow token:guest play

            """)
        let daemon = try DaemonProcess(["--config", configuration])
        let client = try Client(daemon.socket)
        for name in ["a1", "a2", "b1"] { _ = client.ask("open @\(name) help") }
        let answers = ["room", "guest"].map { name in
            let token = ShellCommand.run("gamectl --socket $S token add \(name)", daemon)
                .filter(\.isHexDigit)
            return ShellCommand.run(
                "curl -s -H 'Authorization: Bearer \(token)' -H 'Content-Type: application/json' "
                    + #"-d '{"jsonrpc":"2.0","id":1,"method":"timer","params":{"session":"*","#
                    + #""fires":"*","action":"pause"}}' $WEB/v1/rpc"#, daemon)
        }
        #expect(answers[0].contains(#""result":{"sessions":2,"failed":[]}"#), "\(answers[0])")
        #expect(answers[1].contains("forbidden"), "\(answers[1])")
        #expect(client.ask("status @a1").contains(#""held":true"#))
        #expect(client.ask("status @b1").contains(#""paused":false"#))
    }

    @Test(.enabled(if: PostgresServer.absence == nil))
    func `with several nodes each owner pauses its sessions`() throws {
        let cluster = try ClusterFixture()
        let nodes = [try cluster.startNode("a"), try cluster.startNode("b")]
        try cluster.waitForBalancedShards(of: nodes)
        let clients = try nodes.map { try Client($0.socket) }
        for number in 0..<40 { _ = clients[0].ask("open @room-\(number) help") }
        #expect(clients[1].ask("pause @*") == #"OK {"sessions":40,"failed":[]}"#)
        for number in 0..<40 {
            #expect(clients[0].ask("status @room-\(number)").contains(#""held":true"#))
        }
        #expect(clients[0].ask("resume @*") == #"OK {"sessions":40,"failed":[]}"#)
    }
}
