import Connections
import Glibc
import PostgresTestSupport
import Testing

/// Leaderboards over the sessions of several nodes.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct LeaderboardInDatabaseTests {
    private let cluster: ClusterFixture

    init() throws { cluster = try ClusterFixture() }

    /// Records a quiz that ends with these scores, the members of a JSON object.
    private func play(_ session: String, _ scores: String, _ client: Client) {
        for line in ["open @\(session) flow=quiz", "goto @\(session) finished scores={\(scores)}"] {
            let output = client.ask(line)
            #expect(output.hasPrefix("OK"), "\(line): \(output)")
        }
    }

    /// The names in the rows of the leaderboard by scores, best first; the error if the request is refused.
    private func names(_ client: Client, _ parameters: String = "") -> [String] {
        let output = client.ask("leaderboard by=scores limit=100 \(parameters) quiz")
        guard output.hasPrefix("OK") else { return [output] }
        return output.components(between: #""name":""#, and: "\"")
    }

    @Test func `each node shows the best games of all nodes, also after a node is killed`() throws {
        let (a, b) = (try cluster.startNode("a"), try cluster.startNode("b"))
        defer { withExtendedLifetime((a, b)) {} }
        try cluster.waitForBalancedShards(of: [a, b])
        let clients = [try Client(a.socket), try Client(b.socket)]
        #expect(clients.map { names($0) } == [[], []])
        for number in 1...12 {
            play("s\(number)", "\"p\(number)\":\(number)", clients[number % 2])
        }
        let playerNames = (1...12).reversed().map { "p\($0)" }
        #expect(clients.map { names($0) } == [playerNames, playerNames])
        // New games are added to the games that a node remembers.
        play("late", "\"winner\":99,\"last\":0", clients[0])
        let allNames = ["winner"] + playerNames + ["last"]
        #expect(clients.map { names($0) } == [allNames, allNames])
        #expect(clients[1].ask("label @s12 test=yes").hasPrefix("OK"))
        #expect(names(clients[0], "without=test") == allNames.filter { $0 != "p12" })
        #expect(
            clients[0].ask("leaderboard by=scores limit=1 quiz").contains(
                #""rank":1,"name":"winner""#))

        // The games of the killed node are still in the database.
        b.signal(SIGKILL)
        b.waitForEnd()
        #expect(names(clients[0]) == allNames)
        #expect(names(clients[0], "since=1h") == allNames)
    }

    @Test func `an erased session is on no leaderboard of any node`() throws {
        let (a, b) = (try cluster.startNode("a"), try cluster.startNode("b"))
        defer { withExtendedLifetime((a, b)) {} }
        try cluster.waitForBalancedShards(of: [a, b])
        let clients = [try Client(a.socket), try Client(b.socket)]
        play("guest", "\"Gertrude\":5", clients[0])
        play("other", "\"Bob\":3", clients[0])
        #expect(clients[0].ask("close @guest").hasPrefix("OK"))
        #expect(clients.map { names($0) } == [["Gertrude", "Bob"], ["Gertrude", "Bob"]])
        let output = ShellCommand.run(
            "gamectl journal forget guest --store '\(cluster.url)' --yes; echo $?", a)
        #expect(output.hasSuffix("\n0\n"), "\(output)")
        #expect(clients.map { names($0) } == [["Bob"], ["Bob"]])
    }
}

extension String {
    /// The texts between a beginning and the next end.
    fileprivate func components(between beginning: String, and end: String) -> [String] {
        ranges(of: beginning).map { range in
            let remainder = self[range.upperBound...]
            let endIndex = remainder.firstRange(of: end)?.lowerBound ?? remainder.endIndex
            return String(remainder[..<endIndex])
        }
    }
}
