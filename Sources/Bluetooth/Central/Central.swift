internal import Support
public import Timers

/// A Bluetooth LE central: finds the wanted devices, keeps links to them, and reports their
/// notifications.
///
/// It speaks HCI to the controller behind its endpoint, simulated or real. It never pairs; devices
/// that require keys belong to a host that stores them.
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
        /// The controller failed, for this reason, and is tried again after a delay.
        case waiting(String)
    }

    public let timeline: any TimerClock
    public let limits: CentralLimits
    public internal(set) var phase = Phase.stopped
    /// Called with each event. It must not call the central.
    public var listener: (CentralEvent) -> Void = { _ in }
    /// The wanted subscriptions of a device; nil if the device is not wanted. Called again when
    /// the device's name becomes known.
    public var wish: (Device) -> [Subscription]? = { _ in nil }
    public var tap: PacketTap?
    /// The number of malformed packets since the start.
    public internal(set) var malformed = 0

    let endpoint: any HCIEndpoint
    private var framer = H4Framer()
    private var lossesInARow = 0
    private(set) lazy var commands = CommandQueue(
        on: timeline, limits, send: { [unowned self] in put($0.packet) },
        silent: { [unowned self] in fail($0) })
    var data = DataQueue()
    var known = DeviceList()
    var links: [UInt16: Link] = [:]
    var scan = Scan.off
    var attempt: Attempt?
    private var backoff = Backoff()
    var upSince: Instant?
    private var pause: ScopedCountdown?
    /// Runs while a packet is incomplete.
    private var rest: ScopedCountdown?

    public init(
        _ endpoint: any HCIEndpoint, on timeline: any TimerClock,
        limits: CentralLimits = CentralLimits()
    ) {
        (self.endpoint, self.timeline, self.limits) = (endpoint, timeline, limits)
        known.limit = limits.devices
        endpoint.host = self
    }

    /// The known devices, in the order in which they were first received.
    public var devices: [Device] { known.all }

    // MARK: starting and stopping

    public func start() {
        guard phase == .stopped else { return }
        open()
    }

    /// Ends all links and closes the endpoint, without any event.
    public func stop() {
        if phase == .ready { put(HCICommand.reset.packet) }
        endpoint.close()
        forgetAll()
        (phase, pause) = (.stopped, nil)
    }

    private func open() {
        phase = .opening
        pause = nil
        endpoint.open()
    }

    public func opened() {
        guard phase == .opening else { return }
        phase = .starting
        startUp([.reset, .setEventMask, .leSetEventMask, .leReadBufferSize][...])
    }

    // MARK: failure

    public func closed(_ why: String) { fail(why) }

    /// Closes the endpoint, reports all links as lost, and tries again after a delay.
    func fail(_ why: String) {
        switch phase {
        case .stopped, .waiting: return
        case .opening, .starting, .ready: break
        }
        let wasSteady = upSince.map { timeline.now - $0 >= Backoff.steady } ?? false
        if wasSteady { backoff.succeed() }
        endpoint.close()
        phase = .waiting(why)
        for link in links.values.sorted(by: { $0.handle < $1.handle }) {
            drop(link, reason: "the controller failed")
        }
        forgetAll()
        pause = ScopedCountdown(on: timeline, backoff.fail()) { [unowned self] in open() }
        tell(.down(why))
    }

    private func forgetAll() {
        commands.forget()
        framer.forget()
        data = DataQueue()
        if let device = attempt?.device { device.state = device.lostAt == nil ? .seen : .away }
        for link in links.values { link.device.state = .seen }
        (links, scan, attempt, upSince, rest) = ([:], .off, nil, nil, nil)
        lossesInARow = 0
    }

    // MARK: packets

    func put(_ packet: HCIPacket) {
        tap?(packet, .toController, timeline.now)
        endpoint.send(packet.bytes)
    }

    public func received(_ bytes: ArraySlice<UInt8>) {
        framer.append(bytes)
        let losses = framer.losses
        while let packet = framer.next() {
            (lossesInARow, rest) = (0, nil)
            tap?(packet, .toHost, timeline.now)
            take(packet)
        }
        awaitRest()
        guard framer.losses > losses else { return }
        malformed += 1
        lossesInARow += 1
        if lossesInARow >= limits.framingLosses {
            lossesInARow = 0
            fail("what the controller says makes no sense")
        }
    }

    /// Limits the time until a packet is complete: a wrong length would swallow all later packets.
    private func awaitRest() {
        guard framer.waiting > 0, phase == .starting || phase == .ready else {
            rest = nil
            return
        }
        guard rest == nil else { return }
        rest = ScopedCountdown(on: timeline, limits.command) { [unowned self] in
            fail("the controller does not end what it began to say")
        }
    }

    private func take(_ packet: HCIPacket) {
        // Packets that arrive after a failure are ignored.
        guard phase == .starting || phase == .ready else { return }
        switch packet.kind {
        case .event:
            guard let event = HCIEvent(packet.body) else {
                malformed += 1
                return
            }
            take(event)
        case .acl:
            guard let fragment = ACLFragment(packet.body) else {
                malformed += 1
                return
            }
            // Fragments of an unknown link are ignored.
            links[fragment.handle]?.take(fragment)
        case .command, .synchronous, .isochronous: break
        }
    }

    func tell(_ event: CentralEvent) { listener(event) }
}

/// Sends the commands that initialize a controller, one after another.
extension Central {
    func startUp(_ rest: ArraySlice<HCICommand>) {
        guard let command = rest.first else { return becomeReady() }
        commands.order(command) { [unowned self] status, result in
            guard status == .success else {
                let code = String(command.opcode.rawValue, radix: 16)
                return fail("the controller refuses command 0x\(code): \(status.text)")
            }
            takeBuffers(command, result, then: rest.dropFirst())
        }
    }

    /// A controller without LE buffers shares those of BR/EDR.
    private func takeBuffers(
        _ command: HCICommand, _ result: [UInt8], then rest: ArraySlice<HCICommand>
    ) {
        var reader = ByteReader(result.dropFirst())
        switch command.opcode {
        case .leReadBufferSize:
            let (length, room) = (reader.u16() ?? 0, reader.u8() ?? 0)
            guard length > 0, room > 0 else { return startUp([.readBufferSize]) }
            data = DataQueue(length: Int(length), room: Int(room))
        case .readBufferSize:
            let (length, _, room) = (reader.u16() ?? 0, reader.u8() ?? 0, reader.u16() ?? 0)
            data = DataQueue(length: Int(length), room: Int(room))
        default: break
        }
        startUp(rest)
    }

    private func becomeReady() {
        phase = .ready
        upSince = timeline.now
        tell(.up)
        commands.order(.leSetScanParameters) { [unowned self] _, _ in scanOn() }
    }
}
