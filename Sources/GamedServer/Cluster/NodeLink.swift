import EventLoop
import GameFlow
import Glibc
import Inputs
import RPC
import Sessions
import Support
import Timers

/// The connection from this node to another one, over which the requests of this node's clients go
/// to the sessions of the other.
final class NodeLink {
    let identity: String
    private let address: String
    private let environment: NodeEnvironment
    private var channel: PlainChannel?
    private var input = LineBuffer(limit: NodeFrame.limit)
    private var output: [UInt8] = []
    private var nonce = ""
    private(set) var phase = Phase.connecting
    private var lanes: [Int: NodeLane] = [:]
    private var lastLane = 0
    private var deadline: ScopedCountdown?
    private var heartbeat: ScopedPendulum?
    /// Called once when the connection is lost, or was not made.
    var ended: (_ why: String) -> Void = { _ in }

    enum Phase {
        case connecting
        /// Connected; the nodes prove themselves.
        case proving
        case ready
        case ended
    }

    /// How long a node may take to connect and to prove itself.
    static let patience = Duration.seconds(2)

    /// Begins to connect.
    init(to identity: String, at address: String, _ environment: NodeEnvironment) {
        (self.identity, self.address, self.environment) = (identity, address, environment)
        do throws(NodeLinkError) { try connect() } catch {
            // The caller sets `ended` after this.
            let why = error.why
            deadline = ScopedCountdown(on: environment.loop, .milliseconds(1)) {
                [unowned self] in end(why)
            }
        }
    }

    private func connect() throws(NodeLinkError) {
        guard case .network(let host, let port)? = Address(address) else {
            throw NodeLinkError(why: "its address \(address) cannot be used")
        }
        let descriptor = try NodeSocket.connect(host: host, port: port)
        do {
            let channel = try PlainChannel(descriptor, on: environment.loop, .first)
            channel.readable = { [unowned self] in read() }
            channel.writable = { [unowned self] in write() }
            self.channel = channel
        } catch {
            close(descriptor)
            throw NodeLinkError(why: "\(error)")
        }
        nonce = NodeSecret.makeNonce()
        // Written when the connection is made; the caller sets `ended` before that.
        output = NodeFrame.hello(node: environment.name, nonce: nonce).bytes
        channel?.waitForSpace(true)
        deadline = ScopedCountdown(on: environment.loop, Self.patience) { [unowned self] in
            end("it does not answer")
        }
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

    // MARK: frames

    private func take(_ frame: NodeFrame) {
        switch (phase, frame) {
        case (.proving, .challenge(let other, let proof)),
            (.connecting, .challenge(let other, let proof)):
            guard let secret = environment.secret, !nonce.isEmpty,
                NodeSecret.matches(proof, secret.proof(of: .accepting, nonce, other))
            else { return end("it has another secret: give all nodes the same --node-secret-file") }
            send(.proof(secret.proof(of: .connecting, other, nonce)))
        case (.proving, .ready), (.connecting, .ready): begin()
        case (.ready, .line(let number, let line)): lanes[number]?.receive(Array(line.utf8))
        case (.ready, .moved(let number, let shard)): lanes[number]?.moved(shard)
        case (.ready, .ping): break
        default: end("it sent a line that does not belong here")
        }
    }

    private func begin() {
        phase = .ready
        deadline = nil
        heartbeat = ScopedPendulum(on: environment.loop, .seconds(5)) { [unowned self] _ in
            send(.ping)
        }
        for lane in lanes.values.sorted(by: { $0.number < $1.number }) { lane.linkIsReady() }
    }

    private func send(_ frame: NodeFrame) {
        output += frame.bytes
        write()
    }

    // MARK: bytes

    private func write() {
        guard let channel else { return }
        while !output.isEmpty {
            switch output.withUnsafeBytes({ channel.write($0) }) {
            case .bytes(let count): output.removeFirst(count)
            case .later: return channel.waitForSpace(true)
            case .end, .broken:
                return end(
                    phase == .connecting ? "nothing listens there" : "the connection is lost")
            }
        }
        if phase == .connecting { phase = .proving }
        channel.waitForSpace(false)
    }

    private func read() {
        guard let channel else { return }
        var room = [UInt8](repeating: 0, count: 65_536)
        switch room.withUnsafeMutableBytes({ channel.read(into: $0) }) {
        case .bytes(let count):
            room.withUnsafeBytes { input.append(.init(rebasing: $0[..<count])) }
        case .later: return
        case .end, .broken: return end("the connection is lost")
        }
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
        channel?.close()
        channel = nil
        let all = exchange(&lanes, with: [:]).values.sorted { $0.number < $1.number }
        ended(why)
        for lane in all { lane.linkWasLost() }
    }
}

/// The reason why another node cannot be reached.
struct NodeLinkError: Error { let why: String }

/// A client's way to the sessions of another node.
final class NodeLane: Lane {
    let number: Int
    private weak var client: (any LaneClient)?
    private let link: NodeLink
    private var introduced: (source: Source, grants: [Grant])?
    /// Lines that wait until the nodes have proved themselves.
    var waiting: [[UInt8]] = []
    private var isEnded = false

    init(_ number: Int, _ client: any LaneClient, over link: NodeLink) {
        (self.number, self.client, self.link) = (number, client, link)
    }

    func send(_ line: [UInt8]) { link.send(self, line) }

    /// The frame with the client's source and rights, if they are not those that were sent.
    var introduction: NodeFrame? {
        guard let client else { return nil }
        let (source, rights) = (client.source, client.rights)
        if let introduced, introduced.source == source, introduced.grants == rights.grants {
            return nil
        }
        introduced = (source, rights.grants)
        return .client(number, source: source.value, grants: rights.relayed)
    }

    func linkIsReady() { for line in exchange(&waiting, with: []) { send(line) } }

    func receive(_ line: [UInt8]) { if !isEnded { client?.receive(line) } }

    func moved(_ shard: Int) { if !isEnded { client?.shardMoved(shard) } }

    func linkWasLost() {
        guard !isEnded else { return }
        isEnded = true
        client?.laneWasLost(unsent: waiting.count)
    }

    func end() {
        guard !isEnded else { return }
        isEnded = true
        link.forget(self)
    }
}

/// What the connections between nodes share.
struct NodeEnvironment {
    let loop: LibeventLoop
    /// This node's name, for the logs of others.
    let name: String
    /// Nil if nodes cannot prove themselves: then there are no connections between them.
    let secret: NodeSecret?
}
