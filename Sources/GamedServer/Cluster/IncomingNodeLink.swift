import GameFlow
import Outputs
import RPC
import Sessions
import Timers

/// A connection that another node has made to this node. Requests of the other node's clients arrive over the connection; this
/// object also holds these clients. The other node has a `NodeLink` at its end. All calls are on the loop's thread.
final class IncomingNodeLink {
    /// The connection of the line protocol. It owns this object, and passes the lines of the other node to this object.
    unowned let connection: Connection
    let context: ServerContext
    /// This node's credentials for connections between nodes.
    private let environment: NodeEnvironment
    /// The clients, by the numbers that the other node gave them.
    private var clients: [Int: RelayedClient] = [:]
    private var phase = Phase.new

    /// How far the protocol between the nodes has come.
    private enum Phase: Equatable {
        /// The other node has sent nothing yet.
        case new
        /// The other node must still send this proof.
        case proving(String)
        /// The other node has proved that it is a node: it may send requests.
        case ready
        /// The connection is closed.
        case ended
    }

    init(_ connection: Connection, _ environment: NodeEnvironment) {
        (self.connection, self.environment) = (connection, environment)
        context = connection.context
    }

    deinit { end() }

    /// Processes a line of the other node. Returns false if the connection must be closed.
    func process(_ line: ArraySlice<UInt8>) -> Bool {
        guard let frame = NodeFrame(line) else { return false }
        switch (phase, frame) {
        case (.new, .hello(_, let nonce)): return welcome(nonce)
        case (.proving(let expected), .proof(let proof)):
            guard NodeSecret.matches(proof, expected) else {
                context.authorizer.logRefusedConnection(
                    connection.identity, "not accepted as a node: it has another secret")
                return false
            }
            begin()
            return true
        case (.ready, .client(let number, let source, let grants, let needsArgumentConversion)):
            guard let source = Source(relayed: source), let rights = Rights(relayed: grants) else {
                return false
            }
            // If the client is already known, its rights or its source have changed.
            if let client = clients[number] {
                client.update(source, rights)
            } else {
                clients[number] = RelayedClient(
                    number, source, rights,
                    needsArgumentConversion: needsArgumentConversion, of: self)
            }
            return true
        case (.ready, .line(let number, let line)):
            guard let client = clients[number] else { return false }
            client.answer(Array(line.utf8))
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
    func begin() {
        phase = .ready
        connection.becomeNode()
        send(.ready)
    }

    /// Answers `hello` with this node's proof, and asks for the other node's proof. `nonce` is the other node's random text,
    /// from which this node's proof is computed. Returns false if the connection must be closed.
    private func welcome(_ nonce: String) -> Bool {
        guard case .secret(let secret) = environment.proof else {
            context.authorizer.logRefusedConnection(
                connection.identity,
                "not accepted as a node: it proves itself by a secret, but this node has no --node-secret-file"
            )
            return false
        }
        let ownNonce = NodeSecret.makeNonce()
        guard !ownNonce.isEmpty, !nonce.isEmpty else { return false }
        phase = .proving(secret.proof(of: .connecting, checker: ownNonce, prover: nonce))
        let ownProof = secret.proof(of: .accepting, checker: nonce, prover: ownNonce)
        send(.challenge(nonce: ownNonce, proof: ownProof))
        return true
    }

    /// Sends an output on behalf of the other node. `value` describes the output. Does not send it after `until`, in
    /// milliseconds of the database's time: the other node has then counted the attempt as failed.
    private func sendOutput(
        _ value: Value, until: Int?, _ done: @escaping (DeliveryResult) -> Void
    ) {
        guard let outputs = context.outputs else {
            return done(.failed("this node sends no outputs"))
        }
        guard let output = RelayedOutput(value) else {
            return done(.failed("this node cannot read the output"))
        }
        if let until, let now = context.router?.databaseTime, now.milliseconds > until {
            return done(.failed("the request came too late"))
        }
        outputs.send(output, done)
    }

    /// Sends the other node the result of its `deliver` request with this number.
    private func report(_ result: DeliveryResult, of number: Int) {
        switch result {
        case .delivered: send(.delivered(number, failure: nil))
        case .failed(let why), .rejected(let why): send(.delivered(number, failure: why))
        }
    }

    /// Sends a frame, or closes the connection if more bytes than the limit wait for the other node to read them.
    func send(_ frame: NodeFrame) {
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
    func end() {
        phase = .ended
        for client in exchange(&clients, with: [:]).values { client.close() }
    }
}
