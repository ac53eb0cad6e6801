internal import Support
import Timers

/// Scans, connects, and ends links.
extension Central {
    /// Whether the controller scans.
    enum Scan {
        case off, changing, on
    }

    /// A connection attempt; there is one at a time.
    struct Attempt {
        let device: Device
        /// Cancels the attempt when the device does not respond.
        var timer: ScopedCountdown?
        /// Whether the controller has accepted the command. Earlier events belong to another
        /// attempt.
        var isUnderWay = false
    }

    // MARK: scanning

    /// Starts to scan, unless a connection attempt is in progress.
    func scanOn() {
        guard phase == .ready, scan == .off, attempt == nil else { return }
        scan = .changing
        commands.order(.leSetScanEnable(true)) { [unowned self] status, _ in
            guard status == .success else {
                return fail("the controller refuses to listen: \(status.text)")
            }
            scan = .on
            // An attempt was requested in the meantime.
            if attempt != nil { scanOff() }
        }
    }

    private func scanOff() {
        guard scan == .on else {
            if scan == .off { create() }
            return
        }
        scan = .changing
        commands.order(.leSetScanEnable(false)) { [unowned self] _, _ in
            scan = .off
            create()
        }
    }

    // MARK: connecting

    /// Begins a connection attempt to a device that has just advertised, if it is wanted and not
    /// delayed.
    func connect(to device: Device) {
        guard phase == .ready, device.isWanted, !device.isEngaged, attempt == nil,
            timeline.now >= device.notBefore
        else { return }
        guard links.count < limits.links else {
            device.problem = "no link is free: there are \(limits.links)"
            return
        }
        device.state = .connecting
        attempt = Attempt(device: device)
        scanOff()
    }

    private func create() {
        guard let device = attempt?.device else { return scanOn() }
        let gap = device.gap <= limits.seldom ? device.gap : .zero
        let patience = max(limits.connecting, gap + gap)
        attempt?.timer = ScopedCountdown(on: timeline, patience) { [unowned self] in cancel() }
        commands.order(.leCreateConnection(device.address, HCICommand.LinkParameters())) {
            [unowned self] status, _ in
            guard attempt?.device === device else { return }
            attempt?.isUnderWay = true
            if status != .success { attemptFailed(status.text) }
        }
    }

    func cancel() {
        // The controller accepts the command but may never report the result.
        attempt?.timer = ScopedCountdown(on: timeline, limits.command) { [unowned self] in
            attemptFailed("the controller does not say what came of it")
        }
        let device = attempt?.device
        commands.order(.leCreateConnectionCancel) { [unowned self] status, _ in
            // The connection was made already, or its event is lost.
            if status != .success, attempt?.device === device { attemptFailed(status.text) }
        }
    }

    private func attemptFailed(_ why: String) {
        guard let device = exchange(&attempt, with: nil)?.device else { return }
        device.problem = "no link: \(why)"
        device.state = device.lostAt == nil ? .seen : .away
        leaveAlone(device)
        scanOn()
    }

    private func leaveAlone(_ device: Device) {
        device.notBefore = timeline.now + device.backoff.fail()
    }

    func connected(_ status: HCIStatus, _ connection: HCIEvent.Connection) {
        guard status == .success else {
            if attempt?.isUnderWay == true { attemptFailed(status.text) }
            return
        }
        guard let device = attempt?.device, device.address == connection.address,
            connection.isCentral, HCIEvent.handles.contains(connection.handle),
            links[connection.handle] == nil
        else {
            // A repeated event, or a connection that was not requested.
            let isKnown = links[connection.handle]?.device.address == connection.address
            if !isKnown, !commands.isCrowded { commands.order(.disconnect(connection.handle)) }
            return
        }
        attempt = nil
        device.state = .discovering
        (device.heardAt, device.problem) = (timeline.now, nil)
        let link = Link(connection.handle, device, self)
        links[connection.handle] = link
        if device.isWanted { link.begin() } else { giveUp(link) }
        scanOn()
    }

    // MARK: open links

    /// Carries out a device's request for other connection parameters.
    func update(_ link: Link, _ wanted: HCICommand.LinkParameters) {
        guard !commands.isCrowded else { return }
        link.silence = wanted.silence
        commands.order(.leConnectionUpdate(link.handle, wanted))
    }

    func send(_ frame: L2CAPFrame, over link: Link) {
        guard links[link.handle] === link, link.ending == nil else { return }
        data.append(frame, to: link.handle)
        sendData()
        if data.count(of: link.handle) > limits.packetsWaiting {
            link.device.problem = "it asks faster than it listens"
            giveUp(link)
        }
    }

    func sendData() {
        while let packet = data.next() { put(packet) }
    }

    // MARK: ending links

    /// Disconnects a link that is not wanted or does not work.
    func giveUp(_ link: Link) {
        guard link.ending == nil else { return }
        data.forgetWaiting(link.handle)
        link.ending = ScopedCountdown(on: timeline, limits.command) {
            [unowned self, unowned link] in
            drop(link, reason: "ended here")
        }
        commands.order(.disconnect(link.handle)) { [unowned self] status, _ in
            if status != .success, links[link.handle] === link {
                drop(link, reason: status.text)
            }
        }
    }

    /// Removes a link that has ended. `silence` is how long it was silent before the loss was
    /// noticed.
    func drop(_ link: Link, reason: String, after silence: Duration = .zero) {
        let device = link.device
        link.end()
        links[link.handle] = nil
        data.forget(link.handle)
        // Packets of other links can use its buffers.
        sendData()
        let now = timeline.now
        device.state = .away
        if link.isQuiet {
            device.state = .seen
        } else if let readyAt = link.readyAt {
            // A device may have asked for a longer supervision timeout than the default. Then the
            // loss happened earlier, by the difference.
            let usual = HCICommand.LinkParameters().silence
            let earlier = min(0, usual.nanoseconds - silence.nanoseconds)
            device.lostAt = now + Duration.nanoseconds(earlier)
            if now >= readyAt + (Backoff.steady + silence) {
                device.backoff.succeed()
            } else {
                leaveAlone(device)
            }
            tell(.lost(device, reason: reason))
        } else {
            leaveAlone(device)
        }
    }
}
