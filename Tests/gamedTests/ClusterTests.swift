import Cluster
import Connections
import Glibc
import PostgresTestSupport
import Sessions
import TestSupport
import Testing

/// Several nodes on one database. The tests share a server, but each has its own database.
@Suite(.enabled(if: PostgresServer.absence == nil), .serialized) struct ClusterTests {
    private let server = PostgresServer.shared
    private let database = PostgresServer.shared.makeDatabase()
    private let folder = Folder()

    private var url: String { server.url(database) }

    /// Creates the tables of the database and the secret of the nodes.
    private func prepare() throws {
        #expect(try DaemonProcess(["--store", url, "--prepare"]).waitForEnd() == 0)
        folder.write("secret", "0123456789abcdef0123456789abcdef\n", mode: 0o600)
    }

    /// Starts a node. `secretFile` is a name in the test's folder.
    private func startNode(
        _ name: String, _ arguments: [String] = [], secretFile: String = "secret"
    ) throws -> DaemonProcess {
        let address = "127.0.0.1:\(LoopbackPort.findUnused())"
        let configuration = folder.write("\(name).conf", ClusterFixture.longHelp)
        return try DaemonProcess(
            [
                "--config", configuration, "--store", url, "--node", name, "--listen", address,
                "--advertise", address,
                "--node-secret-file", "\(folder.path)/\(secretFile)", "--no-main",
            ] + arguments, until: "listens at")
    }

    /// Waits until the nodes own all shards, and their numbers of shards differ by at most one. Any of the nodes can be asked.
    static func waitForBalancedShards(_ daemon: DaemonProcess, nodeCount: Int = 2) throws {
        let client = try Client(daemon.socket)
        let shardCount = 256 / nodeCount
        func isBalanced(_ answer: String) -> Bool {
            let nodeCounts = [shardCount, shardCount + 1].map {
                answer.ranges(of: "\"shards\":\($0),\"lease").count
            }
            return nodeCounts.reduce(0, +) == nodeCount && answer.contains(#""missing":0"#)
        }
        let answer = client.ask("nodes", until: isBalanced)
        #expect(isBalanced(answer), "the shards are not balanced: \(answer)")
    }

    @Test
    func
        `each node answers requests for the other node's sessions, in order and with the same errors`()
        throws
    {
        try prepare()
        let (a, b) = (try startNode("a"), try startNode("b"))
        try Self.waitForBalancedShards(a)
        let clients = [try Client(a.socket), try Client(b.socket)]
        let names = (1...16).map { "s\($0)" }
        for name in names {
            #expect(clients[0].ask("open @\(name)").contains(#""session":"\#(name)""#))
            #expect(clients[1].ask("send @\(name) displayHelp").contains(#""seq":2"#))
            #expect(clients[0].ask("status @\(name)").contains(#""state":"help""#))
            #expect(
                clients[0].ask("send @\(name) completeLevel")
                    == clients[1].ask("send @\(name) completeLevel"))
            #expect(clients[1].ask("history @\(name)").contains("displayHelp"))
        }
        let lists = clients.map { $0.ask("list") }
        #expect(lists[0] == lists[1])
        // The parts are the text before the first session, and one for each of the 16 sessions.
        #expect(lists[0].split(separator: "\"session\":").count == 17)
        // The replies of a batch are in the order of its requests.
        let batch = names.enumerated().map { number, name in
            #"{"jsonrpc":"2.0","id":\#(number),"method":"send","params":{"session":"\#(name)","event":"dismissHelp"}}"#
        }.joined(separator: ",")
        let replies = clients[0].ask("[\(batch)]").split(separator: "\"id\":").dropFirst()
        #expect(replies.map { Int($0.prefix { $0.isNumber }) } == Array(0..<16))
        #expect(replies.allSatisfy { $0.contains(#""seq":3"#) }, "\(replies)")
        // Each node counts the sessions of both nodes.
        let statistics = clients.map { $0.ask("stats") }
        #expect(statistics[0] == statistics[1])
        #expect(statistics[0].contains(#""flow":"game","#), "\(statistics[0])")
        #expect(statistics[0].contains(#""running":16"#), "\(statistics[0])")
        #expect(clients[0].ask("send @nobody displayHelp").hasPrefix("ERR unknownSession"))
        #expect(clients[1].ask("hello").contains(#""node":"b","store":"postgresql""#))
        // An instance id has 16 digits, and is in quotation marks.
        let instanceID = { (reply: String) in
            reply.split(separator: "\"instance\":").last?.prefix(18)
        }
        #expect(instanceID(clients[0].ask("hello")) == instanceID(clients[1].ask("hello")))
    }

    @Test
    func `the pages of a list have each session of all nodes once, in the order of the names`()
        throws
    {
        try prepare()
        let (a, b) = (try startNode("a"), try startNode("b"))
        try Self.waitForBalancedShards(a)
        let client = try Client(b.socket)
        // Many of the first sessions belong to one shard, which is asked several times.
        let all = (1000..<5000).compactMap { SessionName("s\($0)") }
        let sameShard = all.filter { ShardMap.shard(of: $0, shards: 256) == 7 }.map(\.text)
        let names = (sameShard + (1...60).map { "t\($0)" }).sorted()
        #expect(sameShard.count > 8)
        for name in names { #expect(client.ask("open @\(name)").hasPrefix("OK")) }
        #expect(client.ask("list limit=800000").contains("limit: 1 to 10000"))
        for limit in [1, 7, 12, 100] {
            var (listed, isComplete): ([String], Bool) = ([], false)
            while !isComplete, listed.count <= names.count {
                let page = client.ask(
                    "list limit=\(limit)" + (listed.last.map { " after=\($0)" } ?? ""))
                listed += page.matches(of: /"session":"(\w+)"/).map { String($0.1) }
                isComplete = page.contains(#""more":false"#)
            }
            #expect(listed == names, "limit \(limit)")
        }
    }

    @Test func `a client that wants redirects gets the owner's address`() throws {
        try prepare()
        let (a, b) = (try startNode("a"), try startNode("b"))
        try Self.waitForBalancedShards(a)
        let client = try Client(a.socket)
        for number in 1...12 { _ = client.ask("open @s\(number)") }
        #expect(client.ask("hello redirects=true").hasPrefix("OK"))
        let replies = (1...12).map { client.ask("status @s\($0)") }
        let redirects = replies.filter { $0.hasPrefix("ERR elsewhere") }
        #expect(!redirects.isEmpty && redirects.count < 12)
        #expect(redirects.allSatisfy { $0.contains(#""node":"b","address":"127.0.0.1:"#) })
        #expect(client.ask("hello redirects=false").hasPrefix("OK"))
        #expect(client.ask("status @s1").hasPrefix("OK"))
        withExtendedLifetime(b) {}
    }

    @Test func `subscriptions continue without a gap when the owner of their shards is killed`()
        throws
    {
        try prepare()
        let (a, b) = (try startNode("a"), try startNode("b"))
        try Self.waitForBalancedShards(a)
        let (watcher, sender) = (try Client(a.socket), try Client(a.socket))
        let names = (1...8).map { "s\($0)" }
        for name in names {
            _ = sender.ask("open @\(name)")
            #expect(watcher.ask("watch @\(name)").hasPrefix("OK"))
        }
        for name in names { #expect(sender.ask("send @\(name) displayHelp").hasPrefix("OK")) }
        b.signal(SIGKILL)
        b.waitForEnd()
        for name in names {
            #expect(sender.ask("send id=\(name) @\(name) dismissHelp").hasPrefix("OK"))
        }
        // `ask` returns the next line that was received, not the reply to this ping. The first 16 lines are the
        // notifications, which the daemon sent before the replies to the pings.
        var notifications: [String] = []
        while notifications.count < 16 { notifications.append(watcher.ask("ping")) }
        for name in names {
            let changes = notifications.filter { $0.contains(#""session":"\#(name)","seq":"#) }
            #expect(changes.count == 2 && changes[0].contains(#""seq":2,"#), "\(changes)")
            #expect(changes.allSatisfy { $0.contains(#""method":"change""#) })
        }
    }

    @Test
    func
        `a node that was suspended for longer than its lease executes nothing that was sent before`()
        throws
    {
        try prepare()
        let (a, b) = (try startNode("a"), try startNode("b"))
        try Self.waitForBalancedShards(a)
        let client = try Client(a.socket)
        let names = (1...8).map { "s\($0)" }
        for name in names { _ = client.ask("open @\(name)") }
        let late = try Client(b.socket)
        b.signal(SIGSTOP)
        for name in names { late.write("send id=k @\(name) displayHelp\n") }
        for name in names {
            #expect(client.ask("send id=k @\(name) displayHelp").contains(#""seq":2"#))
        }
        // The answers to later requests displace the answers to the first ones.
        for number in 1...1100 {
            let event = number % 2 == 1 ? "dismissHelp" : "displayHelp"
            #expect(client.ask("send id=o\(number) @s1 \(event)").hasPrefix("OK"))
        }
        b.signal(SIGCONT)
        #expect(late.textUntilEnd() == "")
        #expect(b.waitFor("the process stood still for"))
        let clientOfB = try Client(b.socket)
        for name in names.dropFirst() {
            #expect(clientOfB.ask("status @\(name)").contains(#""seq":2,"#))
        }
        #expect(clientOfB.ask("status @s1").contains(#""seq":1102,"#))
        #expect(clientOfB.ask("send id=k @s1 displayHelp").hasPrefix("ERR stale"))
    }

    @Test
    func `a node that stood still and acquires its shards again can undo the steps of before`()
        throws
    {
        try prepare()
        let a = try startNode("a")
        let client = try Client(a.socket)
        #expect(client.ask("open @s1").hasPrefix("OK"))
        for event in ["displayHelp", "dismissHelp"] {
            #expect(client.ask("send @s1 \(event)").hasPrefix("OK"))
        }
        a.signal(SIGSTOP)
        // Longer than the limit `stoppedMs`.
        usleep(6_000_000)
        a.signal(SIGCONT)
        #expect(a.waitFor("the process stood still for"))
        let next = try Client(a.socket)
        for (seq, state) in [(4, "help"), (5, "introduction")] {
            let undo = next.ask("undo @s1")
            #expect(undo.contains(#""seq":\#(seq),"#), "\(undo)")
            #expect(next.ask("status @s1").contains(#""state":"\#(state)""#))
        }
        // A restart ends what can be undone.
        a.signal(SIGTERM)
        #expect(a.waitForEnd() == 0)
        let restarted = try startNode("a")
        #expect(try Client(restarted.socket).ask("undo @s1").hasPrefix("ERR invalid"))
        restarted.signal(SIGTERM)
        #expect(restarted.waitForEnd() == 0)
        #expect(ShellCommand.run("gamectl replay '\(url)'; echo rc $?").contains("rc 0"))
    }

    @Test
    func `a request that a node held is not executed after it was repeated through another node`()
        throws
    {
        try prepare()
        let output = PostgresServer.shell(
            "/usr/bin/python3 Tests/gamedTests/Clients/held_request.py "
                + "'\(DaemonProcess.programDirectory)/gamed' '\(url)' '\(folder.path)'")
        #expect(output == "ok\n")
    }

    @Test func `no request is refused while shards are handed over`() throws {
        try prepare()
        let a = try startNode("a")
        let client = try Client(a.socket)
        let names = (1...40).map { "s\($0)" }
        for name in names { _ = client.ask("open @\(name)") }
        let b = try startNode("b")
        var events = ["displayHelp", "dismissHelp"]
        for round in 1...30 {
            for name in names {
                let reply = client.ask("send @\(name) \(events[0])")
                #expect(reply.contains(#""seq":\#(round + 1),"#), "\(reply)")
            }
            events.reverse()
        }
        b.signal(SIGTERM)
        #expect(b.waitForEnd() == 0)
        for name in names { #expect(client.ask("status @\(name)").contains(#""seq":31"#)) }
    }

    @Test func `nodes with different secrets refuse connections from each other`() throws {
        try prepare()
        folder.write("other", "fedcba9876543210fedcba9876543210\n", mode: 0o600)
        let (a, b) = (
            try startNode("a"), try startNode("b", ["--hold", "1s"], secretFile: "other")
        )
        try Self.waitForBalancedShards(a)
        let client = try Client(b.socket)
        let replies = (1...8).map { client.ask("open @s\($0)") }
        #expect(replies.contains { $0.hasPrefix("ERR storage") })
        #expect(b.waitFor("it does not accept this node"))
        #expect(a.waitFor("not accepted as a node: it has another secret"))
        #expect(!a.output.contains("fedcba") && !b.output.contains("fedcba"))
    }

    @Test
    func
        `after kills, suspensions and cut connections no change is lost or doubled, and timers fire once`()
        throws
    {
        try prepare()
        let killCount = TestLength.count(1, long: 15)
        let otherFaultCount = TestLength.count(1, long: 4)
        let output = PostgresServer.shell(
            "/usr/bin/python3 Tests/gamedTests/Clients/cluster.py '\(DaemonProcess.programDirectory)/gamed' "
                + "'\(url)' '\(folder.path)' --kills \(killCount) --stops \(otherFaultCount) "
                + "--cuts \(otherFaultCount) --stalls \(otherFaultCount)"
        )
        func count(_ name: String, in part: Substring) -> Int? {
            part.split(separator: "\"\(name)\": ").dropFirst().first.flatMap {
                Int($0.prefix { $0.isNumber })
            }
        }
        // At the end, the script inserts errors into a copy of a history, and counts them. These counts are the object
        // `controls`, the end of the output.
        let parts = output.split(separator: "\"controls\": ")
        let (run, controls) = try (#require(parts.first), #require(parts.last))
        #expect((count("acknowledged", in: run) ?? 0) > 20, "\(output)")
        #expect((count("timers", in: run) ?? 0) > 5, "\(output)")
        for error in ["lost", "doubled", "early", "left"] {
            #expect(count(error, in: run) == 0, "\(output)")
            #expect(
                (count(error, in: controls) ?? 0) > 0, "the script counts no \(error): \(output)")
        }
        #expect(
            output.contains(
                #""marks": {"lost": 0, "doubled": 0, "unsent": 0, "disordered": 0}"#), "\(output)")
        #expect((count("sent", in: run) ?? 0) > 100, "\(output)")
        // The script plants errors into the histories of the markers, too.
        let planted = try #require(run.split(separator: "\"planted\": ").dropFirst().first)
        for error in ["lost", "doubled", "unsent", "disordered"] {
            #expect((count(error, in: planted) ?? 0) > 0, "not found: \(error): \(output)")
        }
        print("cluster: \(output)")
    }
}
