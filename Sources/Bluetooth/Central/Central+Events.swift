internal import Support
import Timers

/// Handles the events of the controller, which are HCI (Host Controller Interface) events.
extension Central {
    func handle(_ event: HCIEvent) {
        switch event {
        // `credits` is the number of commands that the controller accepts now.
        case .commandComplete(let credits, let opcode, let result):
            // The result of some commands is empty. Then the command has succeeded.
            let status = HCIStatus(rawValue: result.first ?? 0)
            commands.handleAnswer(to: opcode, credits: credits, status, result)
        case .commandStatus(let credits, let opcode, let status):
            commands.handleAnswer(to: opcode, credits: credits, status, [])
        case .connected(let status, let connection): handleConnection(status, connection)
        case .disconnected(let status, let handle, let reason):
            // A failed disconnection leaves the link as it is.
            guard status == .success, let link = links[handle] else { return }
            linkEnded(
                link, reason: reason.text,
                silentFor: reason == .connectionTimeout ? link.supervisionTimeout : .zero)
            startScan()
        case .packetsCompleted(let completed):
            for packets in completed {
                dataQueue.releaseBuffers(Int(packets.count), of: packets.handle)
            }
            sendData()
        case .advertising(let reports): for report in reports { receive(report) }
        case .hardwareError(let code):
            fail("the controller reports a hardware error, 0x\(Hexadecimal.text(code))")
        case .other: break
        }
    }

    // MARK: advertisements

    private func receive(_ report: AdvertisingReport) {
        let now = clock.now
        let knownDevice = deviceList[report.address]
        let device = knownDevice ?? Device(report.address, at: now)
        let isNew = knownDevice == nil
        if isNew { deviceList.append(device) }
        (device.heardAt, device.rssi) = (now, report.rssi ?? device.rssi)
        if device.state == .away { device.state = .seen }
        guard let data = completeData(report, device) else { return }
        if !report.isScanResponse {
            device.recordAdvertisement(at: now, isConnectable: report.isConnectable)
        }
        if updateName(of: device, from: data) || isNew {
            updateWantedSubscriptions(of: device)
            emit(.found(device))
        }
        // A scan response also starts a connection attempt: a device can be wanted by its name, and some devices send their name
        // in no other packet.
        if device.isConnectable { connect(to: device) }
    }

    /// Updates the device's name. Returns whether the name has changed. A shortened name does not replace a complete name.
    private func updateName(of device: Device, from data: AdvertisingData) -> Bool {
        guard let name = data.name, name != device.name,
            data.isNameComplete || !device.isNameComplete
        else { return false }
        (device.name, device.isNameComplete) = (name, data.isNameComplete)
        return true
    }

    /// The data of an advertisement if this report completes it; else stores the report's part and returns nil. Bytes beyond
    /// the limit are dropped.
    private func completeData(_ report: AdvertisingReport, _ device: Device) -> AdvertisingData? {
        let freeBytes = limits.advertisementBytes - device.partialAdvertisement.count
        if report.isUnfinished {
            device.partialAdvertisement += report.data.prefix(freeBytes)
            return nil
        }
        let parts = exchange(&device.partialAdvertisement, with: [])
        return AdvertisingData(
            (parts.isEmpty ? report.data : parts + report.data.prefix(freeBytes))[...])
    }

    /// Calls `wantedSubscriptions` for all devices, and ends the links that are no longer wanted or lack a wanted subscription.
    /// New links are made when their devices advertise. The owner of the central calls this when the results of
    /// `wantedSubscriptions` may have changed.
    public func applyWantedSubscriptions() {
        for device in devices { updateWantedSubscriptions(of: device) }
    }

    /// Calls `wantedSubscriptions` again for a device. Ends the device's link if it lacks a wanted subscription, and its link
    /// or connection attempt if the device is no longer wanted.
    private func updateWantedSubscriptions(of device: Device) {
        let previous = device.wantedSubscriptions
        device.wantedSubscriptions = wantedSubscriptions(device)
        guard device.wantedSubscriptions != previous else { return }
        // If no subscription was added, the present link has all that are wanted now, and stays.
        if let wanted = device.wantedSubscriptions, let previous,
            Set(wanted).isSubset(of: previous)
        {
            return
        }
        for link in links.values where link.device === device {
            link.endsSilently = true
            disconnect(link)
        }
        if attempt?.device === device, device.wantedSubscriptions == nil { cancelAttempt() }
    }
}
