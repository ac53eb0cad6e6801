import Bluetooth
import GameFlow
import JSON
import Sessions
import Timers
import Wire

/// What comes over Bluetooth: listens to a controller, and has its devices' presses, losses and returns become
/// events of sessions, as the configuration maps them.
final class BluetoothSource {
    let central: Central
    let place: BluetoothPlace
    /// Nil where the devices are real, or somebody else's.
    let simulator: Simulator?
    let sessions: Sessions
    private let loop: EventLoop
    /// Nil on the real clock.
    private let radioTime: RadioTime?
    private let capture: CaptureFile?
    private(set) var maps: DeviceMaps
    private var limits: ServerLimits
    private var accounts: [DeviceAddress: DeviceAccount] = [:]
    private var inbox: [Arrival] = []
    private var turn: LoopTask?
    private var tally = LogTally()
    /// How many presses may wait for the loop's next turn; losses and returns are few, and always fit.
    static let inboxLimit = 4096
    private(set) var counts = Counts()

    /// What came of all devices together.
    struct Counts {
        var (taken, refused, losses) = (0, 0, 0)
        /// Bounces, and what was too much for a second or a turn.
        var dropped = 0
        /// Those of them that were too many for a turn.
        var overflowed = 0
    }

    /// An event on its way to a session.
    struct Arrival {
        let device: Device
        let event: String
        let session: SessionName
        let arguments: [Member]
        /// On the central's clock: when it came, and how old it was then.
        let at: Instant
        let age: Interval
        /// Whether nobody asked for it by name: a flow that does not know it is not bothered.
        let isCustomary: Bool
    }

    /// Begins to listen. Throws what the scenario and the capture's file throw, in words.
    init(_ options: Options, _ place: BluetoothPlace, _ sessions: Sessions, on loop: EventLoop)
        throws
    {
        (self.place, self.sessions, self.loop) = (place, sessions, loop)
        (maps, limits) = (options.maps, options.limits)
        sessions.bluetoothAgeMs = Int(limits.bluetoothAge.milliseconds)
        var timeline: any Timeline = loop
        if case .simulated(let path) = place {
            let scenario = try ScenarioFile.read(path)
            radioTime = sessions.isVirtual ? RadioTime(startingAt: sessions.now) : nil
            if let radioTime { timeline = radioTime.time }
            simulator = Simulator(scenario, on: timeline)
        } else {
            (radioTime, simulator) = (nil, nil)
        }
        // Last, for it begins its file anew.
        capture = try options.btsnoop.map { try CaptureFile($0) }
        central = Central(simulator?.controller ?? HCISocket(place, on: loop), on: timeline)
        turn = try LoopTask(on: loop, .first) { [unowned self] in
            loop.settle()
            handOver()
        }
        central.wish = { [unowned self] in maps.wish(for: $0) }
        central.listener = { [unowned self] in take($0) }
        if let capture { central.tap = { capture.append($0, $1, $2) } }
        radioTime?.hasSomething = { [unowned self] in !inbox.isEmpty }
        radioTime?.hand = { [unowned self] in handOver() }
        sessions.companion = radioTime
        simulator?.start()
        central.start()
        radioTime?.settle()
    }

    func stop() {
        central.stop()
        capture?.flush()
    }

    /// Before the loop sleeps.
    func flush() { capture?.flush() }

    /// Other lines and limits hold from now on.
    func take(_ maps: DeviceMaps, _ limits: ServerLimits) {
        self.limits = limits
        sessions.bluetoothAgeMs = Int(limits.bluetoothAge.milliseconds)
        guard maps != self.maps else { return }
        self.maps = maps
        for account in accounts.values { account.counted = [:] }
        central.review()
    }

    /// How many devices are there.
    var links: Int { central.devices.count { $0.state == .ready } }

    func account(_ device: Device) -> DeviceAccount {
        if let known = accounts[device.address] { return known }
        // Those of devices that are forgotten go, once there are many.
        if accounts.count >= 2 * central.limits.devices {
            let known = Set(central.devices.map(\.address))
            accounts = accounts.filter { known.contains($0.key) }
        }
        let new = DeviceAccount(device)
        accounts[device.address] = new
        return new
    }

    // MARK: what the central tells

    private func take(_ event: CentralEvent) {
        switch event {
        case .up: tally.up(place.text)
        case .down(let why): tally.down(place.text, why)
        case .found: break
        case .ready(let device, let isReturn):
            account(device).links += 1
            tally.ready(device)
            if isReturn || isPaused(by: device) { tellLink(device, isLost: false) }
        case .lost(let device, let reason):
            counts.losses += 1
            tally.lost(device, reason)
            tellLink(device, isLost: true)
        case .notified(let device, let notification): take(notification, device)
        }
    }

    private func take(_ notification: Notification, _ device: Device) {
        let account = account(device)
        let now = central.timeline.now
        account.lastValue = DeviceAccount.LastValue(
            of: notification.of, value: notification.value, atMs: Int(now.milliseconds))
        for place in maps.presses(device, notification) {
            let map = maps.maps[place]
            guard case .press(_, _, let event) = map.meaning else { continue }
            // What was kept while a device was away comes all at once, and bounced long ago.
            let isLive = notification.age == .zero
            if isLive, let last = account.counted[place], now - last < map.debounce {
                account.bounced += 1
                counts.dropped += 1
                continue
            }
            guard account.mayTell(at: now, limit: limits.presses) else {
                account.limited += 1
                counts.dropped += 1
                tally.limited(device, account.limited, limit: limits.presses)
                continue
            }
            if isLive { account.counted[place] = now }
            guard inbox.count < Self.inboxLimit else {
                counts.dropped += 1
                counts.overflowed += 1
                tally.dropped(counts.overflowed, limit: Self.inboxLimit)
                continue
            }
            post(
                Arrival(
                    device: device, event: event, session: map.session, arguments: map.arguments,
                    at: now, age: notification.age, isCustomary: false))
        }
    }

    private func tellLink(_ device: Device, isLost: Bool) {
        for link in maps.linkEvents(device, isLost: isLost) {
            post(
                Arrival(
                    device: device, event: link.event, session: link.session,
                    arguments: link.arguments, at: central.timeline.now, age: .zero,
                    isCustomary: link.isCustomary))
        }
    }

    /// Whether a session still stands where a device's loss has put it: what had been lost before the daemon was
    /// started anew is back with the first link.
    private func isPaused(by device: Device) -> Bool {
        maps.linkEvents(device, isLost: true).contains { link in
            guard let session = try? sessions.session(link.session), let last = session.last else {
                return false
            }
            return last.step.event?.name == link.event
                && last.step.source.json == account(device).source.json
        }
    }

    private func post(_ arrival: Arrival) {
        inbox.append(arrival)
        // On the virtual clock it is handed over at its own instant.
        if radioTime == nil { turn?.call() }
    }

    // MARK: what the sessions are told

    /// In the order in which it was received. On the virtual clock, what is ahead of the sessions waits for them.
    private func handOver() {
        let waiting = exchange(&inbox, with: [])
        let due = radioTime == nil ? waiting.count : waiting.prefix { $0.at <= sessions.now }.count
        inbox = Array(waiting[due...])
        for arrival in waiting[..<due] { send(arrival) }
    }

    private func send(_ arrival: Arrival) {
        let account = account(arrival.device)
        let age = arrival.age + max(.zero, central.timeline.now - arrival.at)
        let outcome: String
        do throws(RequestError) {
            let session = try sessions.session(arrival.session)
            if arrival.isCustomary,
                !session.flow.events.contains(where: { $0.name == arrival.event })
            {
                return
            }
            let change = try sessions.send(
                arrival.event, arrival.arguments, to: session, ageMs: Int(age.milliseconds),
                from: account.source)
            account.taken += 1
            counts.taken += 1
            outcome = change.kind.rawValue
        } catch {
            account.refused += 1
            counts.refused += 1
            outcome = error.name.description
            tally.refused(arrival, error)
        }
        account.lastPress = DeviceAccount.LastPress(
            event: arrival.event, session: arrival.session,
            atMs: Int(sessions.now.milliseconds), ageMs: Int(age.milliseconds), outcome: outcome)
    }

    /// What somebody did with a simulated device shows at once.
    func settle() {
        guard let radioTime else { return }
        radioTime.settle()
        handOver()
    }
}
