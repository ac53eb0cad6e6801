import Durability
import GameFlow
import RPC
import Sessions

/// A client of another node, whose requests that node has passed on: it has checked the rights.
final class GuestClient: Client {
    let number: Int
    private(set) var identity: Identity
    private(set) var rights: Rights
    let context: ServerContext
    let subscriber: Subscriber
    private weak var node: NodeGuests?
    var routes: RoutedClient?
    var isToFlush = false
    var isToRelease = false
    private(set) var isGone = false

    init(_ number: Int, _ source: Source, _ rights: Rights, of node: NodeGuests) {
        (self.number, self.rights, self.node) = (number, rights, node)
        identity = Identity(relayed: source)
        context = node.context
        subscriber = Subscriber(context.sessions, context.protocolHandler.encoder)
    }

    func introduce(_ source: Source, _ rights: Rights) {
        (identity, self.rights) = (Identity(relayed: source), rights)
    }

    func take(_ line: [UInt8]) {
        context.protocolHandler.answer(.line(line[...]), from: self)
        flush()
    }

    /// Notifications go to the other node as they are, behind the replies before them.
    func receive(_ notification: EncodedNotification) {
        guard !isGone else { return }
        subscriber.put(notification)
        context.flushLater(self)
    }

    func shardMoved(_ shard: Int) { node?.send(.moved(number, shard: shard)) }

    func flush() {
        guard !isGone, let node else { return }
        repeat {
            subscriber.fill(upTo: 65_536, for: rights)
            let bytes = outbox.take()
            if bytes.isEmpty { break }
            for line in bytes.split(separator: 0x0A) {
                node.send(.line(number, String(decoding: line, as: UTF8.self)))
            }
        } while true
        if outbox.isWaiting { context.releaseLater(self) }
    }

    func deliver(_ ticket: Int, _ answer: DeferredResult.Answer) {
        guard !isGone else { return }
        outbox.deliver(ticket, answer)
        flush()
    }

    func review() {}

    func close() {
        isGone = true
        routes?.end()
        routes = nil
    }

    // MARK: Caller

    func notify(_ notification: Notification) {}
    func ended(_ session: SessionName) {}
    func follow(_ target: WatchTarget, _ missed: Sessions.Missed) {
        subscriber.follow(target, missed, for: rights)
    }
    func unfollow(_ target: WatchTarget) { subscriber.unfollow(target) }
}

/// The other end of a `NodeLink`: a connection from another node, and its clients.
final class NodeGuests {
    unowned let connection: Connection
    let context: ServerContext
    private let environment: NodeEnvironment
    private var clients: [Int: GuestClient] = [:]
    private var phase = Phase.new

    private enum Phase: Equatable {
        case new
        /// The other node has still to send this proof.
        case proving(String)
        case ready
    }

    init(_ connection: Connection, _ environment: NodeEnvironment) {
        (self.connection, self.environment) = (connection, environment)
        context = connection.context
    }

    deinit { end() }

    /// Takes a line. Returns false if the connection must be closed.
    func take(_ line: ArraySlice<UInt8>) -> Bool {
        guard let frame = NodeFrame(line) else { return false }
        switch (phase, frame) {
        case (.new, .hello(let node, let nonce)): return welcome(node, nonce)
        case (.proving(let expected), .proof(let proof)):
            guard NodeSecret.matches(proof, expected) else {
                Log.write(.warning, "a node with another secret was refused")
                return false
            }
            phase = .ready
            connection.becomeNode()
            send(.ready)
            return true
        case (.ready, .client(let number, let source, let grants)):
            guard let source = Source(relayed: source), let rights = Rights(relayed: grants) else {
                return false
            }
            if let client = clients[number] {
                client.introduce(source, rights)
            } else {
                clients[number] = GuestClient(number, source, rights, of: self)
            }
            return true
        case (.ready, .line(let number, let line)):
            guard let client = clients[number] else { return false }
            client.take(Array(line.utf8))
            return true
        case (.ready, .end(let number)):
            clients.removeValue(forKey: number)?.close()
            return true
        case (.ready, .ping):
            send(.ping)
            return true
        default: return false
        }
    }

    private func welcome(_ node: String, _ nonce: String) -> Bool {
        guard let secret = environment.secret else {
            Log.write(
                .warning, "node \(node) connects, but this node has no --node-secret-file")
            return false
        }
        let own = NodeSecret.makeNonce()
        guard !own.isEmpty, !nonce.isEmpty else { return false }
        phase = .proving(secret.proof(of: .connecting, own, nonce))
        send(.challenge(nonce: own, proof: secret.proof(of: .accepting, nonce, own)))
        return true
    }

    func send(_ frame: NodeFrame) {
        connection.outbox.write(line: frame.bytes)
        context.flushLater(connection)
    }

    func end() {
        for client in exchange(&clients, with: [:]).values { client.close() }
    }
}
