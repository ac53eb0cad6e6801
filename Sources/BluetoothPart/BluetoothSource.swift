package import Bluetooth
package import EventLoop
import GameFlow
package import Parts
import RPC
import Sessions
package import Timers

/// The Bluetooth input. Connects to a controller, and converts presses, losses and returns of the controller's devices to
/// events of sessions. The `map` lines of the configuration determine the events.
package final class BluetoothSource {
    /// Finds the devices, keeps links to them, and reports their values.
    package let central: Central
    /// Where the controller is.
    package let location: ControllerLocation
    private let radio: Radio
    /// The clock of the sessions.
    let sessionsClock: any TimerClock
    /// Sends events to sessions on this node and on other nodes.
    package let sender: any DeviceEventSender
    /// What does not work, for operators.
    package let alerts: AlertBoard
    let loop: LibeventLoop
    /// The file of `--btsnoop`; nil without the option, and after an error has ended the capture.
    private var capture: CaptureFile?
    /// The `map` lines about Bluetooth.
    package private(set) var maps: DeviceMaps
    /// When a value has matched each of these lines.
    var matches = MatchTimes()
    var quietAlerts = QuietAlerts()
    package var limits: ServerLimits
    private var statisticsByAddress: [DeviceAddress: DeviceStatistics] = [:]
    /// The events that wait to be sent to their sessions.
    var inbox: [DeviceEvent] = []
    /// Delivers the events of `inbox` in the next turn of the loop, if `radioDriver` is nil.
    private(set) lazy var deliveryTask = DeferredTask(on: loop) { [unowned self] in
        // A timer that is due already fires before the events, even if the loop was late.
        loop.fireDueTimers()
        deliver()
    }
    package var log = BluetoothLog()
    /// Presses are dropped while `inbox` has at least this many events. Losses and returns are rare, so they are always added.
    package static let inboxLimit = 4096
    package var counts = Counts()

    /// Where the devices are.
    private enum Radio {
        /// At a controller.
        case real
        /// In this process, on the real clock.
        case simulated(Simulator)
        /// In this process. The driver advances their time on the virtual clock of the sessions.
        case driven(Simulator, RadioSimulationDriver)

        var simulator: Simulator? {
            switch self {
            case .real: nil
            case .simulated(let simulator), .driven(let simulator, _): simulator
            }
        }
    }

    /// The devices, if they are simulated in this process.
    package var simulator: Simulator? { radio.simulator }

    /// What advances the time of the simulated devices, if the clock of the sessions is virtual.
    package var radioDriver: RadioSimulationDriver? {
        if case .driven(_, let driver) = radio { driver } else { nil }
    }

    /// Counts over all devices.
    package struct Counts {
        /// Events that sessions accepted, and events that sessions refused.
        package var (accepted, refused) = (0, 0)
        /// Values that no `map` line matched.
        package var unmatched = 0
        /// Lost links.
        package var losses = 0
        /// Presses that were not sent because of the debounce time or the limit per second, and those in `overflowed`.
        package var dropped = 0
        /// Presses that were not sent because the inbox was full or too many events waited for their sessions.
        package var overflowed = 0
    }

    /// Connects to the controller. If the time of the sessions is virtual, they advance the time of a simulated radio.
    /// `sender` sends the events to their sessions. Throws a message for the operator if the scenario or the capture file
    /// cannot be used.
    package init(
        _ options: Options, _ location: ControllerLocation, _ sessionsClock: any TimerClock,
        _ sender: any DeviceEventSender, _ alerts: AlertBoard, on loop: LibeventLoop
    ) throws {
        (self.location, self.sessionsClock, self.sender) = (location, sessionsClock, sender)
        self.alerts = alerts
        self.loop = loop
        (maps, limits) = (options.bluetooth.maps, options.limits)
        matches.replace([], by: maps.maps, at: loop.timerQueue.now)
        var clock: any TimerClock = loop
        if case .simulated(let path) = location {
            let scenario = try RadioScenarioFile.read(path)
            if sessionsClock.isReal {
                radio = .simulated(Simulator(scenario, on: clock))
            } else {
                let driver = RadioSimulationDriver(startingAt: sessionsClock.now)
                clock = driver.clock
                radio = .driven(Simulator(scenario, on: clock), driver)
            }
        } else {
            radio = .real
        }
        // The capture file is truncated only if the scenario could be read.
        do throws(CaptureFileError) {
            capture = try options.bluetooth.btsnoop.map { path throws(CaptureFileError) in
                try CaptureFile(path)
            }
        } catch { throw StartupError(why: "--btsnoop: \(error.why)") }
        central = Central(radio.simulator?.controller ?? HCISocket(location, on: loop), on: clock)
        central.wantedSubscriptions = { [unowned self] in maps.subscriptions(for: $0) }
        central.listener = { [unowned self] in handle($0) }
        if capture != nil {
            central.tap = { [unowned self] packet, direction, instant in
                useCapture { capture throws(CaptureFileError) in
                    try capture.append(packet, direction, instant)
                }
            }
        }
        radioDriver?.hasEvents = { [unowned self] in !inbox.isEmpty }
        radioDriver?.deliverEvents = { [unowned self] in deliver() }
        simulator?.start()
        central.start()
        radioDriver?.runDueTimers()
    }

    /// Disconnects from the controller, at the end of the daemon.
    package func stop() {
        central.stop()
        flush()
    }

    /// Writes the buffered packets to the capture file. Called before the loop sleeps.
    package func flush() {
        useCapture { capture throws(CaptureFileError) in try capture.flush() }
    }

    /// Writes to the capture file, if there is one. An error ends the capture; the daemon continues.
    private func useCapture(_ use: (CaptureFile) throws(CaptureFileError) -> Void) {
        guard let capture else { return }
        do throws(CaptureFileError) { try use(capture) } catch {
            Log.write(.error, .connection, "bluetooth: capture \(error.why); the capture ends")
            self.capture = nil
        }
    }

    /// Replaces the maps and limits, after the configuration was read again.
    package func replace(_ maps: DeviceMaps, _ limits: ServerLimits) {
        self.limits = limits
        guard maps != self.maps else { return }
        matches.replace(self.maps.maps, by: maps.maps, at: loop.timerQueue.now)
        self.maps = maps
        // These times are stored by the index of a `map` line, and the lines have changed.
        for statistics in statisticsByAddress.values { statistics.lastPressTimes = [:] }
        central.applyWantedSubscriptions()
    }

    /// The statistics of a device; creates them when they are first needed.
    package func statistics(_ device: Device) -> DeviceStatistics {
        if let existing = statisticsByAddress[device.address] { return existing }
        // If there are many statistics, removes the statistics of devices that the central has forgotten.
        if statisticsByAddress.count >= 2 * central.limits.devices {
            let knownAddresses = Set(central.devices.map(\.address))
            statisticsByAddress = statisticsByAddress.filter { knownAddresses.contains($0.key) }
        }
        let newStatistics = DeviceStatistics(device)
        statisticsByAddress[device.address] = newStatistics
        return newStatistics
    }
}
