public import EventLoop
internal import Glibc
internal import Support
internal import Timers

/// A connection to an MQTT 3.1.1 broker: subscribes with QoS 1, and acknowledges what it receives. What the broker
/// keeps while the connection is down is not delivered, because the session is clean.
public final class MQTTConnection: InputConnection {
    public private(set) var status: ConnectionStatus
    public var onInput: ((Input) -> Void)?
    public var onChange: ((_ failure: String?) -> Void)?
    /// Called with the id of a published message when the broker has received it.
    public var onAcknowledged: ((UInt16) -> Void)?

    private let (host, port): (String, UInt16)
    private let login: MQTTLogin
    private let loop: LibeventLoop
    private let lookups: ThreadInbox<(Int, HostAddresses.Answer)>
    private var lookupWatcher: DescriptorWatcher?
    private var (lookup, attempt) = (0, 0)
    private var filters: [String]
    private var state = State.stopped
    private var backoff = Backoff()
    private var decoder = MQTTDecoder()
    private var toWrite: [UInt8] = []
    private var lastID: UInt16 = 0
    /// Ends the attempt to connect.
    private var deadline: ScopedCountdown?
    private var keepAlive: ScopedPendulum?
    /// Whether a ping was sent since the last packet arrived.
    private var isPinged = false

    private enum State {
        case stopped
        case waiting(ScopedCountdown)
        case resolving
        case connecting(Int32, DescriptorWatcher)
        case open(Int32, input: DescriptorWatcher, output: DescriptorWatcher)
    }

    /// The time for connecting, until the broker has accepted the connection.
    static let patience = Duration.seconds(10)
    private static let readBytes = 65_536
    private static let filtersPerPacket = 64

    public init(
        host: String, port: UInt16, _ login: MQTTLogin, filters: [String], on loop: LibeventLoop
    ) throws(EventLoopError) {
        (self.host, self.port, self.login, self.loop) = (host, port, login, loop)
        self.filters = filters
        status = ConnectionStatus(at: loop.timerQueue.now)
        lookups = try ThreadInbox()
        lookupWatcher = try lookups.open(on: loop) { [unowned self] in resolved($0, $1) }
    }

    deinit { close() }

    // MARK: connecting

    public func start() {
        guard case .stopped = state else { return }
        connect()
    }

    public func stop() {
        if status.isUp { toWrite += MQTTEncoder.disconnect }
        close()
        status.down(nil, at: loop.timerQueue.now)
    }

    private func connect() {
        lookup += 1
        state = .resolving
        HostAddresses.start(host, port, .stream, lookup, lookups)
    }

    private func resolved(_ number: Int, _ answer: HostAddresses.Answer) {
        guard case .resolving = state, number == lookup else { return }
        loop.settle()
        switch answer {
        case .failed(let why): fail(why)
        case .found(let addresses):
            guard !addresses.isEmpty else { return fail("\(host): no address") }
            // The next attempt tries the next address.
            let address = addresses[attempt % addresses.count]
            attempt = (attempt + 1) % 1024
            connect(to: address)
        }
    }

    private func connect(to address: SocketAddress) {
        let kind =
            Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(address.family, kind, 0)
        guard descriptor >= 0 else { return fail(String(cString: strerror(errno))) }
        var one: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        let done = address.with { Glibc.connect(descriptor, $0, $1) }
        guard done == 0 || errno == EINPROGRESS else {
            let why = String(cString: strerror(errno))
            Glibc.close(descriptor)
            return fail(why)
        }
        do throws(EventLoopError) {
            let writable = try DescriptorWatcher(descriptor, .writable, on: loop, .second) {
                [unowned self] in connected()
            }
            state = .connecting(descriptor, writable)
            deadline = ScopedCountdown(on: loop, Self.patience) { [unowned self] in
                fail("the broker does not answer")
            }
        } catch {
            Glibc.close(descriptor)
            fail("cannot watch the socket")
        }
    }

    private func connected() {
        loop.settle()
        guard case .connecting(let descriptor, let writable) = state else { return }
        var result: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &result, &size)
        guard result == 0 else { return fail(String(cString: strerror(result))) }
        writable.sleep()
        do throws(EventLoopError) {
            let input = try DescriptorWatcher(descriptor, .readable, on: loop, .second) {
                [unowned self] in read()
            }
            let output = try DescriptorWatcher(
                descriptor, .writable, on: loop, isAwake: false, .second
            ) { [unowned self] in write() }
            state = .open(descriptor, input: input, output: output)
            decoder = MQTTDecoder()
            send(MQTTEncoder.connect(login))
        } catch { fail("cannot watch the socket") }
    }

    // MARK: ending

    private func fail(_ why: String) {
        let now = loop.timerQueue.now
        if status.isUp, now - status.since >= Backoff.steady { backoff.succeed() }
        close()
        status.down(why, at: now)
        state = .waiting(
            ScopedCountdown(on: loop, backoff.fail()) { [unowned self] in connect() })
        onChange?(why)
    }

    private func close() {
        (deadline, keepAlive, isPinged) = (nil, nil, false)
        // A watcher may be calling this method. It is stopped before its descriptor is closed, because the number of
        // the descriptor may be used again.
        switch exchange(&state, with: .stopped) {
        case .connecting(let descriptor, let writable):
            writable.sleep()
            Glibc.close(descriptor)
        case .open(let descriptor, let input, let output):
            input.sleep()
            output.sleep()
            if !toWrite.isEmpty { _ = Glibc.write(descriptor, toWrite, toWrite.count) }
            Glibc.close(descriptor)
        case .stopped, .waiting, .resolving: break
        }
        toWrite = []
    }

    // MARK: packets

    private func read() {
        // Reads the clock again, so that timers that are due fire before the messages.
        loop.settle()
        guard case .open(let descriptor, _, _) = state else { return }
        var room = [UInt8](repeating: 0, count: Self.readBytes)
        let count = Glibc.read(descriptor, &room, room.count)
        guard count > 0 else {
            if count == 0 { return fail("the broker closed the connection") }
            if errno != EAGAIN, errno != EINTR { fail(String(cString: strerror(errno))) }
            return
        }
        isPinged = false
        decoder.add(room[..<count])
        do throws(MQTTError) {
            while case .open = state, let packet = try decoder.next() { take(packet) }
        } catch {
            status.malformed += 1
            fail(error.sentence)
        }
    }

    private func take(_ packet: MQTTPacket) {
        guard status.isUp else {
            guard case .connected(let code) = packet else {
                return fail("the broker sent no answer to the connection")
            }
            return code == 0 ? accepted() : fail(Self.refusal(code))
        }
        switch packet {
        case .connected: fail("the broker answered the connection twice")
        case .message(let message, let id):
            if let id { send(MQTTEncoder.acknowledge(id)) }
            status.receive(at: loop.timerQueue.now)
            onInput?(.message(message))
        case .oversized(_, let id):
            if let id { send(MQTTEncoder.acknowledge(id)) }
            status.receive(at: loop.timerQueue.now)
            status.malformed += 1
        case .acknowledged(let id): onAcknowledged?(id)
        case .subscribed(_, let codes):
            if codes.contains(0x80) { onChange?("the broker refused a subscription") }
        case .unsubscribed, .alive: break
        }
    }

    private func accepted() {
        deadline = nil
        status.up(at: loop.timerQueue.now)
        subscribe(filters)
        let pause = Duration.seconds(max(1, Int(login.keepAliveSeconds) / 2))
        keepAlive = ScopedPendulum(on: loop, pause) { [unowned self] _ in
            if isPinged { return fail("the broker does not answer a ping") }
            isPinged = true
            send(MQTTEncoder.ping)
        }
        onChange?(nil)
    }

    private static func refusal(_ code: UInt8) -> String {
        let reasons = [
            1: "the protocol's version", 2: "the client id", 3: "unavailable",
            4: "the user or the password", 5: "not authorized",
        ]
        return "the broker refuses the connection: \(reasons[Int(code)] ?? "code \(code)")"
    }

    /// Replaces the filters. Subscriptions that stay are not changed.
    public func subscribe(to new: [String]) {
        let (added, removed) = (
            new.filter { !filters.contains($0) }, filters.filter { !new.contains($0) }
        )
        filters = new
        guard status.isUp else { return }
        if !removed.isEmpty { send(MQTTEncoder.unsubscribe(removed, id: nextID())) }
        subscribe(added)
    }

    private func subscribe(_ filters: [String]) {
        var rest = filters[...]
        while !rest.isEmpty {
            let some = Array(rest.prefix(Self.filtersPerPacket))
            rest = rest.dropFirst(some.count)
            send(MQTTEncoder.subscribe(some, id: nextID()))
        }
    }

    /// Publishes a message with QoS 1. Returns its id; nil if the connection is down, or the broker does not read.
    public func publish(_ message: MQTTMessage) -> UInt16? {
        guard status.isUp, message.payload.count <= MQTTLimit.payloadBytes,
            toWrite.count + message.payload.count <= MQTTLimit.backlogBytes / 2
        else { return nil }
        let id = nextID()
        status.send()
        send(MQTTEncoder.publish(message, id: id))
        return id
    }

    /// The ids of packets are 1 to 65 535.
    private func nextID() -> UInt16 {
        lastID = lastID == .max ? 1 : lastID + 1
        return lastID
    }

    private func send(_ bytes: [UInt8]) {
        guard case .open(_, _, let output) = state else { return }
        guard toWrite.count + bytes.count <= MQTTLimit.backlogBytes else {
            toWrite = []
            return fail("the broker does not read")
        }
        // Written together with the other packets of this turn.
        if toWrite.isEmpty { output.wake() }
        toWrite += bytes
    }

    private func write() {
        guard case .open(let descriptor, _, let output) = state else { return }
        let count = Glibc.write(descriptor, toWrite, toWrite.count)
        if count > 0 { toWrite.removeFirst(count) }
        if count < 0, errno != EAGAIN, errno != EINTR {
            return fail(String(cString: strerror(errno)))
        }
        if toWrite.isEmpty { output.sleep() }
    }
}
