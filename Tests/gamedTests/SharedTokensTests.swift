import Access
import Cluster
import EventLoop
import Glibc
import PostgresStore
import PostgresTestSupport
import RPC
import Sessions
import TestSupport
import Testing
import Timers

@testable import GamedServer

/// Two nodes that share a store. Each has a copy of the tokens.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct SharedTokensTests {
    private let server = PostgresServer.shared
    private let database = PostgresServer.shared.makeDatabase()
    private let loop: LibeventLoop
    private let nodes: [SharedTokens]

    init() throws {
        let location = try PostgresLocation(server.url(database))
        _ = try StorePreparation.prepare(location)
        let loop = try LibeventLoop()
        self.loop = loop
        nodes = try (0..<2).map { _ in
            try SharedTokens(location, acceptsWeakStore: true, on: loop)
        }
        let nodes = nodes
        for node in nodes { node.changed = { _ in loop.stop() } }
        while nodes.contains(where: { $0.version == nil }) { loop.run() }
    }

    /// Makes the changes at the same time, each on the node with the given index, and waits for their results.
    private func changeConcurrently<Value>(
        _ changes: [(node: Int, body: (inout TokenFile) throws(TokenFile.TokenError) -> Value)]
    ) -> [Result<Value, TokenFile.TokenError>] {
        var results: [Int: Result<Value, TokenFile.TokenError>] = [:]
        for (number, change) in changes.enumerated() {
            nodes[change.node].change(change.body) { [loop] result in
                results[number] = result.map { $0.0 }
                if results.count == changes.count { loop.stop() }
            }
        }
        while results.count < changes.count { loop.run() }
        return results.sorted { $0.key < $1.key }.map(\.value)
    }

    private func invitation(isOnce: Bool) throws -> StoredInvitation {
        let session = try #require(SessionName("main"))
        // The invitation does not end during the test. The time, 2^51 - 1, is an integer that JSON can hold.
        return StoredInvitation(Invitation(session, .play, isOnce: isOnce), until: .max >> 12)
    }

    /// Makes an invitation on the first node, and waits until the second node has it. Returns its name.
    private func invite(isOnce: Bool) throws -> String {
        let storedInvitation = try invitation(isOnce: isOnce)
        let results = changeConcurrently([
            (0, { tokens throws(TokenFile.TokenError) in try tokens.invite(storedInvitation).name })
        ])
        let name = try results[0].get()
        while nodes[1].tokens.invitation(named: name) == nil { loop.run() }
        return name
    }

    /// Lets `count` guests join at the same time, on both nodes in turn.
    private func admit(_ count: Int, to name: String) -> [Result<String, TokenFile.TokenError>] {
        changeConcurrently(
            (0..<count).map { number in
                (
                    number % 2,
                    { tokens throws(TokenFile.TokenError) in try tokens.admit(to: name, at: 0).name
                    }
                )
            })
    }

    @Test func `changes of two nodes at the same time are all kept`() throws {
        let results = changeConcurrently(
            (0..<12).map { number in
                (
                    number % 2,
                    { tokens throws(TokenFile.TokenError) in
                        _ = try tokens.add("token-\(number)")
                    }
                )
            })
        #expect(results.allSatisfy { (try? $0.get()) != nil })
        let names = (0..<12).map { "token-\($0)" }.sorted()
        while nodes.contains(where: { $0.tokens.names != names }) { loop.run() }
        #expect(
            nodes[0].tokens.text.split(separator: "\n").sorted()
                == nodes[1].tokens.text.split(separator: "\n").sorted())
    }

    @Test func `an invitation for one guest admits only one guest, even if both nodes are asked`()
        throws
    {
        let name = try invite(isOnce: true)
        let results = admit(6, to: name)
        #expect(results.count { (try? $0.get()) != nil } == 1)
        for case .failure(let error) in results { #expect(error == .used) }
        // The rows of the invitation and of its guest.
        #expect(server.sql("SELECT count(*) FROM gamed_token", in: database) == "2")
    }

    @Test func `guests who join at the same time on two nodes get different names`() throws {
        let name = try invite(isOnce: false)
        let results = admit(10, to: name)
        let guests = try results.map { try $0.get() }
        #expect(Set(guests) == Set((1...10).map { "\(name).\($0)" }))
    }

    /// Runs the loop until the condition is true. Checks the condition at least every 20 ms. The test fails after 1000 checks.
    private func run(until condition: () -> Bool) {
        let pendulum = ScopedPendulum(on: loop, .milliseconds(20)) { [loop] _ in loop.stop() }
        for _ in 0..<1_000 where !condition() { loop.run() }
        #expect(condition())
        withExtendedLifetime(pendulum) {}
    }

    @Test func `nodes take the older tokens of a server that has lost the newest tokens`() throws {
        _ = changeConcurrently([
            (0, { tokens throws(TokenFile.TokenError) in _ = try tokens.add("kept") })
        ])
        _ = changeConcurrently([
            (0, { tokens throws(TokenFile.TokenError) in _ = try tokens.add("lost") })
        ])
        run { nodes.allSatisfy { $0.tokens.names == ["kept", "lost"] } }
        // Simulates a failover to a server that did not get the newest change.
        server.sql(
            "DELETE FROM gamed_token WHERE name = 'lost'; "
                + "UPDATE gamed_token_version SET version = version - 1; NOTIFY gamed_token",
            in: database)
        run { nodes.allSatisfy { $0.tokens.names == ["kept"] } }
        // After a lost connection the nodes read the tokens again, even if the version is unchanged.
        server.sql("DELETE FROM gamed_token", in: database)
        server.sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                + "WHERE datname = current_database() AND pid <> pg_backend_pid()", in: database)
        run { nodes.allSatisfy { $0.tokens.names.isEmpty } }
    }

    @Test func `failed reads are reported once, and again only after a successful read`() throws {
        var reports: [String] = []
        for node in nodes { node.failed = { reports.append($0) } }
        server.sql("ALTER TABLE gamed_token RENAME TO gamed_gone", in: database)
        run { reports.count == 2 }
        // Further reads fail for the same reason, so they are not reported. The notification makes each node read the tokens
        // again. Each node then tries two changes, one after the other. A node's read ends before its second change ends. So a
        // report of that read would be in `reports` before the check.
        server.sql("NOTIFY gamed_token", in: database)
        for number in 0..<2 {
            let results = changeConcurrently(
                (0..<2).map { node in
                    (
                        node,
                        { tokens throws(TokenFile.TokenError) in
                            _ = try tokens.add("no-\(number)-\(node)")
                        }
                    )
                })
            #expect(results.allSatisfy { (try? $0.get()) == nil })
        }
        #expect(
            reports.count == 2 && reports.allSatisfy { $0.contains("gamed_token") }, "\(reports)")
        server.sql("ALTER TABLE gamed_gone RENAME TO gamed_token", in: database)
        _ = changeConcurrently([
            (0, { tokens throws(TokenFile.TokenError) in _ = try tokens.add("new") })
        ])
        run { nodes.allSatisfy { $0.tokens.names == ["new"] } }
        server.sql("ALTER TABLE gamed_token RENAME TO gamed_gone", in: database)
        run { reports.count == 4 }
    }

    @Test func `invalid rows are reported, and the node's copy of the tokens does not change`()
        throws
    {
        var reports: [String] = []
        nodes[0].failed = { [loop] in
            reports.append($0)
            loop.stop()
        }
        _ = changeConcurrently([
            (0, { tokens throws(TokenFile.TokenError) in _ = try tokens.add("desk") })
        ])
        server.sql(
            "INSERT INTO gamed_token VALUES ('x', 'x y'); UPDATE gamed_token_version SET version = version + 1; NOTIFY gamed_token",
            in: database)
        while reports.isEmpty { loop.run() }
        #expect(reports[0].hasPrefix("the store:2:1: expected a name"), "\(reports)")
        #expect(nodes[0].tokens.names == ["desk"])
    }
}
