import Bluetooth
import Fuzzing
import Timers

/// Files that may hold anything.
enum FileTrial {
    /// What is read of a capture is written as it was, and read again.
    static func readCapture(_ bytes: [UInt8]) {
        guard var reader = try? BtsnoopReader(bytes) else { return }
        var records: [BtsnoopReader.Record] = []
        var tally = PacketCounters()
        while let record = reader.next() {
            records.append(record)
            tally.take(record.packet, record.direction)
        }
        check(tally.packets == records.count, "not all is counted")
        let written = records.reduce(into: BtsnoopFormat.header) {
            $0 += BtsnoopFormat.record($1.packet, $1.direction, $1.at)
        }
        guard var again = try? BtsnoopReader(written) else {
            return check(false, "what was written is no capture")
        }
        let read = Array(IteratorSequence(again))
        _ = again.next()
        check(read == records, "what was written is read otherwise")
    }

    /// What is no mistake can be played.
    static func readScenario(_ bytes: [UInt8]) {
        let (scenario, errors) = RadioScenarioReader.read(bytes)
        for error in errors {
            check(!error.why.isEmpty && error.line >= 0, "a mistake without a place")
        }
        guard errors.isEmpty, scenario.steps.count <= 20, scenario.devices.count <= 8,
            scenario.devices.allSatisfy({ ($0.flaps?.up ?? .seconds(1)) >= .milliseconds(100) })
        else { return }
        let time = VirtualClock()
        let simulator = Simulator(scenario, on: time)
        let central = Central(simulator.controller, on: time)
        let models = scenario.devices
        central.wantedSubscriptions = { device in
            models.first { $0.address == device.address }?.characteristics.map(\.name)
        }
        simulator.start()
        central.start()
        time.advance(by: .seconds(5), limit: 20_000)
        check(central.malformed == 0, "our own controller is not understood")
        for peripheral in simulator.peripherals {
            let presses = peripheral.presses
            check(
                presses.sent + presses.lost + peripheral.storedCount == presses.pressed,
                "\(presses), and \(peripheral.storedCount) kept")
        }
        central.stop()
    }
}
