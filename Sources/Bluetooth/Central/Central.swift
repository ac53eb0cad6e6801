internal import Support
public import Timers

/// Listens to Bluetooth devices: finds those that are wanted, keeps links to them, and tells what they notify.
///
/// Speaks HCI to whatever controller its endpoint leads to, a simulated one or a radio, and cannot tell them
/// apart. It never pairs: devices that insist on keys belong to a host that keeps them.
public final class Central: HCIHost {
    /// How far the controller is.
    public enum Phase: Equatable, Sendable {
        /// Not begun, or ended.
        case stopped
        /// The endpoint is to open.
        case opening
        /// The controller is told what is wanted of it.
        case starting
        case ready
        /// It failed, and is tried again after a while; why, in words.
        case waiting(String)
    }

    public let timeline: any TimerClock
    public let limits: CentralLimits
    public internal(set) var phase = Phase.stopped
    /// Is told what happens. May not call back into the central.
    public var listener: (CentralEvent) -> Void = { _ in }
    /// What is wanted of a device; nil where nothing is. Asked again when its name is known.
    public var wish: (Device) -> [Subscription]? = { _ in nil }
    public var tap: PacketTap?
    /// How much could not be understood, since the start.
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
    /// Runs while a packet is there in part.
    private var rest: ScopedCountdown?

    public init(
        _ endpoint: any HCIEndpoint, on timeline: any TimerClock,
        limits: CentralLimits = CentralLimits()
    ) {
        (self.endpoint, self.timeline, self.limits) = (endpoint, timeline, limits)
        known.limit = limits.devices
        endpoint.host = self
    }

    /// The devices that were heard of, in that order.
    public var devices: [Device] { known.all }

    // MARK: beginning and ending

    public func start() {
        guard phase == .stopped else { return }
        open()
    }

    /// Lets go of all links, and of the controller. No event tells of it.
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

    // MARK: failing

    public func closed(_ why: String) { fail(why) }

    /// The controller is of no use as it is: all links are lost, and it is begun anew after a while.
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

    /// A packet that promises more than ever comes would swallow all that follows.
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
        // What was on its way when the controller failed.
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
            // Of a link that is no more, or never was.
            links[fragment.handle]?.take(fragment)
        case .command, .synchronous, .isochronous: break
        }
    }

    func tell(_ event: CentralEvent) { listener(event) }
}
