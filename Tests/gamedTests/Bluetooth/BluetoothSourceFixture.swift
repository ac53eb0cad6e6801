import Bluetooth
import EventLoop
import GameFlow
import JSONCoding
import RPC
import Sessions
import ShippedFlows
import Support
import TestSupport
import Timers

@testable import GamedServer

/// A Bluetooth source with a simulated radio, a configuration and sessions, in virtual time.
final class BluetoothSourceFixture {
    let folder = Folder()
    let sessions: Sessions
    let loop: LibeventLoop
    private let options: Options
    private(set) var source: BluetoothSource?
    /// Whether too many changes wait for the disk.
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
        guard case .run(let options) = command else { fatalError("it does not run") }
        self.options = options
        loop = try LibeventLoop()
        sessions = Sessions(flows, on: VirtualClock())
        _ = try sessions.open(.main, sessions.flow(flow), RequestContext(from: Source(.terminal)))
        try restart()
    }

    /// Creates the source again, as at a start of the daemon.
    func restart() throws {
        source?.stop()
        source = nil
        let source = try BluetoothSource(
            options, options.bluetooth!, sessions,
            LocalEventSender(sessions) { [unowned self] in isStorageFull }, on: loop)
        self.source = source
        // Records the ages before the source processes the event.
        let listener = source.central.listener
        source.central.listener = { [unowned self] event in
            if case .notified(_, let notification) = event, notification.age > .zero {
                pressAges.append(Int(notification.age.milliseconds))
            }
            listener(event)
        }
    }

    @discardableResult func pass(_ text: String) throws -> [Sessions.FiredTimer] {
        try sessions.advance(.by(DurationText.read(text)!)).fired
    }

    func act(_ action: SimulatedDeviceAction.Action, _ device: String, button: Int = 1) throws {
        try source?.simulate(SimulatedDeviceAction(action, device, button: button))
    }

    func send(_ event: String, _ arguments: [Member] = []) throws {
        _ = try sessions.send(event, arguments, to: main, RequestContext(from: Source(.terminal)))
    }

    var main: Session { try! sessions.session(.main) }
    var state: String { main.machine.place.state }

    /// A member of a device's entry in the result of `bluetooth`.
    func member(_ device: String, _ name: String) -> Value? {
        guard case .array(let devices)? = source?.status(for: .everything)["devices"] else {
            return nil
        }
        for case .object(let members) in devices where members["name"] == .string(device) {
            return members[name]
        }
        return nil
    }

    func lastPress(_ device: String, _ name: String) -> Value? {
        guard case .object(let members)? = member(device, "lastPress") else { return nil }
        return members[name]
    }

    /// The ages of the presses that had one, in milliseconds.
    private(set) var pressAges: [Int] = []

    /// The session's records as `history` returns them, oldest first.
    var records: [String] {
        sessions.history(of: main, limit: 1000).records.reversed().map(JSONWriter.text(of:))
    }
}
