import Connections
import GameFlow
import Glibc
import Inputs
import ShippedFlows
import TestSupport
import Testing
import Timers

@testable import GamedServer
@testable import Parts
@testable import Room

/// `on` lines and `map` lines whose messages come back to gamed.
@Suite struct MessageLoopsTests {
    private let folder = Folder()

    /// The loops in a configuration whose first line connects the broker `hall`, and what is said about them.
    private func search(_ lines: String, publish: String = "") throws
        -> (loops: [[Int]], notes: [String])
    {
        let path = folder.write("gamed.conf", "mqtt hall mqtt://127.0.0.1\(publish)\n\(lines)\n")
        let command = try Options.read(["--config", path], flows: AnyFlow.shipped())
        guard case .run(let options) = command, let file = try ConfigurationFile.read(path) else {
            Issue.record("the options do not start a daemon")
            return ([], [])
        }
        let found = MessageLoops(file, options.room.connections, AnyFlow.shipped())
        return (found.loops.map { $0.map(\.number) }, found.notes.map(\.why))
    }

    /// The numbers of the lines of each loop.
    private func loops(_ lines: String, publish: String = "") throws -> [[Int]] {
        try search(lines, publish: publish).loops
    }

    @Test func `pairs of lines beyond the limit are not searched, which is said`() throws {
        // 20 senders and 26 receivers of one topic are 520 pairs.
        let senders = (1...20).map { "on enter=locked session=a\($0) mqtt=hall topic=t payload=x" }
        let receivers = (1...26).map {
            #"map mqtt=hall topic=t event=buzz args={"player":"x"} session=b\#($0)"#
        }
        let notes = try search((senders + receivers).joined(separator: "\n")).notes
        #expect(notes.count == 1)
        #expect(notes.first?.contains("were not searched: more than 500 pairs") == true, "\(notes)")
        let fewer = try search((senders + receivers.prefix(25)).joined(separator: "\n")).notes
        #expect(fewer.isEmpty, "\(fewer)")
    }

    private static let start = #"event=start args={"rounds":1} session=a"#

    @Test(arguments: [
        (
            "on enter=question session=a mqtt=hall topic=t payload=x\nmap mqtt=hall topic=t \(start)",
            [[2, 3]]
        ),
        // A placeholder can be any level.
        (
            "on effect=ask mqtt=hall topic=x/$session payload=$state\nmap mqtt=hall topic=+/a \(start)",
            [[2, 3]]
        ),
        // Each of two messages leads to the other.
        (
            """
            on enter=question session=a mqtt=hall topic=one payload=x
            map mqtt=hall topic=one event=buzz args={"player":"x"} session=b
            on enter=locked session=b mqtt=hall topic=two payload=x
            map mqtt=hall topic=two \(start)
            """, [[2, 3, 4, 5]]
        ),
        // Another topic, payload, session, or state; an empty payload sends no event.
        ("on enter=question mqtt=hall topic=t/a payload=x\nmap mqtt=hall topic=t/b \(start)", []),
        (
            "on enter=question mqtt=hall topic=t payload=x\nmap mqtt=hall topic=t payload=y \(start)",
            []
        ),
        (
            "on enter=question session=b mqtt=hall topic=t payload=x\nmap mqtt=hall topic=t \(start)",
            []
        ),
        ("on enter=locked mqtt=hall topic=t payload=x\nmap mqtt=hall topic=t \(start)", []),
        ("on enter=question mqtt=hall topic=t\nmap mqtt=hall topic=t \(start)", []),
    ])
    func `the lines of each loop are found`(_ lines: String, _ expected: [[Int]]) throws {
        #expect(try loops(lines) == expected, "\(lines)")
    }

    @Test func `a map line for what publish= publishes is a loop`() throws {
        let map = "map mqtt=hall topic=gm/+/state \(Self.start)"
        #expect(try loops(map, publish: " publish=gm") == [[1, 2]])
        #expect(try loops(map, publish: " publish=other") == [])
        #expect(try loops(map) == [])
    }

    @Test func `messages are remembered for a time, and up to a number`() {
        var published = PublishedMessages()
        func message(_ number: Int) -> MQTTMessage {
            MQTTMessage(topic: "t", payload: [UInt8](repeating: 1, count: number))
        }
        let start = Instant.zero
        published.add(message(0), InputOrigin(linkedSteps: 3, sender: .line(7)), at: start)
        #expect(published.origin(of: message(0), at: start)?.linkedSteps == 3)
        #expect(published.origin(of: message(1), at: start) == nil)
        #expect(published.origin(of: message(0), at: start + PublishedMessages.lifetime) == nil)
        for number in 0...PublishedMessages.limit {
            published.add(
                message(number), InputOrigin(linkedSteps: 0, sender: .setting("publish")), at: start
            )
        }
        #expect(published.origin(of: message(0), at: start) == nil)
        #expect(published.origin(of: message(1), at: start) != nil)
    }

    @Test func `a loop through a broker ends after 64 steps, with an alert that names both lines`()
        throws
    {
        let port = LoopbackPort.findUnused()
        let mosquitto = try ChildProcess.startMosquitto("-p", "\(port)")
        defer { mosquitto.signal(SIGTERM) }
        _ = ShellCommand.run("mkdir '\(folder.path)/flows'")
        folder.write(
            "flows/loop.yaml",
            """
            flow: loop
            start: idle
            events: {l: {}}
            effects: [again]
            states:
              idle:
                data: {n: integer = 0}
                on:
                  l: {with: {n: =n + 1}, do: [again]}

            """)
        let lines = """
            flows \(folder.path)/flows
            mqtt hall mqtt://127.0.0.1:\(port)
            session s flow=loop
            map mqtt=hall topic=loop event=l session=s
            on effect=again session=s mqtt=hall topic=loop payload=x

            """
        let path = folder.write("gamed.conf", lines)
        let check = ShellCommand.run("gamed --check --config \(path)")
        #expect(check.contains("gamed.conf:4:1: the lines 4, 5 can cause each other"), "\(check)")
        let daemon = try DaemonProcess(["--config", path, "--no-main"])
        #expect(daemon.waitFor("mqtt hall: connected"))
        let client = try Client(daemon.socket)
        // The subscription may not be complete when the first message is published.
        _ = ShellCommand.run(
            """
            for i in $(seq 600); do
                mosquitto_pub -p \(port) -q 1 -t loop -m start; sleep 0.1
                gamectl --socket "$S" --json status @s | grep -q '"n":0' || break
            done
            """, daemon)
        let alert = client.ask("alerts", until: "without an end")
        #expect(
            alert.contains(
                "`on effect=again session=s mqtt=hall topic=loop payload=x` and `map mqtt=hall topic=loop event=l`"
            ),
            "\(alert)")
        #expect(daemon.waitFor("the chain was ended after 64 steps"))
        let status = client.ask("status @s")
        // The first message, and the 64 steps of its chain; twice if a second message was published before the first came.
        #expect(status.contains(#""n":65"#) || status.contains(#""n":130"#), "\(status)")
    }
}
