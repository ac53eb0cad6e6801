import Support
import Testing
import Timers

@testable import Bluetooth

/// A simulated radio, a central that listens to it, and all that it heard, in virtual time.
final class CentralFixture {
    let time = VirtualClock()
    let simulator: Simulator
    let central: Central
    private(set) var heard: [String] = []
    private(set) var notifications: [(device: String, value: [UInt8], ageMs: Int64)] = []
    private(set) var losses = 0
    /// Where there are too many notifications to keep, who takes them.
    var onNotified: ((_ device: String, _ value: [UInt8], _ ageMs: Int64) -> Void)?
    /// Packets both ways, as they would be captured.
    private(set) var packets: [(packet: HCIPacket, direction: PacketDirection)] = []

    /// Plays what a text says. All devices are wanted, with their own characteristics.
    init(_ text: String, limits: CentralLimits = CentralLimits(), keepsPackets: Bool = false) {
        let (scenario, mistakes) = RadioScenarioReader.read(Array(text.utf8))
        #expect(mistakes == [])
        simulator = Simulator(scenario, on: time)
        central = Central(simulator.controller, on: time, limits: limits)
        let models = simulator.peripherals.map(\.model)
        central.wish = { device in
            models.first { $0.address == device.address }?.characteristics.map(\.name)
        }
        central.listener = { [unowned self] in take($0) }
        if keepsPackets {
            central.tap = { [unowned self] packet, way, _ in packets.append((packet, way)) }
        }
        simulator.start()
        central.start()
        settle()
    }

    /// What is due now happens.
    func settle() { time.advance(by: .zero) }

    func pass(_ text: String) { time.advance(by: DurationText.read(text)!) }

    func peripheral(_ name: String) -> Peripheral {
        simulator.peripherals.first { $0.model.name == name }!
    }

    func device(_ name: String) -> Device { central.devices.first { $0.name == name }! }

    /// What was heard since the last time.
    func takeHeard() -> [String] { exchange(&heard, with: []) }

    /// Ends it, and proves that nothing of the central is left.
    func stop() {
        central.stop()
        #expect(central.phase == .stopped && central.commands.isIdle)
    }

    private func take(_ event: CentralEvent) {
        switch event {
        case .up: heard.append("up")
        case .down(let why): heard.append("down: \(why)")
        case .found(let device): heard.append("found \(device.name ?? "?")")
        case .ready(let device, let isReturn):
            heard.append("\(isReturn ? "returned" : "ready") \(device.name ?? "?")")
        case .notified(let device, let notification):
            if let onNotified {
                onNotified(device.name ?? "?", notification.value, notification.age.milliseconds)
                return
            }
            notifications.append(
                (device.name ?? "?", notification.value, notification.age.milliseconds))
            heard.append("\(device.name ?? "?") \(Hexadecimal.write(notification.value))")
        case .lost(let device, let reason):
            losses += 1
            heard.append("lost \(device.name ?? "?"): \(reason)")
        }
    }
}
