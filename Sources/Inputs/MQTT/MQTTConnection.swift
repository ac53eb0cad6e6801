public import EventLoop
internal import Glibc
internal import Support
public import TLSClient
internal import Timers

/// A connection to an MQTT 3.1.1 broker. It subscribes with QoS 1, and acknowledges each message. The MQTT session is clean: of
/// the messages that are published while the connection is down, only the retained ones arrive later.
public final class MQTTConnection: InputConnection {
    public private(set) var status: ConnectionStatus
    public var onInput: ((Input) -> Void)?
    public var onChange: ((_ failure: String?) -> Void)?
    /// Called with the id of a published message when the broker has received it.
    public var onAcknowledged: ((UInt16) -> Void)?

    private let (host, port): (String, UInt16)
    private let login: MQTTLogin
    /// The certificate authorities that TLS accepts; nil for a connection without TLS.
    private let security: TLSClientContext?
    private var tls: TLSClientStream?
    private let loop: LibeventLoop
    private let lookupAnswers: ThreadInbox<(Int, HostLookup.Answer)>
    private var lookupWatcher: DescriptorWatcher?
    /// The number of the present lookup; answers to earlier lookups are ignored.
    private var lookupNumber = 0
    /// The number of attempts to connect, modulo 1024. It selects one of the addresses of the host.
    private var attempt = 0
    private var filters: [String]
    private var state = State.stopped
    private var backoff = Backoff()
    private var decoder = MQTTDecoder()
    private let socket: StreamSocket
    private var lastID: UInt16 = 0
    /// Ends the attempt to connect if the broker does not reply in time.
    private var connectTimeout: ScopedCountdown?
    private var keepAlive: ScopedPendulum?
    /// Whether a ping was sent and no bytes have arrived since.
    private var isPingUnanswered = false

    private enum State {
        case stopped
        case waiting(ScopedCountdown)
        case resolving
        /// The socket connects.
        case connecting
        /// The socket is connected. `status.isUp` says whether the broker has accepted the connection.
        case open
    }

    /// The maximum time from the end of the host's lookup until the broker has accepted the connection.
    static let maximumConnectTime = Duration.seconds(10)
    private static let filtersPerPacket = 64

    /// The connection uses TLS if `security` is given.
    public init(
        host: String, port: UInt16, _ login: MQTTLogin, security: TLSClientContext? = nil,
        filters: [String], on loop: LibeventLoop
    ) throws(EventLoopError) {
        (self.host, self.port, self.login, self.loop) = (host, port, login, loop)
        self.security = security
        self.filters = filters
        status = ConnectionStatus(at: loop.timerQueue.now)
        socket = StreamSocket(
            on: loop, .normal, peer: "the broker", limit: MQTTLimit.backlogBytes)
        lookupAnswers = try ThreadInbox()
        lookupWatcher = try lookupAnswers.open(on: loop) { [unowned self] in resolved($0, $1) }
        socket.onOpen = { [unowned self] in connected() }
        socket.onBytes = { [unowned self] in received($0) }
        socket.onFailure = { [unowned self] in fail($0) }
    }

    deinit { close() }

    // MARK: connecting

    public func start() {
        guard case .stopped = state else { return }
        connect()
    }

    public func stop() {
        if status.isUp { send(MQTTEncoder.disconnect) }
        close()
        status.markDown(nil, at: loop.timerQueue.now)
    }

    private func connect() {
        lookupNumber += 1
        state = .resolving
        HostLookup.start(host, port) { [lookupAnswers, lookupNumber] in
            lookupAnswers.send((lookupNumber, $0))
        }
    }

    private func resolved(_ number: Int, _ answer: HostLookup.Answer) {
        guard case .resolving = state, number == lookupNumber else { return }
        loop.fireDueTimers()
        switch answer {
        case .failure(let error): fail(error.why)
        case .success(let addresses):
            guard !addresses.isEmpty else { return fail("\(host): no address") }
            state = .connecting
            connectTimeout = ScopedCountdown(on: loop, Self.maximumConnectTime) {
                [unowned self] in fail("the broker does not answer")
            }
            // The next attempt tries the next address.
            socket.connect(to: addresses[attempt % addresses.count])
            attempt = (attempt + 1) % 1024
        }
    }

    private func connected() {
        state = .open
        decoder = MQTTDecoder()
        if let security {
            tls = TLSClientStream(security, host: host)
            guard tls != nil else { return fail("no TLS connection") }
        }
        send(MQTTEncoder.connect(login))
        // A call without bytes begins the TLS handshake.
        if tls != nil { received([]) }
    }

    // MARK: ending

    private func fail(_ why: String) {
        let now = loop.timerQueue.now
        if status.isUp, now - status.since >= Backoff.steadyDuration { backoff.succeed() }
        close()
        status.markDown(why, at: now)
        state = .waiting(
            ScopedCountdown(on: loop, backoff.fail()) { [unowned self] in connect() })
        onChange?(why)
    }

    private func close() {
        (connectTimeout, keepAlive, isPingUnanswered) = (nil, nil, false)
        state = .stopped
        socket.close()
        tls = nil
    }

    // MARK: packets

    private func received(_ bytes: ArraySlice<UInt8>) {
        isPingUnanswered = false
        guard let bytes = decrypted(bytes) else { return }
        decoder.add(bytes)
        do throws(MQTTError) {
            while case .open = state, let packet = try decoder.next() { handle(packet) }
        } catch {
            status.malformed += 1
            fail(error.why)
        }
    }

    private func handle(_ packet: MQTTPacket) {
        guard status.isUp else {
            guard case .connected(let code) = packet else {
                return fail("the broker did not answer the request to connect")
            }
            return code == 0 ? accepted() : fail(Self.sentence(forCode: code))
        }
        switch packet {
        case .connected: fail("the broker answered the connection twice")
        case .message(let message, let id):
            if let id { send(MQTTEncoder.acknowledge(id)) }
            status.countReceived(at: loop.timerQueue.now)
            onInput?(.message(message))
        case .oversized(_, let id):
            if let id { send(MQTTEncoder.acknowledge(id)) }
            status.countReceived(at: loop.timerQueue.now)
            status.malformed += 1
        case .acknowledged(let id): onAcknowledged?(id)
        case .subscribed(_, let codes):
            if codes.contains(0x80) { onChange?("the broker refused a subscription") }
        case .unsubscribed, .alive: break
        }
    }

    private func accepted() {
        connectTimeout = nil
        status.markUp(at: loop.timerQueue.now)
        subscribe(filters)
        let pingInterval = Duration.seconds(max(1, Int(login.keepAliveSeconds) / 2))
        keepAlive = ScopedPendulum(on: loop, pingInterval) { [unowned self] _ in
            if isPingUnanswered { return fail("the broker does not answer a ping") }
            isPingUnanswered = true
            send(MQTTEncoder.ping)
        }
        onChange?(nil)
    }

    /// A sentence about a code other than 0 in the answer to the request to connect.
    private static func sentence(forCode code: UInt8) -> String {
        let reasons = [
            1: "it does not support this version of MQTT", 2: "it does not accept the client ID",
            3: "its service is not available", 4: "the user name or the password is wrong",
            5: "not authorized",
        ]
        return "the broker refuses the connection: \(reasons[Int(code)] ?? "code \(code)")"
    }

    /// Replaces the topic filters. Subscribes only to the added filters, and unsubscribes only from the
    /// removed ones.
    public func subscribe(to newFilters: [String]) {
        let (added, removed) = (
            newFilters.filter { !filters.contains($0) }, filters.filter { !newFilters.contains($0) }
        )
        filters = newFilters
        guard status.isUp else { return }
        if !removed.isEmpty { send(MQTTEncoder.unsubscribe(removed, id: nextID())) }
        subscribe(added)
    }

    private func subscribe(_ filters: [String]) {
        var remaining = filters[...]
        while !remaining.isEmpty {
            let packetFilters = Array(remaining.prefix(Self.filtersPerPacket))
            remaining = remaining.dropFirst(packetFilters.count)
            send(MQTTEncoder.subscribe(packetFilters, id: nextID()))
        }
    }

    /// Publishes a message with QoS 1. Returns its id; nil if the connection is down, the payload
    /// is too long, or too many bytes wait because the broker does not read.
    public func publish(_ message: MQTTMessage) -> UInt16? {
        // Messages fill at most half of the backlog: the connection fails if more than `backlogBytes` wait.
        guard status.isUp, message.payload.count <= MQTTLimit.payloadBytes,
            socket.waitingBytes + message.payload.count <= MQTTLimit.backlogBytes / 2
        else { return nil }
        let id = nextID()
        status.countSent()
        send(MQTTEncoder.publish(message, id: id))
        return id
    }

    /// The ids of packets are 1 to 65 535.
    private func nextID() -> UInt16 {
        lastID = lastID == .max ? 1 : lastID + 1
        return lastID
    }

    private func send(_ bytes: [UInt8]) {
        guard let tls else { return socket.send(bytes) }
        do throws(TLSClientError) { try tls.send(bytes) } catch { return fail(error.why) }
        socket.send(tls.takeOutput())
    }

    /// Decrypts bytes of the broker if the connection uses TLS. If the decryption fails, ends the connection and returns nil.
    private func decrypted(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let tls else { return bytes }
        do throws(TLSClientError) {
            let decryptedBytes = try tls.receive(bytes)
            socket.send(tls.takeOutput())
            return decryptedBytes[...]
        } catch {
            // Sends the TLS alert that tells the broker the reason.
            socket.send(tls.takeOutput())
            fail(error.why)
            return nil
        }
    }
}
