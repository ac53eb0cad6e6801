import GameFlow
import JSONCoding
import PostgresTestSupport
import TestSupport
import Testing

@testable import GamedServer

/// What a node accepts from one that connects to it.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct NodeConnectionTests {
    private let room: NodeRoom

    init() throws { room = try NodeRoom() }

    /// Proves to a daemon that the client is a node.
    private func prove(_ client: Client) throws {
        let secret = NodeSecret(Array(room.folder.text("secret").utf8.dropLast()))
        let nonce = NodeSecret.makeNonce()
        client.write(
            String(decoding: NodeFrame.hello(node: "z", nonce: nonce).bytes, as: UTF8.self))
        let answer = try #require(client.line())
        guard case .challenge(let other, let proof)? = NodeFrame(answer.utf8) else {
            Issue.record("no challenge: \(answer)")
            return
        }
        #expect(NodeSecret.matches(proof, secret.proof(of: .accepting, nonce, other)))
        let own = secret.proof(of: .connecting, other, nonce)
        client.write(String(decoding: NodeFrame.proof(own).bytes, as: UTF8.self))
        #expect(client.line() == #"!{"ready":true}"#)
    }

    @Test func `an output that was asked for too long ago is not sent`() throws {
        let run = room.folder.write(
            "run", "#!/bin/sh\necho x >> \(room.folder.path)/log\n", mode: 0o755)
        let a = try room.node("a", "on enter=* run=\(run)\n")
        defer { withExtendedLifetime(a) {} }
        let client = try Client(a.socket)
        try prove(client)
        let now = try #require(
            Int(
                PostgresServer.shared.sql(
                    "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8")))
        let registry = Value(json: try Client(a.socket).ask("outputs").dropFirst(3).utf8)
        guard case .object(let members)? = registry, case .array(let outputs)? = members["outputs"],
            case .object(let first)? = outputs.first, let text = first["text"]?.text
        else {
            Issue.record("no line: \(String(describing: registry))")
            return
        }
        let line = OutputLine.fingerprint(of: text)
        func deliver(_ number: Int, until: Int?) throws -> String {
            let output = try #require(
                RelayedOutput(.program(path: run, input: Array("{}".utf8)), line: line))
            let frame = NodeFrame.deliver(number, output: output.value, until: until)
            client.write(String(decoding: frame.bytes, as: UTF8.self))
            return try #require(client.line())
        }
        #expect(
            try deliver(1, until: now - 1)
                == #"!{"delivered":1,"failure":"the request came too late"}"#)
        #expect(room.folder.text("log") == "")
        #expect(try deliver(2, until: now + 60_000) == #"!{"delivered":2}"#)
        #expect(try deliver(3, until: nil) == #"!{"delivered":3}"#)
        #expect(room.folder.text("log") == "x\nx\n")
    }

    @Test func `clients that fill the limit do not keep a node out`() throws {
        let a = try room.node("a", "allow source:tcp observe\nlimit clients=2\n")
        defer { withExtendedLifetime(a) {} }
        let clients = try (0..<2).map { _ in try Client(a.socket) }
        for client in clients { #expect(client.ask("ping") == #"OK {"pong":true}"#) }
        // A TCP client beyond the limit is accepted at first, and gets the error when it sends its first line.
        let late = try Client(tcp: a.lines)
        late.write("ping\n")
        let refusal = try #require(late.line())
        #expect(refusal.contains(#""which":"clients","limit":2"#))
        #expect(late.rest() == "")
        let node = try Client(tcp: a.lines)
        try prove(node)
        // The connection of a node does not count as a client.
        clients[0].endInput()
        #expect(clients[0].rest() == "")
        #expect(try Client(a.socket).ask("ping") == #"OK {"pong":true}"#)
        node.write("!{\"ping\":true}\n")
        #expect(node.line() == #"!{"ping":true}"#)
        withExtendedLifetime((clients, node)) {}
    }

    @Test func `at most sixteen connections beyond the limit wait for a proof`() throws {
        let a = try room.node("a", "allow source:tcp observe\nlimit clients=1\n")
        defer { withExtendedLifetime(a) {} }
        let client = try Client(a.socket)
        #expect(client.ask("ping") == #"OK {"pong":true}"#)
        let silent = try (0..<LineServer.applicantLimit).map { _ in try Client(tcp: a.lines) }
        let next = try Client(tcp: a.lines)
        #expect(next.line()?.contains(#""which":"clients","limit":1"#) == true)
        #expect(next.rest() == "")
        // One that proves to be a node makes room.
        try prove(silent[0])
        try prove(Client(tcp: a.lines))
        withExtendedLifetime((client, silent)) {}
    }

    @Test func `a node with another secret is refused, and the log says so`() throws {
        let a = try room.node("a", "")
        let client = try Client(tcp: a.lines)
        client.write("!{\"hello\":\"z\",\"nonce\":\"1\"}\n")
        #expect(client.line()?.contains("challenge") == true)
        client.write("!{\"proof\":\"00\"}\n")
        #expect(client.rest() == "")
        #expect(a.waitFor("not accepted as a node: it has another secret"))
    }
}
