import Bluetooth
import Fuzzing
import Timers

/// Reads files with random content.
enum FuzzedFile {
    /// Reads a capture. Its records must be the same after they are written and read again.
    static func readCapture(_ bytes: [UInt8]) {
        guard var reader = try? BtsnoopReader(bytes) else { return }
        var records: [BtsnoopReader.Record] = []
        var counters = PacketCounters()
        while let record = reader.next() {
            records.append(record)
            counters.count(record.packet, record.direction)
        }
        check(counters.packets == records.count, "the packet count is wrong")
        let written = records.reduce(into: BtsnoopFormat.header) {
            $0 += BtsnoopFormat.record($1.packet, $1.direction, $1.at)
        }
        guard let secondReader = try? BtsnoopReader(written) else {
            return check(false, "a written capture cannot be read")
        }
        check(Array(secondReader) == records, "a written capture differs")
    }

    /// Reads a scenario, and runs it for five seconds if it has no errors and is not too large to run quickly.
    static func readScenario(_ bytes: [UInt8]) {
        let (scenario, errors) = RadioScenarioReader.read(bytes)
        for error in errors {
            check(!error.why.isEmpty && error.line >= 0, "an error without a reason or a line")
        }
        // A device that flaps loses its link after the time `up`, again and again. A time below 100 ms makes the run slow.
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
        // `limit` is the maximum number of timers that fire. With it the run ends even if a timer of zero duration starts
        // itself again.
        time.advance(by: .seconds(5), limit: 20_000)
        check(
            central.malformedCount == 0, "the central refuses packets of the simulated controller")
        for peripheral in simulator.peripherals {
            let presses = peripheral.presses
            check(
                presses.sent + presses.lost + peripheral.storedCount == presses.pressed,
                "\(presses), and \(peripheral.storedCount) stored")
        }
        central.stop()
    }
}
