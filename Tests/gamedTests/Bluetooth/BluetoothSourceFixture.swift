import Bluetooth
import BluetoothPart
import EventLoop
import GameFlow
import JSONCoding
import Parts
import RPC
import Sessions
import Shards
import ShippedFlows
import Support
import TestSupport
import Timers

@testable import GamedServer

/// An event sender that is full when a test says so.
private final class FillableSender: DeviceEventSender {
    private let sender: any DeviceEventSender
    private let fullness: () -> Bool

    init(_ sender: any DeviceEventSender, isFull: @escaping () -> Bool) {
        (self.sender, fullness) = (sender, isFull)
    }

    var isFull: Bool { fullness() }
    func announce(_ input: @autoclosure () -> UnmatchedInput) { sender.announce(input()) }
    func send(_ event: SentEvent, _ done: @escaping (SentEvent.Outcome) -> Void) {
        sender.send(event, done)
    }
}

/// A Bluetooth source with a simulated radio, a configuration, and sessions that include `main`, in virtual time.
final class BluetoothSourceFixture {
    let folder = Folder()
    private let shards: OwnShards
    let sessions: Sessions
    let loop: LibeventLoop
    private let options: Options
    private(set) var source: BluetoothSource?
    /// Whether the event sender refuses presses because too many changes wait for the disk.
    var isStorageFull = false

    init(
        _ scenario: String, _ configuration: String, flow: String = "game",
        flows: [AnyFlow] = AnyFlow.shipped()
    ) throws {
        let radio = folder.write("radio.scenario", scenario)
        let file = folder.write("gamed.conf", configuration)
        let command = try Options.read(
            ["--config", file, "--bluetooth", "sim:\(radio)"],
            flows: AnyFlow.shipped())
        guard case .run(let options) = command else { fatalError("\(command)") }
        self.options = options
        loop = try LibeventLoop()
        shards = try ShardFixture(options, flows, on: loop).onlyShard(on: VirtualClock())
        sessions = shards.only!.sessions
        _ = try sessions.open(.main, sessions.flow(flow), RequestContext(from: Source(.terminal)))
        try restart()
    }

    /// Creates the source again, as a restart of the daemon does; the sessions stay.
    func restart() throws {
        source?.stop()
        source = nil
        let source = try BluetoothSource(
            options, options.bluetooth.controller!, sessions.clock,
            FillableSender(DeviceEvents(shards, nil, on: loop)) { [unowned self] in isStorageFull },
            AlertBoard { .zero },
            on: loop)
        self.source = source
        sessions.simulator = source.radioDriver
        // Replaces the source's listener. The new listener records the ages of stored presses, and calls the source's listener.
        let sourceListener = source.central.listener
        source.central.listener = { [unowned self] event in
            if case .notified(_, let notification) = event, notification.age > .zero {
                storedPressAges.append(Int(notification.age.milliseconds))
            }
            sourceListener(event)
        }
    }

    /// Advances the virtual clock, and returns the timers of sessions that fired.
    @discardableResult func advance(by duration: String) throws -> [Sessions.FiredTimer] {
        try sessions.advance(.by(DurationText.read(duration)!)).fired
    }

    /// Simulates an action of a device, such as a press.
    func simulate(
        _ action: SimulatedDeviceAction.Action, _ device: String, button: Int = 1
    ) throws {
        try source?.simulate(SimulatedDeviceAction(action, device, button: button))
    }

    /// Sends an event to session main, as an operator.
    func send(_ event: String, _ arguments: [Member] = []) throws {
        _ = try sessions.send(
            event, arguments, to: mainSession, RequestContext(from: Source(.terminal)))
    }

    var mainSession: Session { try! sessions.session(.main) }
    var state: String { mainSession.machine.place.state }

    /// A member of a device's entry in the result of `bluetooth`.
    func member(_ name: String, of device: String) -> Value? {
        guard case .array(let devices)? = source?.status(for: .everything)["devices"] else {
            return nil
        }
        for case .object(let members) in devices where members["name"] == .string(device) {
            return members[name]
        }
        return nil
    }

    /// A member of a device's `lastPress` in the result of `bluetooth`.
    func lastPressMember(_ name: String, of device: String) -> Value? {
        guard case .object(let members)? = member("lastPress", of: device) else { return nil }
        return members[name]
    }

    /// The ages of the presses that the device had stored before it sent them, in milliseconds.
    private(set) var storedPressAges: [Int] = []

    /// The JSON of the records of session main, oldest first.
    var recordTexts: [String] {
        sessions.history(of: mainSession, limit: 1000).records.reversed().map(JSONWriter.text(of:))
    }
}
