import Bluetooth
import EventLoop
import GameFlow
import RPC
import Sessions
import Timers

/// What comes over Bluetooth: listens to a controller, and has its devices' presses, losses and returns become
/// events of sessions, as the configuration maps them.
final class BluetoothSource {
    let central: Central
    let place: BluetoothPlace
    /// Nil where the devices are real, or somebody else's.
    let simulator: Simulator?
    let sessions: Sessions
    private let loop: LibeventLoop
    /// Nil on the real clock.
    let radioTime: RadioSimulationDriver?
    private let capture: CaptureFile?
    private(set) var maps: DeviceMaps
    var limits: ServerLimits
    private var accounts: [DeviceAddress: DeviceStatistics] = [:]
    var inbox: [DeviceEvent] = []
    var turn: DeferredTask?
    var tally = LogCounters()
    /// How many presses may wait for the loop's next turn; losses and returns are few, and always fit.
    static let inboxLimit = 4096
    var counts = Counts()

    /// What came of all devices together.
    struct Counts {
        var (taken, refused, losses) = (0, 0, 0)
        /// Bounces, and what was too much for a second or a turn.
        var dropped = 0
        /// Those of them that were too many for a turn.
        var overflowed = 0
    }

    /// Begins to listen. Throws what the scenario and the capture's file throw, in words.
    init(_ options: Options, _ place: BluetoothPlace, _ sessions: Sessions, on loop: LibeventLoop)
        throws
    {
        (self.place, self.sessions, self.loop) = (place, sessions, loop)
        (maps, limits) = (options.maps, options.limits)
        var timeline: any TimerClock = loop
        if case .simulated(let path) = place {
            let scenario = try ScenarioFile.read(path)
            radioTime = sessions.isVirtual ? RadioSimulationDriver(startingAt: sessions.now) : nil
            if let radioTime { timeline = radioTime.time }
            simulator = Simulator(scenario, on: timeline)
        } else {
            (radioTime, simulator) = (nil, nil)
        }
        // Last, for it begins its file anew.
        capture = try options.btsnoop.map { try CaptureFile($0) }
        central = Central(simulator?.controller ?? HCISocket(place, on: loop), on: timeline)
        turn = try DeferredTask(on: loop, .first) { [unowned self] in
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
        guard maps != self.maps else { return }
        self.maps = maps
        for account in accounts.values { account.counted = [:] }
        central.review()
    }

    /// How many devices are there.
    var links: Int { central.devices.count { $0.state == .ready } }

    func account(_ device: Device) -> DeviceStatistics {
        if let known = accounts[device.address] { return known }
        // Those of devices that are forgotten go, once there are many.
        if accounts.count >= 2 * central.limits.devices {
            let known = Set(central.devices.map(\.address))
            accounts = accounts.filter { known.contains($0.key) }
        }
        let new = DeviceStatistics(device)
        accounts[device.address] = new
        return new
    }
}
