import Bluetooth
import Fuzzing
import Timers

/// The simulated controller with two devices. It gets random bytes as if a host had sent them.
final class FuzzedController: HCIHost {
    private let time = VirtualClock()
    private let simulator: Simulator
    private var framer = H4Framer()

    /// A buzzer, and a key finder (`itag`) that notifies although the host has not subscribed.
    private static let scenario = """
        device Red buzzer queue=4
        device Key itag-unasked address=C0:00:00:00:00:02
        every 100ms press Red any
        """

    init() {
        let (scenario, errors) = RadioScenarioReader.read(Array(Self.scenario.utf8))
        check(errors.isEmpty, "\(errors)")
        simulator = Simulator(scenario, on: time)
        simulator.controller.host = self
        simulator.start()
        simulator.controller.open()
    }

    func play(_ pieces: [Piece]) {
        for piece in pieces.prefix(100) {
            simulator.controller.send(Array(piece.bytes))
            time.advance(by: min(piece.pause, .seconds(1)))
        }
        simulator.controller.close()
        check(simulator.peripherals.allSatisfy { !$0.isLinked }, "a link is left")
    }

    func opened() {}
    func closed(_ why: String) {}

    /// A controller must send whole H4 packets after any input.
    func received(_ bytes: ArraySlice<UInt8>) {
        framer.append(bytes)
        while let packet = framer.next() {
            check(packet.kind == .event || packet.kind == .acl, "a controller sends \(packet.kind)")
        }
        check(framer.framingErrors == 0 && framer.bufferedCount == 0, "not a packet: \(bytes)")
    }
}
