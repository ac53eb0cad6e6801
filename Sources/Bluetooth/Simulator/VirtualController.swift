import Timers

/// A controller with a simulated radio. It implements as much of HCI over H4 as a central needs.
public final class VirtualController: HCIEndpoint {
    public weak var host: (any HCIHost)?
    let air: Air
    private var framer = H4Framer()
    /// The bytes that are not delivered to the host yet.
    private var toHost: [UInt8] = []
    /// The timer of the next delivery.
    private var delivery: ScopedCountdown?
    private var isOpen = false
    /// Whether the host has not been told yet that the endpoint is open.
    private var isOpening = false
    var links: [UInt16: AirLink] = [:]
    /// The frames that are being assembled from the host's fragments, by the handle of the link.
    var assemblies: [UInt16: L2CAPAssembly] = [:]
    private var nextHandle: UInt16 = 0x40
    /// The connection request in progress.
    var pendingConnection: PendingConnection?
    /// Whether the controller also requests scan responses from the devices that it receives (active scanning).
    var scansActively = false

    /// A request for a connection to a device.
    struct PendingConnection {
        let address: DeviceAddress
        /// The requested supervision timeout.
        let supervision: Duration
        /// Runs from the device's advertisement to the connection.
        var timer: ScopedCountdown?
    }

    /// The buffer size and count of the smallest real controllers.
    static let (bufferLength, bufferCount): (UInt16, UInt8) = (27, 8)

    init(in air: Air) {
        self.air = air
        air.onAdvertisement = { [unowned self] in receivedAdvertisement(of: $0) }
    }

    // MARK: the host

    public func open() {
        (isOpen, isOpening) = (true, true)
        deliver()
    }

    public func close() {
        reset()
        (isOpen, toHost, delivery) = (false, [], nil)
        framer.reset()
    }

    public func send(_ bytes: [UInt8]) {
        guard isOpen else { return }
        framer.append(bytes)
        while let packet = framer.next() {
            switch packet.kind {
            case .command: if let command = HCICommand(packet.body) { execute(command) }
            case .acl: if let fragment = ACLFragment(packet.body) { receive(fragment) }
            case .synchronous, .event, .isochronous: break
            }
        }
    }

    /// Ends all links, the connection request and the reception of advertisements.
    func reset() {
        pendingConnection = nil
        air.isListening = false
        for link in links.values.sorted(by: { $0.handle < $1.handle }) { link.closeByController() }
        (links, assemblies) = ([:], [:])
    }

    func sendToHost(_ packet: HCIPacket) {
        guard isOpen else { return }
        toHost += packet.bytes
        deliver()
    }

    /// Sends an event with its parameters.
    func sendToHost(_ code: UInt8, _ parameters: [UInt8]) {
        let bytes = [HCIPacket.Kind.event.rawValue, code, UInt8(parameters.count)]
        sendToHost(HCIPacket(.event, bytes + parameters))
    }

    /// Delivers the bytes a little later, by a timer. As with a real controller, the host is never called while it calls this
    /// controller.
    private func deliver() {
        guard delivery == nil else { return }
        delivery = ScopedCountdown(on: air.clock, .zero) { [unowned self] in
            delivery = nil
            if exchange(&isOpening, with: false) { host?.opened() }
            let bytes = exchange(&toHost, with: [])
            if !bytes.isEmpty { host?.received(bytes[...]) }
        }
    }

    // MARK: the radio channel

    private func receivedAdvertisement(of peripheral: Peripheral) {
        if var pendingConnection, pendingConnection.address == peripheral.model.address,
            pendingConnection.timer == nil
        {
            let delay = air.draw(air.conditions.connecting)
            pendingConnection.timer = ScopedCountdown(on: air.clock, delay) { [unowned self] in
                link(to: peripheral)
            }
            self.pendingConnection = pendingConnection
        }
        guard isScanning else { return }
        let (advertisement, scanResponse) = peripheral.advertising
        report(peripheral, advertisement, isResponse: false)
        if scansActively, !scanResponse.isEmpty {
            report(peripheral, scanResponse, isResponse: true)
        }
    }

    var isScanning = false { didSet { updateListening() } }

    /// The controller receives advertisements while it scans, and while it waits for a device to
    /// connect to.
    func updateListening() { air.isListening = isScanning || pendingConnection != nil }

    private func report(_ peripheral: Peripheral, _ data: [UInt8], isResponse: Bool) {
        let address = peripheral.model.address
        let rssi = UInt8(bitPattern: Int8(clamping: peripheral.model.rssi))
        guard air.conditions.usesExtendedReports else {
            let head: [UInt8] = [0x02, 1, isResponse ? 4 : 0, address.kind.rawValue]
            return sendToHost(0x3E, head + address.bytes + [UInt8(data.count)] + data + [rssi])
        }
        // The event types for legacy advertisements: connectable and scannable, or a scan
        // response.
        let type: [UInt8] = isResponse ? [0x1B, 0] : [0x13, 0]
        let head = [0x0D, 1] + type + [address.kind.rawValue] + address.bytes
        // The PHYs, no advertising set, an unknown power, the signal strength, no period and no target address.
        let channel: [UInt8] = [1, 0, 0xFF, 127, rssi, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        sendToHost(0x3E, head + channel + [UInt8(data.count)] + data)
    }

    // MARK: links

    private func link(to peripheral: Peripheral) {
        // The device may have gone since it advertised; the controller then waits for its next advertisement.
        guard peripheral.isConnectable, let request = pendingConnection else {
            pendingConnection?.timer = nil
            return
        }
        pendingConnection = nil
        updateListening()
        while links[nextHandle] != nil || !HCIEvent.validHandles.contains(nextHandle) {
            nextHandle = HCIEvent.validHandles.contains(nextHandle) ? nextHandle + 1 : 0x40
        }
        let handle = nextHandle
        nextHandle += 1
        let link = AirLink(handle, peripheral, self, supervisionTimeout: request.supervision)
        links[handle] = link
        assemblies[handle] = L2CAPAssembly()
        sendConnectionComplete(.success, handle, peripheral.model.address)
        peripheral.linkEstablished(link)
    }

    func sendConnectionComplete(_ status: HCIStatus, _ handle: UInt16, _ address: DeviceAddress) {
        var bytes: [UInt8] = [0x01, status.rawValue]
        bytes.append(handle)
        bytes += [0, address.kind.rawValue] + address.bytes
        // An interval of 30 ms, no latency, a supervision timeout of 1 s whatever the host requested, and a clock accuracy of
        // 500 ppm.
        sendToHost(0x3E, bytes + [24, 0, 0, 0, 100, 0, 0])
    }

    /// A link has ended without a command of the host: the device ended it, or is out of reach.
    func linkEnded(_ link: AirLink, _ reason: HCIStatus) {
        guard links[link.handle] === link else { return }
        removeLink(link.handle)
        sendDisconnectionComplete(link.handle, reason)
    }

    func removeLink(_ handle: UInt16) {
        links[handle] = nil
        assemblies[handle] = nil
    }

    func sendDisconnectionComplete(_ handle: UInt16, _ reason: HCIStatus) {
        var bytes = [HCIStatus.success.rawValue]
        bytes.append(handle)
        sendToHost(0x05, bytes + [reason.rawValue])
    }

    /// Sends a device's frame to the host.
    func sendToHost(_ frame: L2CAPFrame, over link: AirLink) {
        guard links[link.handle] === link else { return }
        let limit = Int(Self.bufferLength)
        for packet in ACLFragment.packets(
            of: frame, over: link.handle, limit: limit, fromHost: false)
        {
            sendToHost(packet)
        }
    }

    /// Takes a fragment from the host, and reports that its buffer is free again. If the device is out of reach, the fragment
    /// is lost and its buffer is not reported as free.
    private func receive(_ fragment: ACLFragment) {
        guard let link = links[fragment.handle], link.isInReach else { return }
        let frame = assemblies[fragment.handle]?.add(fragment)
        var bytes: [UInt8] = [1]
        bytes.append(fragment.handle)
        sendToHost(0x13, bytes + [1, 0])
        if let frame { link.sendToDevice(frame) }
    }
}
