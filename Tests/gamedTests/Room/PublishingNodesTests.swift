import Connections
import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// Several nodes publish the states of their sessions to a broker, where mosquitto_sub reads them.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct PublishingNodesTests {
    private let cluster: ClusterFixture
    private let port = LoopbackPort.findUnused()
    private let sessionNames = (1...8).map { "s\($0)" }

    init() throws { cluster = try ClusterFixture() }

    /// The retained messages whose topics match the filter, by topic.
    private func retainedMessages(_ filter: String) -> [String: String] {
        let output = ShellCommand.run(
            "mosquitto_sub -p \(port) -t '\(filter)' --retained-only -W 1 -v 2>/dev/null")
        let lines = output.split(separator: "\n").compactMap { line -> (String, String)? in
            let words = line.split(separator: " ", maxSplits: 1)
            return words.count == 2 ? (String(words[0]), String(words[1])) : nil
        }
        return Dictionary(lines) { $1 }
    }

    /// Waits until the retained states of the sessions are these, for about 20 seconds.
    private func expectStates(_ states: [String: String], _ when: String) {
        let expected = Dictionary(
            uniqueKeysWithValues: states.map { ("games/\($0.key)/state", $0.value) })
        var found: [String: String] = [:]
        for _ in 0..<20 {
            found = retainedMessages("games/+/state")
            if found == expected { return }
        }
        Issue.record("\(when): \(found)")
    }

    /// The same state for each session.
    private func allSessions(in state: String) -> [String: String] {
        Dictionary(uniqueKeysWithValues: sessionNames.map { ($0, state) })
    }

    /// Starts two nodes with the configuration `lines`, plays with their sessions, and kills one node. Expects the published
    /// states after each step. `bothConnect` says whether the lines connect both nodes to the broker.
    private func play(_ lines: String, bothConnect: Bool) throws {
        let mosquitto = try cluster.startBroker(port)
        defer { mosquitto.signal(SIGTERM) }
        let (a, b) = (try cluster.startNode("a", lines), try cluster.startNode("b", lines))
        defer { withExtendedLifetime((a, b)) {} }
        #expect(a.waitFor("mqtt hall: connected"))
        if bothConnect { #expect(b.waitFor("mqtt hall: connected")) }
        try cluster.waitForBalancedShards(of: [a, b])
        let client = try Client(a.socket)
        func send(_ line: (String) -> String) {
            for name in sessionNames {
                let output = client.ask(line(name))
                #expect(output.hasPrefix("OK"), "\(line(name)): \(output)")
            }
        }

        send { "open @\($0) flow=game" }
        expectStates(allSessions(in: "introduction"), "after opening")
        send { "send @\($0) displayHelp" }
        expectStates(allSessions(in: "help"), "after a change")
        let detail = retainedMessages("games/s1/detail")["games/s1/detail"] ?? ""
        #expect(detail.contains(#""state":"help""#) && detail.contains(#""seq":2"#), "\(detail)")
        // A detail shows only the information that a client with the role observe sees. So a detail does not show who sent an
        // event.
        #expect(!detail.contains("pid"))
        #expect(retainedMessages("games/status") == ["games/status": "online"])

        // One node dies. The other node becomes the owner of its sessions, and publishes them.
        b.signal(SIGKILL)
        b.waitForEnd()
        send { "send @\($0) id=back-\($0) dismissHelp" }
        expectStates(allSessions(in: "introduction"), "after a takeover")
        #expect(retainedMessages("games/status") == ["games/status": "online"])
        send { "close @\($0)" }
        expectStates([:], "after closing")
        #expect(retainedMessages("games/+/detail") == [:])

        a.signal(SIGTERM)
        #expect(a.waitForEnd() == 0)
        #expect(retainedMessages("games/status") == ["games/status": "offline"])
    }

    @Test func `each node publishes its sessions, also those that it has taken over`() throws {
        try play("mqtt hall mqtt://127.0.0.1:\(port) publish=games\n", bothConnect: true)
    }

    @Test func `nodes with the same mqtt line connect with different client ids`() throws {
        let broker = try cluster.startBroker(port)
        defer { broker.signal(SIGTERM) }
        let lines = "mqtt hall mqtt://127.0.0.1:\(port) client=referee publish=games\n"
        let (a, b) = (try cluster.startNode("a", lines), try cluster.startNode("b", lines))
        defer { withExtendedLifetime((a, b)) {} }
        for node in [a, b] { #expect(node.waitFor("mqtt hall: connected")) }
        for name in ["a", "b"] { #expect(broker.waitFor("as referee-\(name) ")) }
    }

    @Test func `the only node with a connection publishes the sessions of all nodes`() throws {
        try play("mqtt hall mqtt://127.0.0.1:\(port) publish=games node=a\n", bothConnect: false)
    }

    private func writeFlow(_ name: String, _ text: String) {
        mkdir("\(cluster.folder.path)/flows", 0o755)
        cluster.folder.write("flows/\(name).yaml", text)
    }

    @Test func `view=operate shows what is hidden of all sessions, also of those of other nodes`()
        throws
    {
        let mosquitto = try cluster.startBroker(port)
        defer { mosquitto.signal(SIGTERM) }
        writeFlow(
            "safe",
            """
            flow: safe
            start: closed
            events: {open: {}}
            states:
              closed:
                data: {code: {type: integer, default: 4711, hidden: players}}
                on: {open: closed}

            """)
        let lines = """
            flows \(cluster.folder.path)/flows
            mqtt hall mqtt://127.0.0.1:\(port) publish=games node=a
            mqtt staff mqtt://127.0.0.1:\(port) publish=staff view=operate node=a

            """
        let (a, b) = (try cluster.startNode("a", lines), try cluster.startNode("b", lines))
        defer { withExtendedLifetime((a, b)) {} }
        for name in ["hall", "staff"] { #expect(a.waitFor("mqtt \(name): connected")) }
        try cluster.waitForBalancedShards(of: [a, b])
        let client = try Client(a.socket)
        for name in sessionNames {
            #expect(client.ask("open @\(name) flow=safe").hasPrefix("OK"))
            #expect(client.ask("label @\(name) _team=Owls").hasPrefix("OK"))
        }
        var staff: [String: String] = [:]
        #expect(
            Wait.until {
                staff = retainedMessages("staff/+/detail")
                return staff.values.count { $0.contains(#""code":4711"#) && $0.contains("Owls") }
                    == sessionNames.count
            }, "\(staff)")
        var hall: [String: String] = [:]
        #expect(
            Wait.until {
                hall = retainedMessages("games/+/detail")
                return hall.values.count { $0.contains(#""seq":2,"#) } == sessionNames.count
            }, "\(hall)")
        #expect(!hall.values.contains { $0.contains(#""code":4711"#) || $0.contains("Owls") })
    }

    @Test func `a loop through the broker ends, also for the sessions of other nodes`() throws {
        let mosquitto = try cluster.startBroker(port)
        defer { mosquitto.signal(SIGTERM) }
        writeFlow(
            "loop",
            """
            flow: loop
            start: idle
            events: {l: {}}
            states:
              idle:
                data: {n: integer = 0}
                on:
                  l: {with: {n: =n + 1}}

            """)
        let lines = """
            flows \(cluster.folder.path)/flows
            mqtt hall mqtt://127.0.0.1:\(port) publish=games node=a
            map mqtt=hall topic=games/+/detail event=l session=$topic2 node=a

            """
        let (a, b) = (try cluster.startNode("a", lines), try cluster.startNode("b", lines))
        defer { withExtendedLifetime((a, b)) {} }
        #expect(a.waitFor("mqtt hall: connected"))
        try cluster.waitForBalancedShards(of: [a, b])
        let client = try Client(b.socket)
        for name in sessionNames { #expect(client.ask("open @\(name) flow=loop").hasPrefix("OK")) }
        // The opening is published, and begins a chain in each session, which would have no end.
        func states() -> [String] { sessionNames.map { client.ask("status @\($0)") } }
        // On a slow machine a message can be too old for its session, which then has a shorter chain; or a list of the sessions is
        // older than what was published, so a state is published twice and has two chains. Both end after 64 steps.
        #expect(
            Wait.until {
                let earlier = states()
                usleep(1_000_000)
                return earlier == states() && earlier.contains { $0.contains(#""n":64}"#) }
            }, "\(states())")
        #expect(a.waitFor("the chain was ended after 64 steps"))
        #expect(!retainedMessages("games/s1/detail").description.contains("linkedSteps"))
    }

    @Test func `a restarted node publishes the states that changed while it was down`() throws {
        let mosquitto = try cluster.startBroker(port)
        defer { mosquitto.signal(SIGTERM) }
        let lines = "mqtt hall mqtt://127.0.0.1:\(port) publish=games node=a\n"
        let (a, b) = (try cluster.startNode("a", lines), try cluster.startNode("b", lines))
        defer { withExtendedLifetime((a, b)) {} }
        try cluster.waitForBalancedShards(of: [a, b])
        let client = try Client(b.socket)
        for name in sessionNames { #expect(client.ask("open @\(name) flow=game").hasPrefix("OK")) }
        expectStates(allSessions(in: "introduction"), "after opening")
        a.signal(SIGKILL)
        a.waitForEnd()
        for name in sessionNames {
            #expect(client.ask("send @\(name) id=h-\(name) displayHelp").hasPrefix("OK"))
        }
        #expect(retainedMessages("games/status") == ["games/status": "offline"])
        #expect(retainedMessages("games/s1/state") == ["games/s1/state": "introduction"])
        let restarted = try cluster.startNode("a", lines)
        expectStates(allSessions(in: "help"), "after the return of the node")
        #expect(retainedMessages("games/status") == ["games/status": "online"])
        withExtendedLifetime(restarted) {}
    }
}
