import Support
import Testing
import Timers

@testable import Bluetooth

/// A simulated radio with a central that subscribes to all devices, in virtual time.
final class CentralFixture {
    let time = VirtualClock()
    let simulator: Simulator
    let central: Central
    private(set) var events: [String] = []
    private(set) var notifications: [(device: String, value: [UInt8], ageMs: Int64)] = []
    private(set) var losses = 0
    /// If set, receives each notification, and nothing is added to `notifications` and `events`. For tests with more
    /// notifications than they can store.
    var onNotified: ((_ device: String, _ value: [UInt8], _ ageMs: Int64) -> Void)?
    /// Packets of both directions, as in a capture.
    private(set) var packets: [(packet: HCIPacket, direction: PacketDirection)] = []

    /// Runs a scenario. The central subscribes to all characteristics of all devices.
    init(_ text: String, limits: CentralLimits = CentralLimits(), keepsPackets: Bool = false) {
        let (scenario, errors) = RadioScenarioReader.read(Array(text.utf8))
        #expect(errors == [])
        simulator = Simulator(scenario, on: time)
        central = Central(simulator.controller, on: time, limits: limits)
        let models = simulator.peripherals.map(\.model)
        central.wantedSubscriptions = { device in
            models.first { $0.address == device.address }?.characteristics.map(\.name)
        }
        central.listener = { [unowned self] in handle($0) }
        if keepsPackets {
            central.tap = { [unowned self] packet, way, _ in packets.append((packet, way)) }
        }
        simulator.start()
        central.start()
        runDueTimers()
    }

    /// Runs the timers that are due now.
    func runDueTimers() { time.advance(by: .zero) }

    /// Moves the virtual clock by a duration such as `250ms`, and runs the timers that become due.
    func advanceClock(_ text: String) { time.advance(by: DurationText.read(text)!) }

    func peripheral(_ name: String) -> Peripheral {
        simulator.peripherals.first { $0.model.name == name }!
    }

    func device(_ name: String) -> Device { central.devices.first { $0.name == name }! }

    /// The events since the last call.
    func takeEvents() -> [String] { exchange(&events, with: []) }

    /// Stops the central and checks that it is idle.
    func stop() {
        central.stop()
        #expect(central.phase == .stopped && central.commands.isIdle)
    }

    private func handle(_ event: CentralEvent) {
        switch event {
        case .up: events.append("up")
        case .down(let why): events.append("down: \(why)")
        case .found(let device): events.append("found \(device.name ?? "?")")
        case .ready(let device, let wasReadyBefore):
            events.append("\(wasReadyBefore ? "returned" : "ready") \(device.name ?? "?")")
        case .notified(let device, let notification):
            if let onNotified {
                onNotified(device.name ?? "?", notification.value, notification.age.milliseconds)
                return
            }
            notifications.append(
                (device.name ?? "?", notification.value, notification.age.milliseconds))
            events.append("\(device.name ?? "?") \(Hexadecimal.write(notification.value))")
        case .lost(let device, let reason):
            losses += 1
            events.append("lost \(device.name ?? "?"): \(reason)")
        }
    }
}
