import Timers

/// A simulated device: it advertises, accepts a connection, answers ATT requests, and sends its
/// presses.
public final class Peripheral {
    public let model: DeviceModel
    /// Its advertisement and its scan response.
    let advertising: (advertisement: [UInt8], scanResponse: [UInt8])
    /// Counts of its presses.
    public internal(set) var presses = PressCount()
    enum Presence {
        /// Within reach. The timer of the next advertisement runs while the controller scans.
        case here(ScopedCountdown?)
        case linked(AirLink)
        /// Out of reach; a timer may bring it back.
        case away(ScopedCountdown?)
        case asleep
    }

    var presence: Presence
    private var attributes: DeviceAttributes
    var kept: [(Subscription, [UInt8])] = []
    var sleep: ScopedCountdown?
    private var nextAdvertisement = Instant.zero
    unowned let air: Air

    init(_ model: DeviceModel, in air: Air) {
        (self.model, self.air) = (model, air)
        attributes = DeviceAttributes(model)
        let services = model.characteristics.services
        advertising = AdvertisingData(name: model.name, services: services).packets()
        presence = model.isAway ? .away(nil) : .here(nil)
        nextAdvertisement = air.timeline.now + rhythm
        stayAwake()
    }

    public var isLinked: Bool { if case .linked = presence { true } else { false } }
    public var isAsleep: Bool { if case .asleep = presence { true } else { false } }
    public var isAway: Bool { if case .away = presence { true } else { false } }

    // MARK: advertising

    /// Begins to advertise.
    func appear() {
        presence = .here(nil)
        nextAdvertisement = air.timeline.now + rhythm
        advertise()
    }

    /// Schedules the next advertisement if the device is not linked and the controller scans. The
    /// times of advertisements do not depend on when the controller scans.
    func advertise() {
        guard case .here = presence else { return }
        guard air.isHeard else {
            presence = .here(nil)
            return
        }
        let now = air.timeline.now
        if nextAdvertisement < now {
            let missed = (now - nextAdvertisement).nanoseconds / model.interval.nanoseconds + 1
            nextAdvertisement =
                nextAdvertisement
                + Duration.nanoseconds(missed * model.interval.nanoseconds)
        }
        presence = .here(
            ScopedCountdown(on: air.timeline, nextAdvertisement - now) { [unowned self] in
                nextAdvertisement = nextAdvertisement + rhythm
                air.advertise(self)
                // Schedules the next one, unless a connection was made.
                advertise()
            })
    }

    private var rhythm: Duration {
        model.interval + air.draw(.zero...air.conditions.advertisingJitter)
    }

    // MARK: links

    /// Whether a controller can connect to it.
    var isConnectable: Bool { if case .here = presence { true } else { false } }

    func linked(_ link: AirLink) {
        attributes.server.reset()
        presence = .linked(link)
        let ends =
            model.flaps?.up
            ?? air.conditions.linkLife.map { life in
                air.draw(.milliseconds(1)...life + life)
            }
        if let ends {
            link.fate = ScopedCountdown(on: air.timeline, ends) { [unowned self] in
                let away = model.flaps.map { $0.away...$0.away } ?? air.conditions.away
                drop(for: air.draw(away))
            }
        }
        // A device that needs no subscription sends its stored presses now.
        tellKept()
    }

    /// Corrects the counts: that many presses were in transit when the link was lost.
    func lostOnTheWay(_ count: Int) {
        presses.told -= count
        presses.lost += count
    }

    /// The controller has ended the link.
    func unlinked(_ link: AirLink) {
        guard case .linked(let own) = presence, own === link else { return }
        appear()
    }

    func take(_ frame: L2CAPFrame) {
        guard case .linked(let link) = presence,
            frame.channel == L2CAPFrame.Channel.attributes
        else { return }
        if let answer = attributes.server.answer(frame.payload) {
            link.sendToController(answer.frame)
        }
        if !attributes.server.takeWritten().isEmpty { tellKept() }
    }

    // MARK: notifications

    /// Sends a value; false if there is no link, or no subscription.
    func tell(_ characteristic: Subscription, _ value: [UInt8]) -> Bool {
        guard case .linked(let link) = presence, let place = attributes.places[characteristic],
            attributes.isTelling(place)
        else { return false }
        attributes.server.set(value, at: place.value)
        let opcode: ATTOpcode = place.telling == .indicates ? .indication : .notification
        link.sendToController(ATTPacket(opcode, [place.value], value).frame)
        presses.told += 1
        return true
    }

    /// Sends the stored presses.
    private func tellKept() {
        while let (characteristic, value) = kept.first, tell(characteristic, value) {
            kept.removeFirst()
        }
    }

    /// The number of stored presses.
    public var keptCount: Int { kept.count }
}

/// Actions of a person on a device.
extension Peripheral {
    /// Presses a button, counted from 0; false if the device has no such button.
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
            appear()
        }
        stayAwake()
        if tell(characteristic, value) { return }
        guard model.queue > 0 else {
            presses.lost += 1
            return
        }
        if kept.count == model.queue {
            kept.removeFirst()
            presses.lost += 1
        }
        kept.append((characteristic, value))
    }

    /// Moves the device out of reach, until `comeBack` is called.
    public func drop() { drop(for: nil) }

    /// Moves the device out of reach; nil means until `comeBack` is called.
    func drop(for while: Duration?) {
        let timer = `while`.map { time in
            ScopedCountdown(on: air.timeline, time) { [unowned self] in comeBack() }
        }
        let before = presence
        presence = .away(timer)
        if case .linked(let link) = before { link.breakOff() }
    }

    /// Moves the device within reach, and wakes it.
    public func comeBack() {
        switch presence {
        case .away, .asleep:
            stayAwake()
            appear()
        case .here, .linked: break
        }
    }

    /// Ends the link, and lets the device sleep until it is pressed.
    public func fallAsleep() {
        let before = presence
        presence = .asleep
        if case .linked(let link) = before { link.end(.remoteUserEnded) }
    }

    func stayAwake() {
        guard let after = model.sleepsAfter else { return }
        sleep = ScopedCountdown(on: air.timeline, after) { [unowned self] in
            if !isAway { fallAsleep() }
        }
    }
}

/// The outcomes of a simulated device's presses.
public struct PressCount: Equatable, Sendable {
    public var pressed = 0
    /// Sent over a link.
    public var told = 0
    /// Neither sent nor stored, or dropped from a full queue.
    public var lost = 0
}
