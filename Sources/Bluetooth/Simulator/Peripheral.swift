import Timers

/// A simulated device: it advertises, accepts a connection, answers ATT requests, and sends its
/// presses.
public final class Peripheral {
    public let model: DeviceModel
    /// The bytes of its advertisement and of its scan response.
    let advertising: (advertisement: [UInt8], scanResponse: [UInt8])
    /// Counts of its presses.
    public internal(set) var presses = PressCount()

    /// Whether the device is within reach, connected, out of reach or asleep.
    enum Presence {
        /// Within reach and not linked. The timer of the next advertisement runs while the controller listens.
        case inRange(ScopedCountdown?)
        case linked(AirLink)
        /// Out of reach; a timer may bring it back.
        case away(ScopedCountdown?)
        case asleep
    }

    var presence: Presence
    private var attributes: DeviceAttributes
    /// The presses that wait for a subscription: characteristics and their values.
    var storedPresses: [(Subscription, [UInt8])] = []
    var sleepTimer: ScopedCountdown?
    private var nextAdvertisement = Instant.zero
    unowned let air: Air

    init(_ model: DeviceModel, in air: Air) {
        (self.model, self.air) = (model, air)
        attributes = DeviceAttributes(model)
        let services = model.characteristics.services
        advertising = AdvertisingData(name: model.name, services: services).packets()
        presence = model.isAway ? .away(nil) : .inRange(nil)
        nextAdvertisement = air.clock.now + nextInterval
        restartSleepTimer()
    }

    public var isLinked: Bool { if case .linked = presence { true } else { false } }
    public var isAsleep: Bool { if case .asleep = presence { true } else { false } }
    public var isAway: Bool { if case .away = presence { true } else { false } }

    // MARK: advertising

    /// Begins to advertise.
    func startAdvertising() {
        presence = .inRange(nil)
        nextAdvertisement = air.clock.now + nextInterval
        scheduleAdvertisement()
    }

    /// Schedules the next advertisement if the device is within reach and not linked, and the controller listens.
    /// Advertisements that were due while the controller did not listen are skipped.
    func scheduleAdvertisement() {
        guard case .inRange = presence else { return }
        guard air.isListening else {
            presence = .inRange(nil)
            return
        }
        let now = air.clock.now
        if nextAdvertisement < now {
            let interval = model.advertisingInterval.nanoseconds
            let missed = (now - nextAdvertisement).nanoseconds / interval + 1
            nextAdvertisement = nextAdvertisement + Duration.nanoseconds(missed * interval)
        }
        presence = .inRange(
            ScopedCountdown(on: air.clock, nextAdvertisement - now) { [unowned self] in
                nextAdvertisement = nextAdvertisement + nextInterval
                air.transmit(self)
                // Schedules the next advertisement, unless a connection was made.
                scheduleAdvertisement()
            })
    }

    private var nextInterval: Duration {
        model.advertisingInterval + air.draw(.zero...air.conditions.advertisingJitter)
    }

    // MARK: links

    /// Whether a controller can connect to this device.
    var isConnectable: Bool { if case .inRange = presence { true } else { false } }

    func linkEstablished(_ link: AirLink) {
        attributes.server.reset()
        presence = .linked(link)
        let duration =
            model.flaps?.up
            ?? air.conditions.linkLife.map { life in
                // All durations are equally probable, so the average is `life`.
                air.draw(.milliseconds(1)...life + life)
            }
        if let duration {
            link.endTimer = ScopedCountdown(on: air.clock, duration) { [unowned self] in
                let away = model.flaps.map { $0.away...$0.away } ?? air.conditions.away
                leaveRange(for: air.draw(away))
            }
        }
        // A device that needs no subscription sends its stored presses now.
        sendStoredPresses()
    }

    /// Counts `count` sent presses as lost, because their notifications were in transit when the link ended.
    func lostInTransit(_ count: Int) {
        presses.sent -= count
        presses.lost += count
    }

    /// The controller has ended the link.
    func linkEnded(_ link: AirLink) {
        guard case .linked(let present) = presence, present === link else { return }
        startAdvertising()
    }

    func receive(_ frame: L2CAPFrame) {
        guard case .linked(let link) = presence,
            frame.channel == L2CAPFrame.Channel.attributes
        else { return }
        if let answer = attributes.server.answer(frame.payload) {
            link.sendToController(answer.frame)
        }
        // A client that wrote a value may have subscribed.
        if !attributes.server.takeWrites().isEmpty { sendStoredPresses() }
    }

    // MARK: notifications

    /// Sends a value; false if there is no link, or no subscription.
    func send(_ characteristic: Subscription, _ value: [UInt8]) -> Bool {
        guard case .linked(let link) = presence, let handles = attributes.handles[characteristic],
            attributes.isSubscribed(handles)
        else { return false }
        attributes.server.set(value, at: handles.value)
        let opcode: ATTOpcode = handles.mode == .indicates ? .indication : .notification
        link.sendToController(ATTPacket(opcode, [handles.value], value).frame)
        presses.sent += 1
        return true
    }

    /// Sends the stored presses.
    private func sendStoredPresses() {
        while let (characteristic, value) = storedPresses.first, send(characteristic, value) {
            storedPresses.removeFirst()
        }
    }

    /// The number of stored presses.
    public var storedCount: Int { storedPresses.count }
}

/// Actions of a person on a device.
extension Peripheral {
    /// Presses the button with the index `button`, from 0. Returns false if the device has no such button.
    @discardableResult public func press(button: Int) -> Bool {
        guard model.buttons.indices.contains(button) else { return false }
        press(model.buttons[button].characteristic, model.buttons[button].value)
        return true
    }

    /// Presses a button that sends a value of a characteristic.
    func press(_ characteristic: Subscription, _ value: [UInt8]) {
        presses.pressed += 1
        if case .asleep = presence {
            // It wakes up, and advertises until a central connects.
            startAdvertising()
        }
        restartSleepTimer()
        if send(characteristic, value) { return }
        guard model.queueCapacity > 0 else {
            presses.lost += 1
            return
        }
        if storedPresses.count == model.queueCapacity {
            storedPresses.removeFirst()
            presses.lost += 1
        }
        storedPresses.append((characteristic, value))
    }

    /// Moves the device out of reach, until `returnToRange` is called.
    public func leaveRange() { leaveRange(for: nil) }

    /// Moves the device out of reach for a time; nil means until `returnToRange` is called.
    func leaveRange(for time: Duration?) {
        let timer = time.map {
            ScopedCountdown(on: air.clock, $0) { [unowned self] in returnToRange() }
        }
        let before = presence
        presence = .away(timer)
        if case .linked(let link) = before { link.breakOff() }
    }

    /// Moves the device within reach, and wakes it.
    public func returnToRange() {
        switch presence {
        case .away, .asleep:
            restartSleepTimer()
            startAdvertising()
        case .inRange, .linked: break
        }
    }

    /// Ends the link, and lets the device sleep until it is pressed. A device out of reach does not fall asleep: a press would
    /// bring it back within reach.
    public func fallAsleep() {
        guard !isAway else { return }
        let before = presence
        presence = .asleep
        if case .linked(let link) = before { link.closeByDevice(.remoteUserEnded) }
    }

    func restartSleepTimer() {
        guard let after = model.sleepsAfter else { return }
        sleepTimer = ScopedCountdown(on: air.clock, after) { [unowned self] in fallAsleep() }
    }
}

/// The outcomes of a simulated device's presses.
public struct PressCount: Equatable, Sendable {
    public var pressed = 0
    /// Sent over a link, and not lost in transit.
    public var sent = 0
    /// Neither sent nor stored, dropped from a full queue, or lost in transit.
    public var lost = 0
}
