import Glibc
import PostgresTestSupport
import Testing

/// What a client gets that watches the sessions of all nodes from a cursor on.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct MergedGapTests {
    private let room: NodeRoom
    private let names = (1...8).map { "s\($0)" }

    init() throws { room = try NodeRoom() }

    private func cursor(in reply: String) -> String {
        guard let start = reply.firstRange(of: #""cursor":""#)?.upperBound else { return "" }
        return String(reply[start...].prefix { $0 != "\"" })
    }

    @Test
    func `missed changes that are remembered come as changes, others as one gap of all sessions`()
        throws
    {
        var nodes = [try room.node("a", ""), try room.node("b", "")]
        try room.waitForShares(of: nodes)
        defer { withExtendedLifetime(nodes) {} }
        let client = try Client(nodes[0].socket)
        for name in names { #expect(client.ask("open @\(name) flow=game").hasPrefix("OK")) }
        let start = cursor(in: try Client(nodes[0].socket).ask("watch @*"))
        for name in names { #expect(client.ask("send @\(name) displayHelp").hasPrefix("OK")) }

        // The owners remember the changes.
        let soon = try Client(nodes[1].socket)
        #expect(soon.ask("watch @* since=\(start)").hasPrefix("OK"))
        let changes = names.map { _ in soon.line() ?? "" }
        #expect(changes.allSatisfy { $0.contains(#""method":"change""#) }, "\(changes)")

        // They do not after a restart.
        for node in nodes { node.signal(SIGTERM) }
        for node in nodes { #expect(node.waitForEnd() == 0) }
        nodes = [try room.node("a", ""), try room.node("b", "")]
        try room.waitForShares(of: nodes)
        let late = try Client(nodes[0].socket)
        #expect(late.ask("watch @* since=\(start)").contains(#""sessions":["#))
        let gap = late.line() ?? ""
        #expect(
            gap.contains(#""method":"gap","params":{"session":"*","since":8,"pos":16,"#), "\(gap)")
        for name in names { #expect(gap.contains(#""session":"\#(name)""#), "\(gap)") }
        let next = cursor(in: gap)

        // The next notification is the next change, and the gap's cursor leads to it.
        let other = try Client(nodes[1].socket)
        #expect(other.ask("send @s1 dismissHelp").hasPrefix("OK"))
        #expect((late.line() ?? "").contains(#""method":"change""#))
        let again = try Client(nodes[1].socket)
        #expect(again.ask("watch @* since=\(next)").hasPrefix("OK"))
        let change = again.line() ?? ""
        #expect(
            change.contains(#""method":"change""#) && change.contains(#""session":"s1""#),
            "\(change)")
    }
}
