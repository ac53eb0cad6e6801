import Access
package import Cluster
import GameFlow
import Outputs
import Parts
import RPC
import Room
import Sessions
import Support
import Timers

/// A connection that another node has made to this node. Requests of the other node's clients arrive over the connection; this
/// object also holds these clients. The other node has a `NodeLink` at its end. All calls are on the loop's thread.
package final class IncomingNodeLink {
    /// The connection of the line protocol. It owns this object, and passes the lines of the other node to this object.
    package unowned let connection: Connection
    package let context: ServerContext
    /// This node's credentials for connections between nodes.
    private let environment: NodeEnvironment
    /// The clients, by the numbers that the other node gave them.
    private var clients: [Int: RelayedClient] = [:]
    private var phase = Phase.new

    /// How far the protocol between the nodes has come.
    private enum Phase: Equatable {
        /// The other node has sent nothing yet.
        case new
        /// The other node must still send its proof for this connection.
        case proving(NodeHandshake)
        /// The other node has proved that it is a node: it may send requests.
        case ready
        /// The connection is closed.
        case ended
    }

    package init(_ connection: Connection, _ environment: NodeEnvironment) {
        (self.connection, self.environment) = (connection, environment)
        context = connection.context
    }

    deinit { end() }

    /// Processes a line of the other node. Returns false if the connection must be closed.
    package func process(_ line: ArraySlice<UInt8>) -> Bool {
        guard let frame = NodeFrame(line) else { return false }
        switch (phase, frame) {
        case (.new, .hello(let node, let accepting, let address, let nonce)):
            return welcome(
                NodeHandshake(
                    connecting: node, accepting: accepting, address: address,
                    connectingNonce: nonce, acceptingNonce: NodeSecret.makeNonce()))
        case (.proving(let handshake), .proof(let proof)):
            guard case .secret(let secret) = environment.proof,
                NodeSecret.matches(proof, secret.proof(of: .connecting, handshake))
            else { return refuse("it has another secret") }
            begin(proof: secret.proof(of: .accepting, handshake))
            return true
        case (
            .ready,
            .client(
                let number, let source, let grants, let needsArgumentConversion,
                let needsLinkedSteps, let resumesWatches)
        ):
            guard let source = Source(relayed: source), let rights = Rights(relayed: grants) else {
                return false
            }
            // If the client is already known, its rights or its source have changed.
            if let client = clients[number] {
                client.update(source, rights)
            } else {
                clients[number] = RelayedClient(
                    number, source, rights,
                    needsArgumentConversion: needsArgumentConversion,
                    needsLinkedSteps: needsLinkedSteps, resumesWatches: resumesWatches, of: self)
            }
            return true
        case (.ready, .line(let number, let line, let sinceMs)):
            guard let client = clients[number] else { return false }
            // An older node does not say since when the request may have been sent.
            let since = sinceMs.flatMap { Instant(relayedMs: $0) } ?? connection.sentSince
            client.answer(Array(line.utf8), sentSince: since)
            return true
        case (.ready, .end(let number)):
            clients.removeValue(forKey: number)?.close()
            return true
        case (.ready, .deliver(let number, let output, let until)):
            sendOutput(output, until: until) { [weak self] result in
                self?.report(result, of: number)
            }
            return true
        case (.ready, .ping):
            send(.ping)
            return true
        default: return false
        }
    }

    /// Accepts frames about the other node's clients from now on. Call it when the other end has proved that it is a node.
    /// `proof` is this node's own proof; nil if the nodes prove themselves by certificates.
    package func begin(proof: String? = nil) {
        phase = .ready
        connection.becomeNode()
        send(.ready(proof: proof))
    }

    /// Answers `hello`, and asks for the other node's proof. This node proves itself only when the other node has done so.
    /// Returns false if the connection must be closed.
    private func welcome(_ handshake: NodeHandshake) -> Bool {
        guard case .secret = environment.proof else {
            return refuse("it proves itself by a secret, but this node has no --node-secret-file")
        }
        guard !handshake.accepting.isEmpty else {
            return refuse("it does not say which node it wants to reach: it has an earlier version")
        }
        guard handshake.accepting.hasSameBytes(as: environment.identity),
            handshake.address.hasSameBytes(as: environment.address)
        else {
            return refuse("it wants to reach another node: a program may pass on what it receives")
        }
        guard !handshake.connecting.hasSameBytes(as: environment.identity) else {
            return refuse("it has the identity of this node")
        }
        guard !handshake.connectingNonce.isEmpty, !handshake.acceptingNonce.isEmpty else {
            return false
        }
        phase = .proving(handshake)
        send(.challenge(nonce: handshake.acceptingNonce))
        return true
    }

    /// Logs why the other end is not accepted as a node. Returns false: the connection must be closed.
    private func refuse(_ why: String) -> Bool {
        context.authorizer.logRefusedConnection(
            connection.identity, "not accepted as a node: \(why)")
        return false
    }

    /// Sends an output on behalf of the other node. `value` describes the output. Does not send it after `until`, in
    /// milliseconds of the database's time: the other node has then counted the attempt as failed.
    private func sendOutput(
        _ value: Value, until: Int?, _ done: @escaping (DeliveryResult) -> Void
    ) {
        guard let output = RelayedOutput(value) else {
            return done(.failed("this node cannot read the output"))
        }
        if let until, let now = context.router?.databaseTime, now.milliseconds > until {
            return done(.failed("the request came too late"))
        }
        context.sendRelayed(output, done)
    }

    /// Sends the other node the result of its `deliver` request with this number.
    private func report(_ result: DeliveryResult, of number: Int) {
        send(.delivered(number, failure: result.why))
    }

    /// Sends a frame, or closes the connection if more bytes than the limit wait for the other node to read them.
    package func send(_ frame: NodeFrame) {
        guard phase != .ended else { return }
        let backlog = context.limits.incomingNodeBacklog
        guard connection.outbox.unsent <= backlog else {
            context.authorizer.logRefusedConnection(
                connection.identity,
                "the node does not read; more than \(backlog) bytes wait for it")
            return connection.close()
        }
        connection.outbox.write(line: frame.bytes)
        context.flushLater(connection)
    }

    /// Ends the other node's clients. Called when the connection is closed.
    package func end() {
        phase = .ended
        for client in exchange(&clients, with: [:]).values { client.close() }
    }
}

extension Instant {
    /// An instant in milliseconds, as another node has sent it; nil if it is out of range.
    fileprivate init?(relayedMs ms: Int) {
        guard 0...Int(Instant.last.milliseconds) ~= ms else { return nil }
        self = .zero + .milliseconds(ms)
    }
}
