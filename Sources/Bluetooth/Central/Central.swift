internal import Support
public import Timers

/// A Bluetooth LE central: finds the wanted devices, keeps links to them, and reports their
/// notifications.
///
/// The central reaches its controller, real or simulated, through an endpoint. The central sends commands of HCI, the Host
/// Controller Interface, and the controller sends events of HCI. The central never pairs and stores no keys. So it cannot use a
/// device that requires pairing.
///
/// The owner, the endpoint and the clock must call the central on one thread.
public final class Central: HCIHost {
    /// The state of the controller.
    public enum Phase: Equatable, Sendable {
        /// Not started, or stopped.
        case stopped
        /// The endpoint is being opened.
        case opening
        /// The controller is being initialized.
        case starting
        case ready
        /// The controller failed, for this reason. The controller is started again after a delay.
        case waiting(String)
    }

    public let clock: any TimerClock
    public let limits: CentralLimits
    public internal(set) var phase = Phase.stopped
    /// Called with each event. The listener must not call the central.
    public var listener: (CentralEvent) -> Void = { _ in }
    /// Returns the wanted subscriptions of a device; nil if the device is not wanted. Called when a device is new, when the
    /// name of a device becomes known or changes, and by `applyWantedSubscriptions`.
    public var wantedSubscriptions: (Device) -> [Subscription]? = { _ in nil }
    /// Called with each packet in both directions, for example to write a capture.
    public var tap: PacketTap?
    /// How often malformed data was received since this object was created.
    public internal(set) var malformedCount = 0

    /// The connection to the controller.
    let endpoint: any HCIEndpoint
    /// Splits the received bytes into packets.
    private var framer = H4Framer()
    private var framingErrorsInARow = 0
    private(set) lazy var commands = CommandQueue(
        on: clock, limits, send: { [unowned self] in transmit($0.packet) },
        onTimeout: { [unowned self] in fail($0) })
    var dataQueue = DataQueue()
    var deviceList = DeviceList()
    /// The links by connection handle, the number by which the controller names a link.
    var links: [UInt16: Link] = [:]
    var scanState = ScanState.off
    /// The connection attempt in progress.
    var attempt: Attempt?
    /// The delay until a controller that has failed is started again.
    private var backoff = Backoff()
    /// When the controller became ready; nil while it is not ready.
    var readySince: Instant?
    private var retryTimer: ScopedCountdown?
    /// Runs while a packet is incomplete.
    private var packetTimer: ScopedCountdown?

    public init(
        _ endpoint: any HCIEndpoint, on clock: any TimerClock,
        limits: CentralLimits = CentralLimits()
    ) {
        (self.endpoint, self.clock, self.limits) = (endpoint, clock, limits)
        deviceList.limit = limits.devices
        endpoint.host = self
    }

    /// The known devices, in the order in which their first packets were received.
    public var devices: [Device] { deviceList.all }

    // MARK: starting and stopping

    /// Opens the endpoint and initializes the controller. The listener receives `up` or `down`. Does nothing if the central has
    /// been started.
    public func start() {
        guard phase == .stopped else { return }
        open()
    }

    /// Ends all links and closes the endpoint. The listener receives no event.
    public func stop() {
        if phase == .ready { transmit(HCICommand.reset.packet) }
        endpoint.close()
        clearState()
        (phase, retryTimer) = (.stopped, nil)
    }

    private func open() {
        phase = .opening
        retryTimer = nil
        endpoint.open()
    }

    /// The endpoint reports that it is open.
    public func opened() {
        guard phase == .opening else { return }
        phase = .starting
        sendStartCommands([.reset, .setEventMask, .leSetEventMask, .leReadBufferSize][...])
    }

    // MARK: failure

    /// The endpoint reports that it is closed or cannot be opened.
    public func closed(_ why: String) { fail(why) }

    /// Handles a failure of the controller: closes the endpoint, reports all links as lost, and opens the endpoint again after
    /// a delay. Does nothing while the central is stopped or waits for that delay.
    func fail(_ why: String) {
        switch phase {
        case .stopped, .waiting: return
        case .opening, .starting, .ready: break
        }
        let wasSteady = readySince.map { clock.now - $0 >= Backoff.steadyDuration } ?? false
        if wasSteady { backoff.succeed() }
        endpoint.close()
        phase = .waiting(why)
        for link in links.values.sorted(by: { $0.handle < $1.handle }) {
            linkEnded(link, reason: "the controller failed")
        }
        clearState()
        retryTimer = ScopedCountdown(on: clock, backoff.fail()) { [unowned self] in open() }
        emit(.down(why))
    }

    /// Forgets the links, and everything about the controller. The devices stay known.
    private func clearState() {
        commands.removeAll()
        framer.reset()
        dataQueue = DataQueue()
        if let device = attempt?.device { device.state = device.lostAt == nil ? .seen : .away }
        for link in links.values { link.device.state = .seen }
        (links, scanState, attempt, readySince, packetTimer) = ([:], .off, nil, nil, nil)
        framingErrorsInARow = 0
    }

    // MARK: packets

    /// Sends a packet to the controller.
    func transmit(_ packet: HCIPacket) {
        tap?(packet, .toController, clock.now)
        endpoint.send(packet.bytes)
    }

    /// The endpoint has received bytes from the controller.
    public func received(_ bytes: ArraySlice<UInt8>) {
        framer.append(bytes)
        let errorsBefore = framer.framingErrors
        while let packet = framer.next() {
            (framingErrorsInARow, packetTimer) = (0, nil)
            tap?(packet, .toHost, clock.now)
            receive(packet)
        }
        limitIncompletePacket()
        guard framer.framingErrors > errorsBefore else { return }
        malformedCount += 1
        framingErrorsInARow += 1
        if framingErrorsInARow >= limits.framingErrors {
            framingErrorsInARow = 0
            fail("the controller sends malformed packets")
        }
    }

    /// Limits the time until a packet is complete. Without the limit, a packet with a wrong length could swallow all later
    /// packets as its payload.
    private func limitIncompletePacket() {
        guard framer.bufferedCount > 0, phase == .starting || phase == .ready else {
            packetTimer = nil
            return
        }
        guard packetTimer == nil else { return }
        packetTimer = ScopedCountdown(on: clock, limits.commandTimeout) { [unowned self] in
            fail("the controller sent an incomplete packet")
        }
    }

    private func receive(_ packet: HCIPacket) {
        // Packets that arrive after a failure are ignored.
        guard phase == .starting || phase == .ready else { return }
        switch packet.kind {
        case .event:
            guard let event = HCIEvent(packet.body) else {
                malformedCount += 1
                return
            }
            handle(event)
        case .acl:
            guard let fragment = ACLFragment(packet.body) else {
                malformedCount += 1
                return
            }
            // Fragments of an unknown link are ignored.
            links[fragment.handle]?.receive(fragment)
        case .command, .synchronous, .isochronous: break
        }
    }

    func emit(_ event: CentralEvent) { listener(event) }
}

/// Sends the commands that initialize a controller, one after another.
extension Central {
    func sendStartCommands(_ remaining: ArraySlice<HCICommand>) {
        guard let command = remaining.first else { return becomeReady() }
        commands.enqueue(command) { [unowned self] status, result in
            guard status == .success else {
                let code = String(command.opcode.rawValue, radix: 16)
                return fail("the controller refuses command 0x\(code): \(status.text)")
            }
            handleStartResult(command, result, then: remaining.dropFirst())
        }
    }

    /// Handles the result of a start command, and sends the remaining commands. The results of two commands contain the length
    /// and the number of the controller's buffers.
    private func handleStartResult(
        _ command: HCICommand, _ result: [UInt8], then remaining: ArraySlice<HCICommand>
    ) {
        // The first byte of a result is the status.
        var reader = ByteReader(result.dropFirst())
        switch command.opcode {
        case .leReadBufferSize:
            let (length, count) = (reader.u16() ?? 0, reader.u8() ?? 0)
            // If the controller has no buffers of its own for LE, LE uses the buffers of classic Bluetooth (BR/EDR). Another
            // command reads their length and number.
            guard length > 0, count > 0 else { return sendStartCommands([.readBufferSize]) }
            dataQueue = DataQueue(bufferLength: Int(length), freeBuffers: Int(count))
        case .readBufferSize:
            // The length of data buffers, the length of speech buffers, and the number of data buffers.
            let (length, _, count) = (reader.u16() ?? 0, reader.u8() ?? 0, reader.u16() ?? 0)
            dataQueue = DataQueue(bufferLength: Int(length), freeBuffers: Int(count))
        default: break
        }
        sendStartCommands(remaining)
    }

    private func becomeReady() {
        phase = .ready
        readySince = clock.now
        emit(.up)
        commands.enqueue(.leSetScanParameters) { [unowned self] _, _ in startScan() }
    }
}
