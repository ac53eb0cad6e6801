internal import Support
import Timers

/// What the controller tells.
extension Central {
    func take(_ event: HCIEvent) {
        switch event {
        case .commandComplete(let credits, let opcode, let result):
            // Some answer with nothing but that they are done.
            let status = HCIStatus(rawValue: result.first ?? 0)
            commands.answered(opcode, credits: credits, status, result)
        case .commandStatus(let credits, let opcode, let status):
            commands.answered(opcode, credits: credits, status, [])
        case .connected(let status, let connection): connected(status, connection)
        case .disconnected(let status, let handle, let reason):
            // One that did not come about leaves the link as it is.
            guard status == .success, let link = links[handle] else { return }
            drop(
                link, reason: reason.text,
                after: reason == .connectionTimeout ? link.silence : .zero)
            scanOn()
        case .packetsCompleted(let completed):
            for one in completed { data.completed(Int(one.count), of: one.handle) }
            sendData()
        case .advertising(let reports): for report in reports { heard(report) }
        case .hardwareError(let code):
            fail("the controller reports a hardware error, 0x\(Hexadecimal.text(code))")
        case .other: break
        }
    }

    // MARK: hearing

    private func heard(_ report: AdvertisingReport) {
        let now = timeline.now
        let before = known[report.address]
        let device = before ?? Device(report.address, at: now)
        let isNew = before == nil
        if isNew { known.append(device) }
        (device.heardAt, device.rssi) = (now, report.rssi ?? device.rssi)
        if device.state == .away { device.state = .seen }
        guard let data = whole(report, device) else { return }
        if !report.isScanResponse {
            device.advertised(at: now, isConnectable: report.isConnectable)
        }
        if take(data, device) || isNew {
            reconsider(device)
            tell(.found(device))
        }
        // Its name may come only with its answer to the scan.
        if device.isConnectable { connect(to: device) }
    }

    /// Whether it is called otherwise now. A shortened name takes no whole one's place.
    private func take(_ data: AdvertisingData, _ device: Device) -> Bool {
        guard let name = data.name, name != device.name, data.isNameWhole || !device.isNameWhole
        else { return false }
        (device.name, device.isNameWhole) = (name, data.isNameWhole)
        return true
    }

    /// What an advertisement says, once it is whole; nil before.
    private func whole(_ report: AdvertisingReport, _ device: Device) -> AdvertisingData? {
        let room = limits.advertisementBytes - device.advertisement.count
        if report.isUnfinished {
            device.advertisement += report.data.prefix(room)
            return nil
        }
        let begun = exchange(&device.advertisement, with: [])
        return AdvertisingData(
            (begun.isEmpty ? report.data : begun + report.data.prefix(room))[...])
    }

    /// What is wanted has changed: links that nobody wants any more are ended, and others are made when their
    /// devices are heard.
    public func review() {
        for device in devices { reconsider(device) }
    }

    /// Asks anew what is wanted of a device. A link, or the attempt at one, that is not what is wanted is ended.
    private func reconsider(_ device: Device) {
        let before = device.wish
        device.wish = wish(device)
        guard device.wish != before else { return }
        // What is asked for already is not asked for anew.
        if let now = device.wish, let before, Set(now).isSubset(of: before) { return }
        for link in links.values where link.device === device {
            link.isQuiet = true
            giveUp(link)
        }
        if attempt?.device === device, device.wish == nil { cancel() }
    }
}
