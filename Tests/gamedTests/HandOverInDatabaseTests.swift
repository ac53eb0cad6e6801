import Glibc
import PostgresTestSupport
import TestSupport
import Testing

/// The timers of sessions whose owner changes, with a database.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct HandOverInDatabaseTests {
    private let room: NodeRoom
    private let names = (1...12).map { "s\($0)" }

    init() throws {
        room = try NodeRoom()
        room.folder.write(
            "safe.yaml",
            """
            flow: safe
            start: open

            events:
              turn:

            states:
              open:
                timers:
                  byDeadline: {after: 1h}
                  byRemaining: {after: 1h, restart: remaining}
                  byRestart: {after: 1h, restart: restart}
                  dropped: {after: 1h, restart: drop}
                on:
                  turn, byDeadline, byRemaining, byRestart, dropped: shut

              shut:
                final: true

            """)
    }

    private func node(_ name: String) throws -> DaemonProcess {
        try room.node(name, "", ["--flows", room.folder.path])
    }

    /// What is left of each timer of a session, in milliseconds.
    private func left(_ name: String, _ client: Client) -> [String: Int] {
        var left: [String: Int] = [:]
        let status = client.ask("status @\(name)")
        for timer in status.split(separator: #"{"fires":""#).dropFirst() {
            let rest = timer.split(separator: #""remainingMs":"#).last ?? ""
            left[String(timer.prefix { $0 != "\"" })] = Int(rest.prefix(while: \.isNumber))
        }
        return left
    }

    /// All timers were set at one instant, so those that nothing has changed have the same time left.
    private func expectUntouched(_ client: Client, _ what: Comment) {
        for name in names {
            let left = left(name, client)
            #expect(left.count == 4 && Set(left.values).count == 1, "\(what): \(name) \(left)")
        }
    }

    @Test
    func
        `timers continue when a shard is given up to another node, and do as they declare when its owner dies`()
        throws
    {
        let a = try node("a")
        let client = try Client(a.socket)
        for name in names { #expect(client.ask("open @\(name) flow=safe").hasPrefix("OK")) }
        let b = try node("b")
        try room.waitForShares(of: [a, b])
        expectUntouched(client, "a node has joined")
        b.signal(SIGTERM)
        b.waitForEnd()
        try room.waitForShares(of: [a])
        expectUntouched(client, "a node has ended")

        // All shards move while node c runs, and those that it has got come back when it dies.
        let c = try node("c")
        try room.waitForShares(of: [a, c])
        c.signal(SIGKILL)
        c.waitForEnd()
        try room.waitForShares(of: [a])
        var taken = 0
        for name in names {
            let left = left(name, client)
            guard left["dropped"] == nil else { continue }
            taken += 1
            #expect(left["byRestart"] ?? 0 > left["byRemaining"] ?? 0, "\(name) \(left)")
            #expect(left["byRemaining"] ?? 0 > left["byDeadline"] ?? 0, "\(name) \(left)")
        }
        #expect(taken > 0 && taken < names.count, "of 12 sessions, node c had \(taken)")
        let check = ShellCommand.run("gamectl journal check '\(room.url)'", a)
        #expect(check.hasSuffix("sound\n"), "\(check)")
        let exported = ShellCommand.run("gamectl journal export '\(room.url)'", a)
        #expect(exported.contains(#""handOver":true"#))

        // A node that starts when none runs restarts the sessions, although the last one gave them up.
        a.signal(SIGTERM)
        a.waitForEnd()
        let d = try node("d")
        let last = try Client(d.socket)
        for name in names { #expect(left(name, last)["dropped"] == nil, "\(name)") }
        let replay = ShellCommand.run("gamectl replay '\(room.url)' 2>&1; echo $?", d)
        #expect(replay.hasSuffix("\n0\n"), "\(replay)")
    }
}
