import EventLoop
import GameFlow
import Outputs
import RPC
import Sessions
import Support
import TLSClient
import Timers

/// The connection from this node to another one, over which the requests of this node's clients go
/// to the sessions of the other.
final class NodeLink {
    let identity: String
    private let environment: NodeEnvironment
    private let socket: StreamSocket
    /// The encryption, if the nodes prove themselves by certificates.
    private var tls: TLSClientStream?
    private var input = LineBuffer(limit: NodeFrame.limit)
    private let nonce = NodeSecret.makeNonce()
    private(set) var phase = Phase.connecting
    private var lanes: [Int: NodeLane] = [:]
    private var lastLane = 0
    /// The outputs that the other node sends, by their numbers; the frames before `ready` wait.
    private var deliveries: [Int: (DeliveryResult) -> Void] = [:]
    private var waitingDeliveries: [NodeFrame] = []
    private var lastDelivery = 0
    private var deadline: ScopedCountdown?
    private var heartbeat: ScopedPendulum?
    /// The pings since the last line of the other node.
    private var pings = 0
    /// Called once when the connection is lost, or was not made.
    var ended: (_ why: String) -> Void = { _ in }

    enum Phase {
        case connecting
        /// Connected; the other node has still to prove itself.
        case proving
        /// The other node has proved itself, and decides whether it accepts this one.
        case proved
        case ready
        case ended
    }

    /// How long a node may take to connect and to prove itself.
    static let patience = Duration.seconds(2)

    /// After how many pings without a line of the other node, which are 5 s apart, the connection counts as lost.
    static let silentPings = 3

    /// Begins to connect.
    init(to identity: String, at address: String, _ environment: NodeEnvironment) {
        (self.identity, self.environment) = (identity, environment)
        socket = StreamSocket(
            on: environment.loop, .first, peer: "the node", limit: ServerLimits.nodeBacklog)
        socket.onOpen = { [unowned self] in opened() }
        socket.onBytes = { [unowned self] in take($0) }
        socket.onFailure = { [unowned self] _ in end(lossDescription) }
        guard case .network(let host, let port)? = Address(address),
            let place = HostLookup.address(of: host, port)
        else {
            // The caller sets `ended` after this.
            deadline = ScopedCountdown(on: environment.loop, .zero) { [unowned self] in
                end("its address \(address) cannot be used: --advertise needs a numeric one")
            }
            return
        }
        deadline = ScopedCountdown(on: environment.loop, Self.patience) { [unowned self] in
            end("it does not answer")
        }
        socket.connect(to: place)
    }

    private var lossDescription: String {
        switch phase {
        case .connecting: "nothing listens there"
        case .proving where tls != nil:
            "it closed the connection during the TLS handshake: does it have --node-ca?"
        case .proving, .proved, .ready, .ended: "the connection is lost"
        }
    }

    private func opened() {
        phase = .proving
        guard case .certificates(let certificates) = environment.proof else {
            return send(.hello(node: environment.name, nonce: nonce))
        }
        tls = TLSClientStream(certificates.client, host: nil)
        guard tls != nil else { return end("no memory for TLS") }
        // Begins the handshake.
        take([])
    }

    // MARK: lanes

    /// A lane for a client of this node.
    func lane(for client: any LaneClient) -> NodeLane {
        lastLane += 1
        let lane = NodeLane(lastLane, client, over: self)
        lanes[lastLane] = lane
        return lane
    }

    func forget(_ lane: NodeLane) {
        guard lanes.removeValue(forKey: lane.number) != nil, phase == .ready else { return }
        send(.end(lane.number))
    }

    /// Sends a client's line now, or when the nodes have proved themselves.
    func send(_ lane: NodeLane, _ line: [UInt8]) {
        guard phase == .ready else {
            lane.waiting.append(line)
            if phase == .ended { lane.linkWasLost() }
            return
        }
        if let introduction = lane.introduction { send(introduction) }
        send(.line(lane.number, String(decoding: line, as: UTF8.self)))
    }

    // MARK: outputs

    /// Lets the other node send an output, and calls `done` once. The other node does not send it after `end`, in the
    /// database's time.
    func deliver(
        _ output: RelayedOutput, until end: Instant?, _ done: @escaping (DeliveryResult) -> Void
    ) {
        guard phase != .ended else { return done(.failed("the connection is lost")) }
        lastDelivery += 1
        deliveries[lastDelivery] = done
        let frame = NodeFrame.deliver(
            lastDelivery, output: output.value, until: end.map { Int($0.milliseconds) })
        if phase == .ready { send(frame) } else { waitingDeliveries.append(frame) }
    }

    // MARK: frames

    private func take(_ frame: NodeFrame) {
        pings = 0
        switch (phase, frame) {
        case (.proving, .challenge(let other, let proof)):
            guard case .secret(let secret) = environment.proof, !nonce.isEmpty,
                NodeSecret.matches(proof, secret.proof(of: .accepting, nonce, other))
            else { return end("it has another secret: give all nodes the same --node-secret-file") }
            phase = .proved
            send(.proof(secret.proof(of: .connecting, other, nonce)))
        // A frame that has come through TLS is from a node with a certificate.
        case (.proving, .ready) where tls != nil: begin()
        case (.proved, .ready): begin()
        case (.ready, .line(let number, let line)): lanes[number]?.receive(Array(line.utf8))
        case (.ready, .moved(let number, let shard)): lanes[number]?.moved(shard)
        case (.ready, .delivered(let number, let failure)):
            deliveries.removeValue(forKey: number)?(failure.map { .failed($0) } ?? .delivered)
        case (.ready, .ping): break
        default: end("it sent a line that does not belong here")
        }
    }

    private func begin() {
        phase = .ready
        deadline = nil
        heartbeat = ScopedPendulum(on: environment.loop, .seconds(5)) { [unowned self] _ in
            // Without this, requests would wait until TCP gives up, which takes a quarter of an hour.
            guard pings < Self.silentPings else { return end("it does not answer") }
            pings += 1
            send(.ping)
        }
        for frame in exchange(&waitingDeliveries, with: []) { send(frame) }
        for lane in lanes.values.sorted(by: { $0.number < $1.number }) { lane.linkIsReady() }
    }

    // MARK: bytes

    private func send(_ frame: NodeFrame) {
        guard let tls else { return socket.send(frame.bytes) }
        do throws(TLSClientError) {
            try tls.send(frame.bytes)
            socket.send(tls.takeOutput())
        } catch { end(error.why) }
    }

    /// Takes bytes from the socket; the first call with TLS has none.
    private func take(_ bytes: ArraySlice<UInt8>) {
        guard let tls else { return read(bytes) }
        do throws(TLSClientError) {
            let data = try tls.receive(bytes)
            socket.send(tls.takeOutput())
            if !data.isEmpty { read(data[...]) }
        } catch {
            // The alert that says what is wrong.
            socket.send(tls.takeOutput())
            end(Self.described(error))
        }
    }

    /// An alert of the other node says that it does not accept this node's certificate.
    private static func described(_ error: TLSClientError) -> String {
        error.why.contains("alert")
            ? "it does not accept this node's certificate, or is no node with --node-ca: \(error.why)"
            : error.why
    }

    private func read(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { input.append($0) }
        while phase != .ended, let line = input.next() {
            guard case .line(let bytes) = line, let frame = NodeFrame(bytes) else {
                return end("it does not speak as a node: is its --advertise a --listen address?")
            }
            take(frame)
        }
    }

    /// Ends the connection: the lanes' clients get no further answer.
    func end(_ why: String) {
        guard phase != .ended else { return }
        phase = .ended
        (deadline, heartbeat) = (nil, nil)
        socket.close()
        let all = exchange(&lanes, with: [:]).values.sorted { $0.number < $1.number }
        ended(why)
        for lane in all { lane.linkWasLost() }
        let open = exchange(&deliveries, with: [:]).sorted { $0.key < $1.key }
        for delivery in open { delivery.value(.failed("the connection is lost")) }
    }
}

/// The objects that the connections between nodes share.
struct NodeEnvironment {
    let loop: LibeventLoop
    /// This node's name, for the logs of others.
    let name: String
    let proof: NodeProof
}

/// How nodes prove themselves to each other.
enum NodeProof {
    /// Not at all: then there are no connections between them.
    case none
    /// By a secret that all have. The connection is not encrypted, so it must not leave the machine.
    case secret(NodeSecret)
    /// By certificates, in the TLS handshake.
    case certificates(NodeCertificates)

    var certificates: NodeCertificates? {
        if case .certificates(let certificates) = self { certificates } else { nil }
    }
}
