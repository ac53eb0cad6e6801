internal import Support
import Timers

/// Scans, connects, and ends links.
extension Central {
    /// Whether the controller scans. While the state is `changing`, the controller has not answered the command that starts or
    /// stops scanning.
    enum ScanState {
        case off, changing, on
    }

    /// A connection attempt; there is one at a time.
    struct Attempt {
        let device: Device
        /// Cancels the attempt when the device does not respond.
        var timer: ScopedCountdown?
        /// Whether the command to connect was queued.
        var isRequested = false
        /// Whether the controller has accepted the command to connect. A failure that the controller reports before it has
        /// accepted the command belongs to an earlier attempt.
        var isAccepted = false
    }

    // MARK: scanning

    /// Starts to scan, unless a connection attempt is in progress.
    func startScan() {
        guard phase == .ready, scanState == .off, attempt == nil else { return }
        scanState = .changing
        commands.enqueue(.leSetScanEnable(true)) { [unowned self] status, _ in
            guard status == .success else {
                return fail("the controller refuses to scan: \(status.text)")
            }
            scanState = .on
            // A connection attempt began while the command was in progress.
            if attempt != nil { stopScanAndConnect() }
        }
    }

    /// Stops scanning, because not every controller can scan and connect at the same time. Then connects to the device of the
    /// attempt. If the scan state is changing, the completion of the command in progress continues with the attempt.
    private func stopScanAndConnect() {
        guard scanState == .on else {
            if scanState == .off { createConnection() }
            return
        }
        scanState = .changing
        commands.enqueue(.leSetScanEnable(false)) { [unowned self] _, _ in
            scanState = .off
            createConnection()
        }
    }

    // MARK: connecting

    /// Begins a connection attempt to a device that has just advertised. Does nothing if the device is not wanted, has a link,
    /// or must not be tried again yet, or if an attempt is in progress.
    func connect(to device: Device) {
        guard phase == .ready, device.isWanted, !device.hasLinkOrAttempt, attempt == nil,
            clock.now >= device.nextAttemptAt
        else { return }
        guard links.count < limits.links else {
            device.problem = "too many links; the limit is \(limits.links)"
            return
        }
        device.state = .connecting
        attempt = Attempt(device: device)
        stopScanAndConnect()
    }

    /// Sends the command to connect to the device of the attempt. Scans again if the attempt has already ended.
    private func createConnection() {
        guard let device = attempt?.device else { return startScan() }
        // A device with a long advertising interval gets the time of two intervals. An interval above the limit was measured
        // wrongly, and is ignored.
        let interval =
            device.advertisingInterval <= limits.longestAdvertisingInterval
            ? device.advertisingInterval : .zero
        let timeout = max(limits.connectTimeout, interval + interval)
        attempt?.isRequested = true
        attempt?.timer = ScopedCountdown(on: clock, timeout) { [unowned self] in cancelAttempt() }
        commands.enqueue(.leCreateConnection(device.address, HCICommand.LinkParameters())) {
            [unowned self] status, _ in
            guard attempt?.device === device else { return }
            attempt?.isAccepted = true
            if status != .success { failAttempt(status.text) }
        }
    }

    /// Cancels the connection attempt. The attempt ends when the controller reports its result. If the command to connect was
    /// not queued yet, the attempt ends at once. The controller then gets no cancellation, because it would refuse a
    /// cancellation without a command to connect.
    func cancelAttempt() {
        guard attempt?.isRequested == true else { return failAttempt("the device is not wanted") }
        // The controller may accept the cancellation but never report the result of the attempt.
        attempt?.timer = ScopedCountdown(on: clock, limits.commandTimeout) { [unowned self] in
            failAttempt("the controller did not report the result")
        }
        let device = attempt?.device
        commands.enqueue(.leCreateConnectionCancel) { [unowned self] status, _ in
            // The controller refuses the cancellation if the attempt has a result already. The event with the result has then
            // ended the attempt here too, unless the event was lost.
            if status != .success, attempt?.device === device { failAttempt(status.text) }
        }
    }

    /// Ends the connection attempt without a link, and scans again.
    private func failAttempt(_ why: String) {
        guard let device = exchange(&attempt, with: nil)?.device else { return }
        device.problem = "no link: \(why)"
        device.state = device.lostAt == nil ? .seen : .away
        delayNextAttempt(device)
        startScan()
    }

    /// Forbids connection attempts to a device for a time, which increases with each failure.
    private func delayNextAttempt(_ device: Device) {
        device.nextAttemptAt = clock.now + device.backoff.fail()
    }

    /// Handles the result of a connection attempt: begins the discovery over the new link.
    func handleConnection(_ status: HCIStatus, _ connection: HCIEvent.Connection) {
        guard status == .success else {
            if attempt?.isAccepted == true { failAttempt(status.text) }
            return
        }
        guard let device = attempt?.device, device.address == connection.address,
            connection.isCentral, HCIEvent.validHandles.contains(connection.handle),
            links[connection.handle] == nil
        else {
            // The event repeats the report of an existing link, or reports a connection that was not requested. Such a
            // connection is ended here.
            let isRepetition = links[connection.handle]?.device.address == connection.address
            if !isRepetition, !commands.isFull {
                commands.enqueue(.disconnect(connection.handle))
            }
            return
        }
        attempt = nil
        device.state = .discovering
        (device.heardAt, device.problem) = (clock.now, nil)
        let link = Link(connection.handle, device, self)
        links[connection.handle] = link
        if device.isWanted { link.startDiscovery() } else { disconnect(link) }
        startScan()
    }

    // MARK: open links

    /// Carries out a device's request for other connection parameters, unless too many commands wait.
    func updateParameters(of link: Link, to parameters: HCICommand.LinkParameters) {
        guard !commands.isFull else { return }
        link.supervisionTimeout = parameters.supervisionTimeout
        commands.enqueue(.leConnectionUpdate(link.handle, parameters))
    }

    /// Sends a frame to a link's device. Disconnects the link if too many of its packets wait for the controller.
    func send(_ frame: L2CAPFrame, over link: Link) {
        guard links[link.handle] === link, link.disconnectTimer == nil else { return }
        dataQueue.append(frame, to: link.handle)
        sendData()
        if dataQueue.waitingCount(of: link.handle) > limits.packetsWaiting {
            link.device.problem = "it sends requests faster than it reads the responses"
            disconnect(link)
        }
    }

    /// Passes waiting packets to the controller while the controller has free buffers.
    func sendData() {
        while let packet = dataQueue.next() { transmit(packet) }
    }

    // MARK: ending links

    /// Tells the controller to end a link that is not wanted or does not work. If the controller does not report the end in
    /// time, the link is removed nevertheless.
    func disconnect(_ link: Link) {
        guard link.disconnectTimer == nil else { return }
        dataQueue.removeWaiting(of: link.handle)
        link.disconnectTimer = ScopedCountdown(on: clock, limits.commandTimeout) {
            [unowned self, unowned link] in
            linkEnded(link, reason: "disconnected by this host")
        }
        commands.enqueue(.disconnect(link.handle)) { [unowned self] status, _ in
            if status != .success, links[link.handle] === link {
                linkEnded(link, reason: status.text)
            }
        }
    }

    /// Removes a link that has ended, and reports the loss of a ready link. `silence` is how long the link was silent before
    /// the controller noticed its end.
    func linkEnded(_ link: Link, reason: String, silentFor silence: Duration = .zero) {
        let device = link.device
        link.didEnd()
        links[link.handle] = nil
        dataQueue.removeLink(link.handle)
        // The buffers of the ended link are free for the packets of other links.
        sendData()
        let now = clock.now
        device.state = .away
        if link.endsSilently {
            device.state = .seen
        } else if let readyAt = link.readyAt {
            // `lostAt` is when the default supervision timeout would have noticed the loss. If the device has requested a
            // longer timeout, that instant is earlier than now.
            let defaultTimeout = HCICommand.LinkParameters().supervisionTimeout
            let difference = min(0, defaultTimeout.nanoseconds - silence.nanoseconds)
            device.lostAt = now + Duration.nanoseconds(difference)
            // A link that worked for long enough before the silence was a success; else the next attempt is delayed.
            if now >= readyAt + (Backoff.steadyDuration + silence) {
                device.backoff.succeed()
            } else {
                delayNextAttempt(device)
            }
            emit(.lost(device, reason: reason))
        } else {
            delayNextAttempt(device)
        }
    }
}
