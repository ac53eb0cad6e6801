package import EventLoop
package import GameFlow
package import Net
package import Outputs
import Parts
import RPC
import Sessions
import Shards
import Support
package import Timers

/// A connection from this node to another node. It carries requests of this node's clients to sessions that the other node
/// owns. The connection also carries outputs of this node; the other node sends these outputs to their targets.
package final class NodeLink {
    /// The loop, this node's identity, and its proof.
    private let environment: NodeEnvironment
    private let socket: StreamSocket
    /// The TLS stream, if the nodes prove themselves by certificates.
    private var tls: TLSClientStream?
    private var input = LineBuffer(limit: NodeFrame.limit)
    /// What the proofs of this connection cover. The nonce of this node is empty if no random bytes are available.
    private var handshake: NodeHandshake
    package private(set) var phase = Phase.connecting
    /// From when on the connection counts as one that works; the end of time until it is ready.
    private var steadyInstant = Instant.last
    /// The lanes of clients, by the numbers that frames contain.
    private var lanes: [Int: NodeLane] = [:]
    private var lastLaneNumber = 0
    /// The completion handlers of outputs that the other node was asked to send, by the number of the request.
    private var deliveries: [Int: (DeliveryResult) -> Void] = [:]
    /// The requests to send outputs that were made before the connection was ready.
    private var waitingDeliveries: [NodeFrame] = []
    private var lastDeliveryNumber = 0
    /// Ends the connection if it is not ready in time.
    private var deadline = Alarm()
    /// Sends pings while the connection is ready.
    private var heartbeat = Ticker()
    /// The number of pings that were sent since the last line of the other node.
    private var unansweredPings = 0
    /// Called once with the reason when the connection is lost or cannot be made. The reason is a sentence, in which "it" means
    /// the other node.
    package var ended: (_ why: String) -> Void = { _ in }

    package enum Phase {
        case connecting
        /// Connected; the other node has not proved yet that it is a node.
        case proving
        /// The other node checks the proof of this node.
        case proved
        case ready
        case ended
    }

    /// How long it may take until the connection is ready.
    static let connectTimeout = Duration.seconds(2)

    /// The time between two pings.
    private static let pingInterval = Duration.seconds(5)
    /// The connection counts as lost if the other node sends no line after this number of pings.
    static let unansweredPingLimit = 3

    /// Begins to connect to the node with this identity at `address`.
    package init(to identity: String, at address: String, _ environment: NodeEnvironment) {
        self.environment = environment
        handshake = NodeHandshake(
            connecting: environment.identity, accepting: identity, address: address,
            connectingNonce: NodeSecret.makeNonce(), acceptingNonce: "")
        socket = StreamSocket(
            on: environment.loop, peer: "the node", limit: ServerLimits.outgoingNodeBacklog)
        socket.onOpen = { [unowned self] in opened() }
        socket.onBytes = { [unowned self] in process($0) }
        socket.onFailure = { [unowned self] _ in end(lossDescription) }
        guard case .network(let host, let port)? = Address(address),
            let socketAddress = HostLookup.address(of: host, port)
        else {
            // The failure is reported by a timer, because the caller sets `ended` after this initializer.
            deadline.set(on: environment.loop, .zero) { [unowned self] in
                end("its address \(address) cannot be used: --advertise needs a numeric one")
            }
            return
        }
        deadline.set(on: environment.loop, Self.connectTimeout) { [unowned self] in
            end("it does not answer")
        }
        socket.connect(to: socketAddress)
    }

    /// Whether the connection has worked for a while.
    var hasWorked: Bool { environment.loop.timerQueue.now >= steadyInstant }

    /// The reason that is reported when the socket fails: the phase says more than the error of the socket.
    private var lossDescription: String {
        switch phase {
        case .connecting: "nothing listens there"
        case .proving where tls != nil:
            "it closed the connection during the TLS handshake: does it have --node-ca?"
        case .proving, .proved:
            "it does not accept this node: its log says why; all nodes need the same --node-secret-file"
        case .ready, .ended: "the connection is lost"
        }
    }

    /// Begins the proofs: the socket is connected.
    private func opened() {
        phase = .proving
        guard case .certificates(let certificates) = environment.proof else {
            return send(
                .hello(
                    node: handshake.connecting, to: handshake.accepting, address: handshake.address,
                    nonce: handshake.connectingNonce))
        }
        // Without a `host`, the names in the certificate are not checked: every certificate that an authority of --node-ca has
        // issued proves a node.
        tls = TLSClientStream(certificates.clientContext, host: nil)
        guard tls != nil else { return end("no memory for TLS") }
        // Begins the handshake.
        process([])
    }

    // MARK: lanes

    /// Adds a lane for a client of this node.
    func lane(for client: any LaneClient) -> NodeLane {
        lastLaneNumber += 1
        let lane = NodeLane(lastLaneNumber, client, over: self)
        lanes[lastLaneNumber] = lane
        return lane
    }

    /// Removes a lane whose client is gone, and tells the other node.
    package func remove(_ lane: NodeLane) {
        guard lanes.removeValue(forKey: lane.number) != nil, phase == .ready else { return }
        send(.end(lane.number))
    }

    /// Sends a client's request as a line: now, or when both nodes have proved that they are nodes.
    func send(_ request: RoutedRequest, from lane: NodeLane) {
        guard phase == .ready else {
            lane.unsentRequests.append(request)
            if phase == .ended { lane.linkWasLost() }
            return
        }
        // The client's source and rights, if the other node does not have them yet.
        if let introduction = lane.takeIntroduction() { send(introduction) }
        send(
            .line(
                lane.number, String(decoding: request.line, as: UTF8.self),
                sinceMs: request.sentSince.map { Int($0.milliseconds) }))
    }

    // MARK: outputs

    /// Makes the other node send an output, and calls `done` once with the result. `latest` is an instant of the database's
    /// clock. When this instant has passed, the other node no longer sends the output. Nil means that there is no time limit.
    package func deliver(
        _ output: Value, until latest: Instant?, _ done: @escaping (DeliveryResult) -> Void
    ) {
        guard phase != .ended else { return done(.failed("the connection is lost")) }
        lastDeliveryNumber += 1
        deliveries[lastDeliveryNumber] = done
        let frame = NodeFrame.deliver(
            lastDeliveryNumber, output: output, until: latest.map { Int($0.milliseconds) })
        if phase == .ready { send(frame) } else { waitingDeliveries.append(frame) }
    }

    // MARK: frames

    /// Does what a frame of the other node asks for. A frame that does not belong to the phase ends the connection.
    private func handle(_ frame: NodeFrame) {
        unansweredPings = 0
        switch (phase, frame) {
        case (.proving, .challenge(let otherNonce)):
            guard case .secret(let secret) = environment.proof, !handshake.connectingNonce.isEmpty,
                !otherNonce.isEmpty
            else { return end("no random bytes for a proof") }
            handshake.acceptingNonce = otherNonce
            phase = .proved
            send(.proof(secret.proof(of: .connecting, handshake)))
        // With TLS there is no challenge: the handshake has checked the other node's certificate.
        case (.proving, .ready) where tls != nil: begin()
        case (.proved, .ready(let proof)):
            guard case .secret(let secret) = environment.proof,
                NodeSecret.matches(proof ?? "", secret.proof(of: .accepting, handshake))
            else { return end("it does not prove that it knows the secret of --node-secret-file") }
            begin()
        case (.ready, .line(let number, let line, _)): lanes[number]?.receive(Array(line.utf8))
        case (.ready, .moved(let number, let shard)): lanes[number]?.shardMoved(shard)
        case (.ready, .serves(let number, let shard, let pos)):
            lanes[number]?.ownerServes(shard, from: pos)
        case (.ready, .delivered(let number, let failure)):
            deliveries.removeValue(forKey: number)?(failure.map { .failed($0) } ?? .delivered)
        case (.ready, .ping): break
        default: end("it sent an unexpected line")
        }
    }

    /// Sends what waited until the connection was ready, and begins to send pings.
    private func begin() {
        phase = .ready
        input.limit = NodeFrame.replyLimit
        steadyInstant = environment.loop.timerQueue.now + Backoff.steadyDuration
        deadline.stop()
        heartbeat.start(on: environment.loop, Self.pingInterval) { [unowned self] _ in
            // Without pings, requests on a dead connection would wait for TCP's timeout of a quarter of an hour.
            guard unansweredPings < Self.unansweredPingLimit else {
                return end("it does not answer")
            }
            unansweredPings += 1
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

    /// Processes bytes from the socket. With TLS, the first call has no bytes and begins the handshake.
    private func process(_ bytes: ArraySlice<UInt8>) {
        guard let tls else { return read(bytes) }
        do throws(TLSClientError) {
            let data = try tls.receive(bytes)
            socket.send(tls.takeOutput())
            if !data.isEmpty { read(data[...]) }
        } catch {
            // The output is the alert that tells the other node what is wrong.
            socket.send(tls.takeOutput())
            end(Self.reason(of: error))
        }
    }

    /// The error as a sentence. An alert of the other node means that it does not accept this node's certificate.
    private static func reason(of error: TLSClientError) -> String {
        error.why.contains("alert")
            ? "it does not accept this node's certificate, or it runs without --node-ca: \(error.why)"
            : error.why
    }

    /// Divides the decrypted bytes of the other node into frames.
    private func read(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { input.append($0) }
        while phase != .ended, let line = input.next() {
            guard case .line(let bytes) = line, let frame = NodeFrame(bytes) else {
                return end(
                    "what answers there is not a node: --advertise of that node must be one of its --listen addresses"
                )
            }
            handle(frame)
        }
    }

    /// Closes the connection. All lanes end without further replies, and unfinished outputs count as failed.
    package func end(_ why: String) {
        guard phase != .ended else { return }
        phase = .ended
        deadline.stop()
        heartbeat.stop()
        socket.close()
        let openLanes = exchange(&lanes, with: [:]).values.sorted { $0.number < $1.number }
        ended(why)
        for lane in openLanes { lane.linkWasLost() }
        let unfinished = exchange(&deliveries, with: [:]).sorted { $0.key < $1.key }
        for delivery in unfinished { delivery.value(.failed("the connection is lost")) }
    }
}

/// What the connections between nodes share.
package struct NodeEnvironment {
    package let loop: LibeventLoop
    /// This node's identity, which no other process has.
    package let identity: String
    /// The address at which other nodes connect to this node; empty without `--advertise`.
    package let address: String
    package let proof: NodeProof

    package init(loop: LibeventLoop, identity: String, address: String, proof: NodeProof) {
        (self.loop, self.identity, self.address, self.proof) = (loop, identity, address, proof)
    }
}

/// How nodes prove themselves to each other.
package enum NodeProof {
    /// No proof is configured, so there are no connections between nodes.
    case none
    /// By a secret that all nodes share. The connection is not encrypted, so both nodes must be on one machine.
    case secret(NodeSecret)
    /// By certificates, in the TLS handshake.
    case certificates(NodeCertificates)

    package var certificates: NodeCertificates? {
        if case .certificates(let certificates) = self { certificates } else { nil }
    }
}
