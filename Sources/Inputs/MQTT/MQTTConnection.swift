public import EventLoop
internal import Glibc
public import Net
internal import Support
internal import Timers

/// A connection to an MQTT 3.1.1 broker, for one `mqtt` line of the configuration. It subscribes with QoS 1 (a message arrives
/// at least once), and acknowledges each message. The broker stores nothing for a client that is not connected. A message that
/// is published while the connection is down arrives later only if the broker retains it.
public final class MQTTConnection: InputConnection {
    public private(set) var status: ConnectionStatus
    /// Called with each message of the broker.
    public var onInput: ((MQTTMessage) -> Void)?
    public var onChange: ((_ failure: String?) -> Void)?
    /// Called with the packet id of a published message when the broker has received the message.
    public var onAcknowledged: ((_ id: UInt16) -> Void)?
    /// Called when the topic filters that the broker refuses at present have changed, with these filters in the order in which
    /// they were refused. The connection stays up.
    public var onRefusal: ((_ filters: [String]) -> Void)?

    private let (host, port): (String, UInt16)
    private let login: MQTTLogin
    /// The trusted certificate authorities, and the client's certificate; nil for a connection without TLS.
    private let security: TLSClientContext?
    /// Encrypts and decrypts while the socket is connected; nil without TLS.
    private var tls: TLSClientStream?
    private let loop: LibeventLoop
    private let lookups: HostLookups
    /// The number of the present lookup; answers to earlier lookups are ignored.
    private var lookupNumber = 0
    /// The number of attempts to connect; it begins again at 0 after 1023. It selects one of the addresses of the host.
    private var attemptCount = 0
    /// The topic filters to which the connection is subscribed while it is up.
    private var filters: [String]
    /// The filters of the packets that the broker has not answered yet, by the packet id.
    private var requestedFilters: [UInt16: [String]] = [:]
    /// The filters that the broker has refused, as far as it has not accepted them since.
    private var refusedFilters: [String] = []
    private var state = State.stopped
    private var backoff = Backoff(spread: .random)
    private var decoder = MQTTDecoder()
    private let socket: StreamSocket
    /// The id of the newest packet that was sent with an id; 0 if no packet with an id was sent yet.
    private var lastPacketID: UInt16 = 0
    /// Ends the attempt to connect if the broker does not reply in time.
    private var connectTimeout: ScopedCountdown?
    /// Sends a ping periodically, and ends the connection if the broker does not answer; nil while the connection is down.
    private var pingTimer: ScopedPendulum?
    /// Whether a ping was sent and no bytes have arrived since.
    private var isPingUnanswered = false

    private enum State {
        case stopped
        /// The last attempt failed. The next attempt begins when the countdown fires.
        case waiting(ScopedCountdown)
        /// The addresses of the host are looked up.
        case resolving
        /// The socket connects.
        case connecting
        /// The socket is connected. `status.isUp` says whether the broker has accepted the connection.
        case open
    }

    /// The maximum time from the end of the host's lookup until the broker has accepted the connection.
    static let maximumConnectTime = Duration.seconds(10)
    /// The maximum number of topic filters in one packet that subscribes.
    private static let filtersPerPacket = 64

    /// Creates a connection that `start` opens. It uses TLS if `security` is given. `filters` are the topic filters to
    /// subscribe to.
    public init(
        host: String, port: UInt16, _ login: MQTTLogin, security: TLSClientContext? = nil,
        filters: [String], on loop: LibeventLoop
    ) {
        (self.host, self.port, self.login, self.loop) = (host, port, login, loop)
        self.security = security
        self.filters = filters
        status = ConnectionStatus(at: loop.timerQueue.now)
        socket = StreamSocket(
            on: loop, peer: "the broker", limit: MQTTLimit.backlogBytes)
        lookups = HostLookups(on: loop)
        socket.onOpen = { [unowned self] in socketConnected() }
        socket.onBytes = { [unowned self] in receive($0) }
        socket.onFailure = { [unowned self] in fail($0) }
    }

    deinit { close() }

    // MARK: connecting

    public func start() {
        guard case .stopped = state else { return }
        connect()
    }

    public func stop(_ done: @escaping () -> Void) {
        let wasUp = status.isUp
        if wasUp {
            send(MQTTEncoder.disconnect)
            // The broker must get the last messages, even if it still sends. It would drop them if another connection with the
            // same client id began now.
            socket.finish(done)
        }
        close()
        status.markDown(nil, at: loop.timerQueue.now)
        if !wasUp { done() }
    }

    /// If only the beginning of a message has arrived, the message is passed on when its end arrives: its bytes must be read.
    public func readUnread() { socket.readUnread() }

    private func connect() {
        lookupNumber += 1
        state = .resolving
        lookups.start(host, port) { [unowned self, lookupNumber] in
            handleLookup(lookupNumber, $0)
        }
    }

    /// Connects the socket to an address that the lookup with this number has found.
    private func handleLookup(_ number: Int, _ answer: HostLookup.Answer) {
        // Reads the clock again, so that `connectTimeout` begins now. Due timers also fire, and may stop the connection.
        loop.fireDueTimers()
        guard case .resolving = state, number == lookupNumber else { return }
        switch answer {
        case .failure(let error): fail(error.why)
        case .success(let addresses):
            guard !addresses.isEmpty else { return fail("\(host): no address") }
            state = .connecting
            connectTimeout = ScopedCountdown(on: loop, Self.maximumConnectTime) {
                [unowned self] in fail("the broker does not answer")
            }
            // The next attempt tries the next address.
            socket.connect(to: addresses[attemptCount % addresses.count])
            attemptCount = (attemptCount + 1) % 1024
        }
    }

    /// Sends the broker the request to connect. With TLS, `tls` holds the request until the handshake is complete.
    private func socketConnected() {
        state = .open
        decoder = MQTTDecoder()
        if let security {
            tls = TLSClientStream(security, host: host)
            guard tls != nil else { return fail("no TLS connection") }
        }
        send(MQTTEncoder.connect(login))
        // A call without bytes begins the TLS handshake.
        if tls != nil { receive([]) }
    }

    // MARK: ending

    /// Ends the connection, and connects again after a pause. `why` is a sentence for the operator.
    private func fail(_ why: String) {
        let now = loop.timerQueue.now
        // A connection that was up long enough counts as a success: the pause is short again.
        if status.isUp, now - status.since >= Backoff.steadyDuration { backoff.succeed() }
        close()
        status.markDown(why, at: now)
        state = .waiting(
            ScopedCountdown(on: loop, backoff.fail()) { [unowned self] in connect() })
        onChange?(why)
    }

    private func close() {
        (connectTimeout, pingTimer, isPingUnanswered) = (nil, nil, false)
        requestedFilters = [:]
        state = .stopped
        socket.close()
        tls = nil
    }

    // MARK: packets

    private func receive(_ bytes: ArraySlice<UInt8>) {
        isPingUnanswered = false
        guard let bytes = decrypt(bytes) else { return }
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
            return code == 0 ? brokerAccepted() : fail(Self.refusal(code))
        }
        switch packet {
        case .connected: fail("the broker answered the request to connect twice")
        case .message(let message, let id):
            if let id { send(MQTTEncoder.acknowledge(id)) }
            status.countReceived(at: loop.timerQueue.now)
            onInput?(message)
        case .oversized(_, let id):
            // Without an acknowledgement, the broker would send the message again.
            if let id { send(MQTTEncoder.acknowledge(id)) }
            status.countReceived(at: loop.timerQueue.now)
            status.malformed += 1
        case .acknowledged(let id): onAcknowledged?(id)
        case .subscribed(let id, let codes): subscribed(id, codes)
        case .unsubscribed, .alive: break
        }
    }

    /// Subscribes, and begins to send pings, after the broker has accepted the request to connect.
    private func brokerAccepted() {
        connectTimeout = nil
        status.markUp(at: loop.timerQueue.now)
        sendSubscriptions(to: filters)
        // The connection is down again if TLS could not encrypt the packets.
        guard status.isUp else { return }
        // Two pings in each keep-alive time, after which the broker may end a silent connection.
        let pingInterval = Duration.seconds(max(1, Int(login.keepAliveSeconds) / 2))
        pingTimer = ScopedPendulum(on: loop, pingInterval) { [unowned self] _ in
            if isPingUnanswered { return fail("the broker does not answer a ping") }
            isPingUnanswered = true
            send(MQTTEncoder.ping)
        }
        onChange?(nil)
    }

    /// A sentence about a refused connection. `code` is the code of the broker's answer, which is not 0.
    private static func refusal(_ code: UInt8) -> String {
        let reasons = [
            1: "it does not support this version of MQTT", 2: "it does not accept the client ID",
            3: "its service is not available", 4: "the user name or the password is wrong",
            5: "not authorized",
        ]
        return "the broker refuses the connection: \(reasons[Int(code)] ?? "code \(code)")"
    }

    /// Replaces the topic filters. If the connection is up, subscribes only to the added filters, and unsubscribes only from
    /// the removed ones. Otherwise subscribes to all new filters as soon as the connection is up.
    public func subscribe(to newFilters: [String]) {
        let (added, removed) = (
            newFilters.filter { !filters.contains($0) }, filters.filter { !newFilters.contains($0) }
        )
        filters = newFilters
        setRefusedFilters(refusedFilters)
        guard status.isUp else { return }
        if !removed.isEmpty { send(MQTTEncoder.unsubscribe(removed, id: nextPacketID())) }
        sendSubscriptions(to: added)
    }

    /// Notes which filters of the packet with this id the broker has refused. `codes` has one code for each of them.
    private func subscribed(_ id: UInt16, _ codes: [UInt8]) {
        guard let answered = requestedFilters.removeValue(forKey: id) else { return }
        let refused = zip(answered, codes).filter { $0.1 == MQTTPacket.refusedFilter }.map(\.0)
        setRefusedFilters(refusedFilters.filter { !answered.contains($0) } + refused)
    }

    /// Replaces `refusedFilters` by those among `newFilters` to which the connection still wants to subscribe.
    private func setRefusedFilters(_ newFilters: [String]) {
        let old = exchange(&refusedFilters, with: newFilters.filter(filters.contains))
        if refusedFilters != old { onRefusal?(refusedFilters) }
    }

    private func sendSubscriptions(to filters: [String]) {
        var remaining = filters[...]
        while !remaining.isEmpty {
            let packetFilters = Array(remaining.prefix(Self.filtersPerPacket))
            remaining = remaining.dropFirst(packetFilters.count)
            let id = nextPacketID()
            requestedFilters[id] = packetFilters
            send(MQTTEncoder.subscribe(packetFilters, id: id))
        }
    }

    /// Publishes a message with QoS 1. Returns its packet id, with which `onAcknowledged` is called later. Returns nil and
    /// sends nothing if the connection is down, the payload is longer than `MQTTLimit.payloadBytes`, or too many bytes wait
    /// because the broker does not read.
    public func publish(_ message: MQTTMessage) -> UInt16? {
        // Messages fill at most half of the backlog: the connection fails if more than `backlogBytes` wait.
        guard status.isUp, message.payload.count <= MQTTLimit.payloadBytes,
            socket.waitingBytes + message.payload.count <= MQTTLimit.backlogBytes / 2
        else { return nil }
        let id = nextPacketID()
        status.countSent()
        send(MQTTEncoder.publish(message, id: id))
        return id
    }

    /// A new packet id: 1 to 65 535, and then from 1 again. MQTT does not allow 0.
    private func nextPacketID() -> UInt16 {
        lastPacketID = lastPacketID == .max ? 1 : lastPacketID + 1
        return lastPacketID
    }

    /// Sends a packet, encrypted if the connection uses TLS.
    private func send(_ bytes: [UInt8]) {
        guard let tls else { return socket.send(bytes) }
        do throws(TLSClientError) { try tls.send(bytes) } catch { return fail(error.why) }
        socket.send(tls.takeOutput())
    }

    /// Decrypts bytes of the broker; without TLS, returns them unchanged. If the decryption fails, ends the connection and
    /// returns nil.
    private func decrypt(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
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
