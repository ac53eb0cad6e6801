import TestSupport
import Testing
import Timers

@testable import Bluetooth

/// A million presses in virtual time, or 100 000 in `make test`, while links are lost repeatedly.
@Suite struct MillionPressesTests {
    /// How often one device was pressed, and the numbers of the presses that the central reported. Each press sends its number,
    /// counted from 1.
    private struct Counts {
        var pressed: UInt32 = 0
        var reported: [UInt32] = []
    }

    private static let devices = 4
    /// How often each device is pressed.
    private static let presses = UInt32(TestLength.count(25_000, long: 250_000))

    /// Links last two seconds on average, a tenth of the advertisements is lost, and packets are late.
    /// Two of the devices store presses while they are disconnected.
    private static let scenario = """
        air advertisements-lost=10 link-life=2s away=100ms..2s latency=0ms..30ms connecting=0ms..50ms
        device One buzzer
        device Two buzzer queue=20
        device Three itag queue=1000
        device Four itag-unasked
        """

    @Test(arguments: seeds(1))
    func `no press is lost except those that the simulation loses, and none is duplicated`(
        _ seed: UInt64
    ) throws {
        let fixture = CentralFixture("seed \(seed)\n" + Self.scenario)
        var counts = Array(repeating: Counts(), count: Self.devices)
        let names = fixture.simulator.peripherals.map(\.model.name)
        fixture.onNotified = { device, value, _ in
            guard let index = names.firstIndex(of: device), value.count == 4 else { return }
            counts[index].reported.append(value.reduce(0) { $0 << 8 | UInt32($1) })
        }
        // Until the first discovery, the central does not know the handles of the device. If the link ended before that, the
        // central would drop the presses that it had received.
        while fixture.central.devices.count(where: { $0.state == .ready }) < Self.devices {
            fixture.time.advance(by: .milliseconds(100))
        }
        var random = SeededRandom(seed)
        while counts[0].pressed < Self.presses {
            // Bursts with pauses between them.
            fixture.time.advance(by: .milliseconds(Int64(random.below(200))))
            for index in counts.indices {
                for _ in 0..<(1 + random.below(20)) where counts[index].pressed < Self.presses {
                    counts[index].pressed += 1
                    let peripheral = fixture.simulator.peripherals[index]
                    peripheral.press(
                        peripheral.model.characteristics[0].name,
                        Self.bytes(counts[index].pressed))
                }
            }
        }
        fixture.time.advance(by: .seconds(30))
        for (index, deviceCounts) in counts.enumerated() {
            let peripheral = fixture.simulator.peripherals[index]
            let simulated = peripheral.presses
            #expect(simulated.pressed == Int(deviceCounts.pressed))
            // Each press was sent, lost or is stored; and each that was sent was reported once.
            #expect(
                simulated.sent + simulated.lost + peripheral.storedCount == simulated.pressed,
                "\(index)")
            #expect(deviceCounts.reported.count == simulated.sent, "\(index)")
            #expect(
                zip(deviceCounts.reported, deviceCounts.reported.dropFirst()).allSatisfy(<),
                "\(index)")
            // Enough presses were lost and sent to make the run a test.
            #expect(
                simulated.lost > Self.presses / 250 && simulated.sent > Self.presses / 5,
                "\(index): \(simulated)")
        }
        // Enough links were lost, too.
        #expect(fixture.losses > Self.presses / 250)
        #expect(fixture.central.malformedCount == 0)
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
