import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// What several nodes publish to a broker, as mosquitto_sub sees it.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct PublishingNodesTests {
    private let cluster: ClusterFixture
    private let port = Int.random(in: 20_000..<32_000)
    private let names = (1...8).map { "s\($0)" }

    init() throws { cluster = try ClusterFixture() }

    /// The retained messages with topics that match, by topic.
    private func retained(_ filter: String) -> [String: String] {
        let output = ShellCommand.run(
            "mosquitto_sub -p \(port) -t '\(filter)' --retained-only -W 1 -v 2>/dev/null")
        let lines = output.split(separator: "\n").compactMap { line -> (String, String)? in
            let words = line.split(separator: " ", maxSplits: 1)
            return words.count == 2 ? (String(words[0]), String(words[1])) : nil
        }
        return Dictionary(lines) { $1 }
    }

    /// Waits until the retained states are these.
    private func expect(_ states: [String: String], _ when: String) {
        let expected = Dictionary(
            uniqueKeysWithValues: states.map { ("games/\($0.key)/state", $0.value) })
        var found: [String: String] = [:]
        for _ in 0..<20 {
            found = retained("games/+/state")
            if found == expected { return }
        }
        Issue.record("\(when): \(found)")
    }

    private func states(_ state: String) -> [String: String] {
        Dictionary(uniqueKeysWithValues: names.map { ($0, state) })
    }

    /// Plays with the sessions of all nodes while one of them is killed; `lines` is the configuration of both.
    private func play(_ lines: String, isShared: Bool) throws {
        let mosquitto = try cluster.startBroker(port)
        defer { mosquitto.signal(SIGTERM) }
        let (a, b) = (try cluster.startNode("a", lines), try cluster.startNode("b", lines))
        defer { withExtendedLifetime((a, b)) {} }
        #expect(a.waitFor("mqtt hall: connected"))
        if isShared { #expect(b.waitFor("mqtt hall: connected")) }
        try cluster.waitForBalancedShards(of: [a, b])
        let client = try Client(a.socket)
        func send(_ line: (String) -> String) {
            for name in names {
                let output = client.ask(line(name))
                #expect(output.hasPrefix("OK"), "\(line(name)): \(output)")
            }
        }

        send { "open @\($0) flow=game" }
        expect(states("introduction"), "after opening")
        send { "send @\($0) displayHelp" }
        expect(states("help"), "after a change")
        let detail = retained("games/s1/detail")["games/s1/detail"] ?? ""
        #expect(detail.contains(#""state":"help""#) && detail.contains(#""seq":2"#), "\(detail)")
        // As a peer without the role operate sees it: without the addresses of others.
        #expect(!detail.contains("pid"))
        #expect(retained("games/status") == ["games/status": "online"])

        // One node dies. The sessions that it owned are published by the next owner's node.
        b.signal(SIGKILL)
        b.waitForEnd()
        send { "send @\($0) id=back-\($0) dismissHelp" }
        expect(states("introduction"), "after a takeover")
        #expect(retained("games/status") == ["games/status": "online"])
        send { "close @\($0)" }
        expect([:], "after closing")
        #expect(retained("games/+/detail") == [:])

        a.signal(SIGTERM)
        #expect(a.waitForEnd() == 0)
        #expect(retained("games/status") == ["games/status": "offline"])
    }

    @Test func `each node publishes its sessions, and after a takeover the next owner does`() throws
    {
        try play("mqtt hall mqtt://127.0.0.1:\(port) publish=games\n", isShared: true)
    }

    @Test func `nodes with one line have different client ids, so that none ends the other's`()
        throws
    {
        let broker = try cluster.startBroker(port)
        defer { broker.signal(SIGTERM) }
        let lines = "mqtt hall mqtt://127.0.0.1:\(port) client=referee publish=games\n"
        let (a, b) = (try cluster.startNode("a", lines), try cluster.startNode("b", lines))
        defer { withExtendedLifetime((a, b)) {} }
        for node in [a, b] { #expect(node.waitFor("mqtt hall: connected")) }
        for name in ["a", "b"] { #expect(broker.waitFor("as referee-\(name) ")) }
    }

    @Test func `a node that alone has the connection publishes the sessions of all`() throws {
        try play("mqtt hall mqtt://127.0.0.1:\(port) publish=games node=a\n", isShared: false)
    }

    @Test func `a node that comes back publishes what changed meanwhile`() throws {
        let mosquitto = try cluster.startBroker(port)
        defer { mosquitto.signal(SIGTERM) }
        let lines = "mqtt hall mqtt://127.0.0.1:\(port) publish=games node=a\n"
        let (a, b) = (try cluster.startNode("a", lines), try cluster.startNode("b", lines))
        defer { withExtendedLifetime((a, b)) {} }
        try cluster.waitForBalancedShards(of: [a, b])
        let client = try Client(b.socket)
        for name in names { #expect(client.ask("open @\(name) flow=game").hasPrefix("OK")) }
        expect(states("introduction"), "after opening")
        a.signal(SIGKILL)
        a.waitForEnd()
        for name in names {
            #expect(client.ask("send @\(name) id=h-\(name) displayHelp").hasPrefix("OK"))
        }
        #expect(retained("games/status") == ["games/status": "offline"])
        #expect(retained("games/s1/state") == ["games/s1/state": "introduction"])
        let again = try cluster.startNode("a", lines)
        expect(states("help"), "after the return of the node")
        #expect(retained("games/status") == ["games/status": "online"])
        withExtendedLifetime(again) {}
    }
}
