import Glibc
import PostgresTestSupport
import Testing

/// Leaderboards over the sessions of several nodes.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct LeaderboardInDatabaseTests {
    private let room: NodeRoom

    init() throws { room = try NodeRoom() }

    /// Plays a quiz that ends with a tally.
    private func play(_ session: String, _ scores: String, _ client: Client) {
        for line in ["open @\(session) flow=quiz", "goto @\(session) finished scores={\(scores)}"] {
            let output = client.ask(line)
            #expect(output.hasPrefix("OK"), "\(line): \(output)")
        }
    }

    /// The names of the rows, best first.
    private func names(_ client: Client, _ words: String = "") -> [String] {
        let output = client.ask("leaderboard by=scores limit=100 \(words) quiz")
        guard output.hasPrefix("OK") else { return [output] }
        return output.components(between: #""name":""#, and: "\"")
    }

    @Test func `each node shows the best games of all nodes, also when one of them is killed`()
        throws
    {
        let (a, b) = (try room.node("a", ""), try room.node("b", ""))
        defer { withExtendedLifetime((a, b)) {} }
        try room.waitForShares(of: [a, b])
        let clients = [try Client(a.socket), try Client(b.socket)]
        #expect(clients.map { names($0) } == [[], []])
        for number in 1...12 {
            play("s\(number)", "\"p\(number)\":\(number)", clients[number % 2])
        }
        let all = (1...12).reversed().map { "p\($0)" }
        #expect(clients.map { names($0) } == [all, all])
        // New games are added to those that a node remembers.
        play("late", "\"winner\":99,\"last\":0", clients[0])
        let more = ["winner"] + all + ["last"]
        #expect(clients.map { names($0) } == [more, more])
        #expect(clients[1].ask("label @s12 test=yes").hasPrefix("OK"))
        #expect(names(clients[0], "without=test") == more.filter { $0 != "p12" })
        #expect(
            clients[0].ask("leaderboard by=scores limit=1 quiz").contains(
                #""rank":1,"name":"winner""#))

        // While a node is away, its games are still in the database.
        b.signal(SIGKILL)
        b.waitForEnd()
        #expect(names(clients[0]) == more)
        #expect(names(clients[0], "since=1h") == more)
    }

    @Test func `a session that is erased is on no leaderboard, on any node`() throws {
        let (a, b) = (try room.node("a", ""), try room.node("b", ""))
        defer { withExtendedLifetime((a, b)) {} }
        try room.waitForShares(of: [a, b])
        let clients = [try Client(a.socket), try Client(b.socket)]
        play("guest", "\"Gertrude\":5", clients[0])
        play("other", "\"Bob\":3", clients[0])
        #expect(clients[0].ask("close @guest").hasPrefix("OK"))
        #expect(clients.map { names($0) } == [["Gertrude", "Bob"], ["Gertrude", "Bob"]])
        let output = ShellCommand.run(
            "gamectl journal forget guest --store '\(room.url)' --yes; echo $?", a)
        #expect(output.hasSuffix("\n0\n"), "\(output)")
        #expect(clients.map { names($0) } == [["Bob"], ["Bob"]])
    }
}

extension String {
    /// The texts between a beginning and the next end.
    fileprivate func components(between beginning: String, and end: String) -> [String] {
        ranges(of: beginning).map { range in
            let rest = self[range.upperBound...]
            return String(rest[..<(rest.firstRange(of: end)?.lowerBound ?? rest.endIndex)])
        }
    }
}
