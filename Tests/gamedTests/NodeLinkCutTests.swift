import Connections
import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// A connection between two nodes that is cut while both nodes run.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct NodeLinkCutTests {
    private let cluster: ClusterFixture
    private let sessions = (1...8).map { "s\($0)" }

    init() throws { cluster = try ClusterFixture() }

    @Test func `a watcher of all sessions gets each change once, although the link is cut`() throws
    {
        // A proof by a secret does not hold through a relay.
        let (a, b) = (
            try cluster.startNode("a", hasCertificate: true),
            try cluster.startNode("b", hasCertificate: true)
        )
        try cluster.waitForBalancedShards(of: [a, b])
        let relay = try cluster.putRelay(before: b, knownTo: Client(a.socket))
        defer { withExtendedLifetime((a, b, relay)) {} }
        let watcher = try Client(a.socket)
        #expect(watcher.ask("watch @*").hasPrefix("OK"))
        let sender = try Client(b.socket)
        for name in sessions { #expect(sender.ask("open @\(name) flow=game").hasPrefix("OK")) }
        for _ in sessions { #expect(watcher.line()?.contains(#""kind":"open""#) == true) }

        cluster.disturb(relay, "cut")
        for event in ["displayHelp", "dismissHelp", "displayHelp"] {
            for name in sessions { #expect(sender.ask("send @\(name) \(event)").hasPrefix("OK")) }
        }
        var changeCounts: [String: Int] = [:]
        for _ in 0..<3 * sessions.count {
            var line = watcher.line() ?? ""
            // A heartbeat comes every 15 s. If a change is missing, the next line is a heartbeat too, and the test fails.
            if line.contains(#""method":"heartbeat""#) { line = watcher.line() ?? "" }
            #expect(line.contains(#""method":"change""#), "\(line)")
            guard let start = line.firstRange(of: #""session":""#)?.upperBound else { break }
            let session = String(line[start...].prefix { $0 != "\"" })
            changeCounts[session, default: 0] += 1
        }
        #expect(
            changeCounts == Dictionary(uniqueKeysWithValues: sessions.map { ($0, 3) }),
            "\(changeCounts)")
        // The next line is the answer, so no change came twice.
        #expect(watcher.ask("ping").hasPrefix("OK"))
    }
}
