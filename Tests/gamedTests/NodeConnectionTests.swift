import Connections
import GameFlow
import Glibc
import JSONCoding
import PostgresTestSupport
import TestSupport
import Testing

@testable import Cluster
@testable import GamedServer
@testable import Room

/// Connections of other nodes to a node. The test's client acts as the other node.
@Suite(.enabled(if: PostgresServer.absence == nil)) struct NodeConnectionTests {
    private let cluster: ClusterFixture

    init() throws { cluster = try ClusterFixture() }

    /// The identity of a daemon, as the other nodes find it in the database.
    private func identity(of node: DaemonProcess) -> String {
        cluster.identity(ofNodeAt: node.tcpAddress)
    }

    /// Proves to the daemon that the client knows the nodes' secret, so that the daemon accepts the client as a node.
    private func authenticateAsNode(_ client: Client, to node: DaemonProcess) throws {
        let secret = try #require(NodeSecret(Array(cluster.folder.text("secret").utf8.dropLast())))
        var handshake = NodeHandshake(
            connecting: "z", accepting: identity(of: node), address: node.tcpAddress,
            connectingNonce: NodeSecret.makeNonce(), acceptingNonce: "")
        client.write(handshake.hello)
        let answer = try #require(client.line())
        guard case .challenge(let daemonNonce)? = NodeFrame(answer.utf8) else {
            Issue.record("no challenge: \(answer)")
            return
        }
        handshake.acceptingNonce = daemonNonce
        let ownProof = secret.proof(of: .connecting, handshake)
        client.write(String(decoding: NodeFrame.proof(ownProof).bytes, as: UTF8.self))
        let ready = try #require(client.line())
        guard case .ready(let daemonProof)? = NodeFrame(ready.utf8) else {
            Issue.record("the daemon is not ready: \(ready)")
            return
        }
        #expect(
            NodeSecret.matches(daemonProof ?? "", secret.proof(of: .accepting, handshake)))
    }

    @Test func `an output is not sent after the deadline of the request`() throws {
        let program = cluster.folder.write(
            "run", "#!/bin/sh\necho x >> \(cluster.folder.path)/log\n", mode: 0o755)
        let node = try cluster.startNode("a", "on enter=* run=\(program)\n")
        defer { withExtendedLifetime(node) {} }
        let client = try Client(node.socket)
        try authenticateAsNode(client, to: node)
        let now = try #require(
            Int(
                PostgresServer.shared.sql(
                    "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8")))
        let answer = Value(json: try Client(node.socket).ask("outputs").dropFirst(3).utf8)
        guard case .object(let members)? = answer,
            case .array(let outputList)? = members["outputs"],
            case .object(let firstOutput)? = outputList.first,
            let directive = firstOutput["text"]?.text
        else {
            Issue.record("the node has no output: \(String(describing: answer))")
            return
        }
        let fingerprint = OutputLine.fingerprint(of: directive)
        /// Asks the node to send an output, and returns the answer. The deadline `until` is in milliseconds of the database's
        /// time; nil means no deadline.
        func deliver(_ number: Int, until: Int?) throws -> String {
            let output = try #require(
                RelayedOutput(
                    OutputAttempt(
                        ProgramContent(path: program, input: Array("{}".utf8)), line: fingerprint,
                        node: .this, timeout: .seconds(1))))
            let frame = NodeFrame.deliver(number, output: output.value, until: until)
            client.write(String(decoding: frame.bytes, as: UTF8.self))
            return try #require(client.line())
        }
        #expect(
            try deliver(1, until: now - 1)
                == #"!{"delivered":1,"failure":"the request came too late"}"#)
        #expect(cluster.folder.text("log") == "")
        #expect(try deliver(2, until: now + 60_000) == #"!{"delivered":2}"#)
        #expect(try deliver(3, until: nil) == #"!{"delivered":3}"#)
        #expect(cluster.folder.text("log") == "x\nx\n")
    }

    @Test func `a node is accepted although the clients have reached their limit`() throws {
        let node = try cluster.startNode("a", "allow source:tcp observe\nlimit clients=2\n")
        defer { withExtendedLifetime(node) {} }
        let clients = try (0..<2).map { _ in try Client(node.socket) }
        for client in clients { #expect(client.ask("ping") == #"OK {"pong":true}"#) }
        // A TCP client beyond the limit is accepted at first, and gets the error when it sends its first line.
        let lateClient = try Client(tcp: node.tcpAddress)
        lateClient.write("ping\n")
        let refusal = try #require(lateClient.line())
        #expect(refusal.contains(#""which":"clients","limit":2"#))
        #expect(lateClient.textUntilEnd() == "")
        let nodeClient = try Client(tcp: node.tcpAddress)
        try authenticateAsNode(nodeClient, to: node)
        // The connection of a node does not count toward the limit.
        clients[0].endInput()
        #expect(clients[0].textUntilEnd() == "")
        #expect(try Client(node.socket).ask("ping") == #"OK {"pong":true}"#)
        nodeClient.write("!{\"ping\":true}\n")
        #expect(nodeClient.line() == #"!{"ping":true}"#)
        withExtendedLifetime((clients, nodeClient)) {}
    }

    @Test
    func
        `at most sixteen connections beyond the limit of clients may wait until they prove to be nodes`()
        throws
    {
        let node = try cluster.startNode("a", "allow source:tcp observe\nlimit clients=1\n")
        defer { withExtendedLifetime(node) {} }
        let client = try Client(node.socket)
        #expect(client.ask("ping") == #"OK {"pong":true}"#)
        let waitingClients = try (0..<LineServer.applicantLimit).map { _ in
            try Client(tcp: node.tcpAddress)
        }
        let refusedClient = try Client(tcp: node.tcpAddress)
        #expect(refusedClient.line()?.contains(#""which":"clients","limit":1"#) == true)
        #expect(refusedClient.textUntilEnd() == "")
        // When one of the waiting connections is accepted as a node, another connection may wait.
        try authenticateAsNode(waitingClients[0], to: node)
        try authenticateAsNode(Client(tcp: node.tcpAddress), to: node)
        withExtendedLifetime((client, waitingClients)) {}
    }

    @Test func `a node with another secret is refused, and the log says so`() throws {
        let node = try cluster.startNode("a")
        let client = try Client(tcp: node.tcpAddress)
        let handshake = NodeHandshake(
            connecting: "z", accepting: identity(of: node), address: node.tcpAddress,
            connectingNonce: "1", acceptingNonce: "")
        client.write(handshake.hello)
        let challenge = try #require(client.line())
        // A client that has proved nothing gets no digest of the secret.
        #expect(challenge.contains("challenge") && !challenge.contains("proof"))
        client.write("!{\"proof\":\"00\"}\n")
        #expect(client.textUntilEnd() == "")
        #expect(node.waitFor("not accepted as a node: it has another secret"))
    }

    @Test func `a connection for another node is refused`() throws {
        let node = try cluster.startNode("a")
        let identity = identity(of: node)
        for (connecting, accepting, address) in [
            ("z", "y", node.tcpAddress), ("z", identity, "127.0.0.1:1"),
            // The first line of an earlier build names no node.
            ("z", "", ""), (identity, identity, node.tcpAddress),
        ] {
            let client = try Client(tcp: node.tcpAddress)
            let handshake = NodeHandshake(
                connecting: connecting, accepting: accepting, address: address,
                connectingNonce: "1", acceptingNonce: "")
            client.write(handshake.hello)
            #expect(client.textUntilEnd() == "")
        }
        #expect(node.waitFor("not accepted as a node: it wants to reach another node"))
    }

    @Test func `a program at the address of a dead node cannot pass on the proofs of a node`()
        throws
    {
        let (a, b) = (try cluster.startNode("a"), try cluster.startNode("b"))
        try cluster.waitForBalancedShards(of: [a, b])
        let script = "\(ChildProcess.repositoryRoot)/Tests/gamedTests/Clients/node_relay.py"
        let deadAddress = b.tcpAddress
        b.signal(SIGKILL)
        b.waitForEnd()
        let relay = try ChildProcess(
            ["/usr/bin/python3", script, deadAddress, a.tcpAddress], connecting: [1, 2])
        #expect(relay.waitFor("listens"))
        // Half of the sessions belong to the dead node, as long as its lease lasts.
        let client = try Client(a.socket)
        for number in 1...16 { client.write("status @s\(number)\n") }
        _ = relay.outputUntilEnd()
        #expect(relay.waitForEnd() == 0)
        #expect(relay.output.contains("> !{\"hello\""), "\(relay.output)")
        #expect(!relay.output.contains("ready"), "\(relay.output)")
        #expect(a.waitFor("it wants to reach another node"))
    }
}

extension NodeHandshake {
    /// The first line of the node that connects.
    fileprivate var hello: String {
        let frame = NodeFrame.hello(
            node: connecting, to: accepting, address: address, nonce: connectingNonce)
        return String(decoding: frame.bytes, as: UTF8.self)
    }
}
