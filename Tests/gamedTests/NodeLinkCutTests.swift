import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// A connection between two nodes that is cut while both run.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct NodeLinkCutTests {
    private let room: NodeRoom
    private let names = (1...8).map { "s\($0)" }

    init() throws { room = try NodeRoom() }

    /// Lets the other nodes connect to a node through a relay.
    private func putRelay(before node: DaemonProcess, named name: String) throws -> ChildProcess {
        let target = node.lines.split(separator: ":").last ?? ""
        let relay = try ChildProcess(
            [
                "/usr/bin/python3", "\(ChildProcess.root)/Tests/gamedTests/Clients/relay.py",
                "\(target)",
            ],
            [], connecting: [0, 2])
        #expect(relay.waitFor("."))
        let port = relay.output.filter(\.isNumber)
        let database = room.url.prefix { $0 != "?" }.split(separator: "/").last ?? ""
        PostgresServer.shared.sql(
            "UPDATE gamed_node SET address = '127.0.0.1:\(port)' WHERE name = '\(name)'",
            in: String(database))
        return relay
    }

    @Test func `who watches all sessions gets each change once`() throws {
        let (a, b) = (try room.node("a", ""), try room.node("b", ""))
        try room.waitForShares(of: [a, b])
        let relay = try putRelay(before: b, named: "b")
        defer { withExtendedLifetime((a, b, relay)) {} }
        let port = relay.output.filter(\.isNumber)
        let client = try Client(a.socket)
        let nodes = client.ask("nodes", until: ":\(port)\"")
        #expect(nodes.contains(":\(port)\""), "\(nodes)")

        let watcher = try Client(a.socket)
        #expect(watcher.ask("watch @*").hasPrefix("OK"))
        let sender = try Client(b.socket)
        for name in names { #expect(sender.ask("open @\(name) flow=game").hasPrefix("OK")) }
        for _ in names { #expect(watcher.line()?.contains(#""kind":"open""#) == true) }

        relay.writeLine("cut")
        #expect(relay.waitFor("connections"))
        #expect(!relay.output.contains("cut 0 "), "the nodes are not connected through the relay")
        for event in ["displayHelp", "dismissHelp", "displayHelp"] {
            for name in names { #expect(sender.ask("send @\(name) \(event)").hasPrefix("OK")) }
        }
        var seen: [String: Int] = [:]
        for _ in 0..<3 * names.count {
            var line = watcher.line() ?? ""
            // Heartbeats come every 15 s: a change that is missing is not waited for without end.
            if line.contains(#""method":"heartbeat""#) { line = watcher.line() ?? "" }
            #expect(line.contains(#""method":"change""#), "\(line)")
            guard let start = line.firstRange(of: #""session":""#)?.upperBound else { break }
            seen[line[start...].prefix { $0 != "\"" } + "", default: 0] += 1
        }
        #expect(seen == Dictionary(uniqueKeysWithValues: names.map { ($0, 3) }), "\(seen)")
        // Nothing follows but the answer.
        #expect(watcher.ask("ping").hasPrefix("OK"))
    }
}
