import Timers

/// A simulated device: it advertises, is connected to, answers about its attributes, and tells of its presses.
public final class Peripheral {
    public let model: DeviceModel
    /// What it says of itself, and what more when it is asked.
    let advertising: (advertisement: [UInt8], scanResponse: [UInt8])
    /// What became of its presses.
    public internal(set) var presses = PressCount()
    enum Presence {
        /// It advertises when somebody listens.
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

    /// Begins to advertise, as far as somebody listens.
    func appear() {
        presence = .here(nil)
        nextAdvertisement = air.timeline.now + rhythm
        advertise()
    }

    /// Goes on advertising, if it is here and somebody listens; in its own rhythm, whoever stops to listen and
    /// begins again.
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
                // Unless it was connected to.
                advertise()
            })
    }

    private var rhythm: Duration {
        model.interval + air.draw(.zero...air.conditions.advertisingJitter)
    }

    // MARK: links

    /// Whether somebody could connect to it.
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
        // Who waits for no leave.
        tellKept()
    }

    /// So many presses were on their way when the link broke.
    func lostOnTheWay(_ count: Int) {
        presses.told -= count
        presses.lost += count
    }

    /// The other end is gone.
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

    // MARK: telling

    /// Tells a value; false if nobody is there who wants to know.
    func tell(_ characteristic: Subscription, _ value: [UInt8]) -> Bool {
        guard case .linked(let link) = presence, let place = attributes.places[characteristic],
            attributes.isDelivering(place)
        else { return false }
        attributes.server.set(value, at: place.value)
        let opcode: ATTOpcode = place.telling == .indicates ? .indication : .notification
        link.sendToController(ATTPacket(opcode, [place.value], value).frame)
        presses.told += 1
        return true
    }

    /// Tells what was pressed while nobody listened.
    private func tellKept() {
        while let (characteristic, value) = kept.first, tell(characteristic, value) {
            kept.removeFirst()
        }
    }

    /// How many presses wait to be told.
    public var keptCount: Int { kept.count }
}
