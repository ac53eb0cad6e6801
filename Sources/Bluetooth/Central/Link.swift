import Timers

/// A link to a device: assembles the frames that the device sends, answers them, and reports notifications to the central.
final class Link {
    /// The connection handle, by which the controller names the link. All other handles in this file name attributes.
    let handle: UInt16
    let device: Device
    /// When the device's last ready link was lost. Nil if the device never had a ready link, or if its last ready link was not
    /// lost.
    private let previousLoss: Instant?
    /// When the subscriptions were made.
    private(set) var readyAt: Instant?
    /// The supervision timeout: if the device is silent for this time, the controller reports the link as lost.
    var supervisionTimeout = HCICommand.LinkParameters().supervisionTimeout
    /// Whether the link ends because other subscriptions are wanted. Then the end is not reported as a loss, and the next link
    /// is not reported as a return.
    var endsSilently = false
    /// Limits the time of the disconnection; nil unless the link is being disconnected.
    var disconnectTimer: ScopedCountdown?
    /// Assembles fragments to frames.
    private var assembly = L2CAPAssembly()
    /// Sends requests to the device.
    private var client: ATTClient!
    private var discovery: Discovery!
    /// Whether the discovery has found the handles of the characteristics, by which notifications are interpreted.
    private var handlesAreKnown = false
    /// Values that arrive until this time count as stored while the device was disconnected. Until the first subscription is
    /// made, every value counts as stored.
    private var replayEnd = Instant.last
    /// The notifications that arrived while the handles of the characteristics were not known.
    private var earlyNotifications: [(handle: UInt16, value: [UInt8], at: Instant)] = []
    private unowned let central: Central

    init(_ handle: UInt16, _ device: Device, _ central: Central) {
        (self.handle, self.device, self.central) = (handle, device, central)
        previousLoss = device.lostAt
        client = ATTClient(on: central.clock, timeout: central.limits.attTimeout) {
            [unowned self] in send($0.frame)
        }
        discovery = Discovery(
            client, device.wantedSubscriptions ?? [], limit: central.limits.attributes,
            report: { [unowned self] in handleFinding($0) },
            completion: { [unowned self] in handleOutcome($0) })
    }

    /// Begins to find and to subscribe to the wanted characteristics.
    func startDiscovery() { discovery.begin() }

    private func send(_ frame: L2CAPFrame) { central.send(frame, over: self) }

    // MARK: frames

    /// Receives a fragment from the device, and handles the frame that the fragment completes.
    func receive(_ fragment: ACLFragment) {
        let malformedBefore = assembly.fragmentationErrors + assembly.oversizedFrames
        let completeFrame = assembly.add(fragment)
        let malformedNow = assembly.fragmentationErrors + assembly.oversizedFrames
        central.malformedCount += malformedNow - malformedBefore
        guard let frame = completeFrame else { return }
        device.heardAt = central.clock.now
        switch frame.channel {
        case L2CAPFrame.Channel.attributes: handleATTPacket(frame.payload)
        case L2CAPFrame.Channel.signals: handleSignal(frame.payload)
        case L2CAPFrame.Channel.security:
            if PairingRefusal.isPairingRequest(frame.payload) {
                device.problem = "it requires pairing"
                send(PairingRefusal.frame)
            }
        default: break
        }
    }

    private func handleATTPacket(_ payload: [UInt8]) {
        guard let opcodeByte = payload.first else { return }
        switch ATTOpcode(rawValue: opcodeByte) {
        case .notification?: handleNotification(payload)
        case .indication?:
            handleNotification(payload)
            send(ATTPacket(.confirmation).frame)
        case .error?, .mtuResponse?, .findInformationResponse?, .readResponse?, .writeResponse?:
            client.receive(payload)
        case .mtuRequest?: send(ATTPacket(.mtuResponse, [UInt16(ATTPacket.maximumMTU)]).frame)
        // The central has no attributes.
        case let opcode? where opcode.isRequest:
            send(ATTPacket.error(.attributeNotFound, to: opcodeByte).frame)
        // An unknown request is refused. An unknown command, which has bit 6 set, gets no response.
        case nil where opcodeByte & 0x40 == 0:
            send(ATTPacket.error(.requestNotSupported, to: opcodeByte).frame)
        default: break
        }
    }

    /// Handles a packet by which the device negotiates the link.
    private func handleSignal(_ payload: [UInt8]) {
        guard let signal = L2CAPSignal(payload) else { return }
        if let answer = signal.answer { send(answer.frame) }
        if let parameters = signal.requestedParameters {
            central.updateParameters(of: self, to: parameters)
        }
    }

    // MARK: notifications

    /// Reports a notification or an indication, or stores it until the handles are known.
    private func handleNotification(_ payload: [UInt8]) {
        var reader = ByteReader(payload[1...])
        guard let handle = reader.u16() else { return }
        let value = Array(reader.remaining)
        if handlesAreKnown {
            report(handle, value, arrivedAt: central.clock.now)
        } else if earlyNotifications.count < central.limits.earlyNotifications {
            earlyNotifications.append((handle, value, central.clock.now))
        }
    }

    /// The central calls this when the link has ended. If the discovery has not found the handles, the early notifications are
    /// interpreted by the handles of the previous link.
    func didEnd() {
        if !handlesAreKnown { reportEarlyNotifications() }
    }

    private func reportEarlyNotifications() {
        for (handle, value, arrival) in exchange(&earlyNotifications, with: []) {
            report(handle, value, arrivedAt: arrival)
        }
    }

    /// Reports the value of the characteristic with this handle to the central, if the characteristic is wanted.
    private func report(_ handle: UInt16, _ value: [UInt8], arrivedAt arrival: Instant) {
        guard let subscription = device.subscriptionsByHandle[handle] else { return }
        if subscription == .battery { updateBattery(value) }
        guard device.wantedSubscriptions?.contains(subscription) == true else { return }
        let notification = ValueNotification(
            subscription: subscription, value: value, age: age(arrivedAt: arrival))
        central.emit(.notified(device, notification))
    }

    /// The maximum age of a value that arrived at the instant `arrival`. A value that the device stored while it was
    /// disconnected is at most as old as the loss of the previous link. The age of any other value counts from its arrival.
    private func age(arrivedAt arrival: Instant) -> Duration {
        let now = central.clock.now
        guard let previousLoss, arrival <= replayEnd else { return now - arrival }
        return now - previousLoss
    }

    private func updateBattery(_ value: [UInt8]) {
        if let level = value.first, level <= 100 { device.battery = Int(level) }
    }

    // MARK: discovery

    private func handleFinding(_ finding: Discovery.Finding) {
        switch finding {
        case .handles:
            handlesAreKnown = true
            device.subscriptionsByHandle = discovery.subscriptionsByHandle
            reportEarlyNotifications()
        case .battery(let value): updateBattery(value)
        case .subscribed: replayEnd = central.clock.now + central.limits.replayWindow
        }
    }

    private func handleOutcome(_ outcome: Discovery.Outcome) {
        switch outcome {
        case .failed(let why):
            device.problem = why
            central.disconnect(self)
        case .ready(let problem):
            let now = central.clock.now
            readyAt = now
            // If no subscription was made, `replayEnd` is still the last instant.
            replayEnd = min(replayEnd, now + central.limits.replayWindow)
            // A problem that was reported during the discovery, such as a request to pair, stays if the discovery ends without
            // a problem.
            if device.problem == nil || problem != nil { device.problem = problem }
            (device.lostAt, device.state) = (nil, .ready)
            central.emit(.ready(device, wasReadyBefore: previousLoss != nil))
        }
    }
}
