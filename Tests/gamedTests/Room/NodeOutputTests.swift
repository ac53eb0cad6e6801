import Connections
import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// Outputs, and events that sessions send to other sessions, on nodes that share a database.
@Suite(.enabled(if: PostgresServer.absence == nil), .serialized) struct NodeOutputTests {
    private let cluster: ClusterFixture
    private let sessionNames = (1...8).map { "s\($0)" }

    init() throws { cluster = try ClusterFixture() }

    /// Writes the program `show`, which logs its input, and fails until the file `go` exists.
    private func writeProgram() {
        cluster.folder.write(
            "show",
            "#!/bin/sh\nread line\necho \"$line\" >> \(cluster.folder.path)/log\ntest -e \(cluster.folder.path)/go\n",
            mode: 0o755)
    }

    /// The ids of outputs in the log of the program, by session.
    private func loggedIDs() -> [String: Set<String>] {
        var ids: [String: Set<String>] = [:]
        let log = PostgresServer.shell("cat '\(cluster.folder.path)/log'")
        for line in log.split(separator: "\n") {
            func text(_ name: String) -> String {
                line.firstRange(of: "\"\(name)\":\"").map {
                    String(line[$0.upperBound...].prefix { $0 != "\"" })
                } ?? ""
            }
            ids[text("session"), default: []].insert(text("id"))
        }
        return ids
    }

    /// Waits until a condition is true. If it does not become true, the test fails with the text `problem`.
    private func wait(_ problem: String, _ condition: () -> Bool) {
        let isTrue = Wait.until(condition)
        #expect(isTrue, "\(problem): \(loggedIDs())")
    }

    @Test
    func
        `after kill -9 the next owner delivers waiting outputs and events for other sessions, with the same ids`()
        throws
    {
        writeProgram()
        let lines = """
            on enter=question session=s* run=\(cluster.folder.path)/show max-age=1h
            on enter=question session=s* open=t-$session flow=quiz
            on enter=question session=s* send=@t-$session start args={"rounds":"$data.rounds"}

            """
        let a = try cluster.startNode("a", lines)
        var b = try cluster.startNode("b", lines)
        var allSessions: [String] = []
        for round in 1...TestLength.count(1, long: 4) {
            if round > 1 { b = try cluster.startNode("b", lines) }
            try cluster.waitForBalancedShards(of: [a, b])
            _ = PostgresServer.shell("rm -f '\(cluster.folder.path)/go'")
            let client = try Client(a.socket)
            let newSessions = sessionNames.map { "\($0)-\(round)" }
            for name in newSessions {
                #expect(client.ask("open @\(name) flow=quiz").hasPrefix("OK"))
                #expect(client.ask("send id=k @\(name) start rounds=1").hasPrefix("OK"))
            }
            b.signal(SIGKILL)
            b.waitForEnd()
            _ = cluster.folder.write("go", "")
            allSessions += newSessions
            wait("not all outputs arrived") { Set(loggedIDs().keys).isSuperset(of: allSessions) }
            for name in newSessions {
                let status = client.ask("status @\(name)")
                let targetHistory = client.ask("history @t-\(name)", until: #""name":"start""#)
                #expect(
                    targetHistory.ranges(of: #""name":"start","args":{"rounds":1}"#).count == 1,
                    "\(targetHistory) \(status)")
                #expect(
                    targetHistory.contains(
                        #""source":{"kind":"session","peer":{"device":"\#(name)"}}"#),
                    "\(targetHistory)")
            }
        }
        // All deliveries of an output have the same id, even if different nodes make the deliveries. The id contains the
        // session's name.
        let ids = loggedIDs()
        for name in allSessions {
            let sessionIDs = ids[name] ?? []
            #expect(sessionIDs.count == 1, "\(sessionIDs)")
            let id = sessionIDs.first ?? ""
            #expect(id.contains(":\(name):") && id.hasSuffix(":1"))
        }
        let client = try Client(a.socket)
        wait("outputs wait") {
            client.ask("outputs").contains(#""waiting":0"#)
        }
        // The line with `run=` makes an output of each session. The lines with `open=` and `send=` make outputs only if the
        // target session is in another shard.
        wait("not all deliveries are recorded") {
            let exported = ShellCommand.run("gamectl journal export '\(cluster.url)'", a)
            return exported.ranges(of: #""delivered""#).count >= allSessions.count
        }
        #expect(ShellCommand.run("gamectl journal check '\(cluster.url)'", a).hasSuffix("sound\n"))
    }

    @Test func `after a takeover a new line with send= is not applied to earlier changes`() throws {
        let (a, b) = (try cluster.startNode("a"), try cluster.startNode("b"))
        try cluster.waitForBalancedShards(of: [a, b])
        let client = try Client(a.socket)
        for name in sessionNames {
            for session in [name, "t-\(name)"] {
                #expect(client.ask("open @\(session) flow=quiz").hasPrefix("OK"))
            }
            #expect(client.ask("send @\(name) start rounds=1").hasPrefix("OK"))
        }
        for (name, node) in [("a", a), ("b", b)] {
            _ = cluster.folder.write(
                "\(name).conf",
                #"on enter=question session=s* send=@t-$session start args={"rounds":"$data.rounds"}"#
                    + "\n")
            node.signal(SIGHUP)
            #expect(node.waitFor("configuration reloaded"))
        }
        b.signal(SIGKILL)
        b.waitForEnd()
        for name in sessionNames {
            #expect(client.ask("send id=back @\(name) abandon").hasPrefix("OK"))
            #expect(client.ask("send id=again @\(name) start rounds=2").hasPrefix("OK"))
        }
        // The next owner sends the remaining outputs of the dead owner before its own outputs. So an event for an earlier
        // change would arrive before the expected event.
        for name in sessionNames {
            wait("the event for t-\(name) does not arrive") {
                client.ask("history @t-\(name)").contains(#""name":"start""#)
            }
            let history = client.ask("history @t-\(name)")
            #expect(history.contains(#""args":{"rounds":2}"#), "\(history)")
            #expect(!history.contains(#""args":{"rounds":1}"#), "\(history)")
        }
    }

    @Test(arguments: [1, 2])
    func `a chain of sends between sessions of different shards ends after 64 steps`(
        _ nodeCount: Int
    ) throws {
        // Each session of a pair moves the other session to the next page and back. Without a limit, a chain of these steps
        // would never end.
        let lines = """
            on enter=selectAvatar session=a* send=@$label.peer next
            on enter=selectAvatar session=b* send=@$label.peer back
            on enter=createProfile session=a* send=@$label.peer back
            on enter=createProfile session=b* send=@$label.peer next

            """
        let nodes = try ["a", "b"].prefix(nodeCount).map { try cluster.startNode($0, lines) }
        defer { withExtendedLifetime(nodes) {} }
        try cluster.waitForBalancedShards(of: nodes)
        let client = try Client(nodes[0].socket)
        for pair in 1...8 {
            for (name, peer) in [("a", "b"), ("b", "a")] {
                #expect(client.ask("open @\(name)\(pair) flow=registration").hasPrefix("OK"))
                #expect(client.ask("send @\(name)\(pair) next").hasPrefix("OK"))
                #expect(
                    client.ask("label @\(name)\(pair) peer=\(peer)\(pair)").hasPrefix("OK"))
            }
        }
        for pair in 1...8 { #expect(client.ask("send @a\(pair) next").hasPrefix("OK")) }
        for pair in 1...8 {
            wait("the chain of pair \(pair) does not end") {
                client.ask("history @b\(pair) limit=1").contains(
                    #""which":"linkedSteps","limit":64"#)
            }
            let seqs = ["a", "b"].map { name in
                let status = client.ask("status @\(name)\(pair)")
                return status.firstRange(of: #""seq":"#).flatMap {
                    Int(status[$0.upperBound...].prefix(while: \.isNumber))
                }
            }
            // Each session has three changes before the chain, and half of the chain's 64 steps. Session `a` has one more
            // change, for the client's event that begins the chain.
            #expect(seqs == [3 + 1 + 32, 3 + 32])
        }
    }
}
