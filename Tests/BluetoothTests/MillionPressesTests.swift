import TestSupport
import Testing
import Timers

@testable import Bluetooth

/// A million presses in virtual time, while links are lost all the time.
@Suite struct MillionPressesTests {
    /// What came of one device's presses, each of which has a number.
    private struct Ledger {
        var pressed: UInt32 = 0
        var heard: [UInt32] = []
    }

    private static let devices = 4
    private static let presses: UInt32 = 250_000

    /// Links last two seconds on average, a tenth of the advertisements is lost, packets are late; two of the
    /// devices keep what is pressed meanwhile.
    private static let scenario = """
        air advertisements-lost=10 link-life=2s away=100ms..2s latency=0ms..30ms connecting=0ms..50ms
        device One buzzer
        device Two buzzer queue=20
        device Three itag queue=1000
        device Four itag-unasked
        """

    @Test(arguments: seeds(1))
    func `none is lost beyond what the model loses, and none is doubled`(_ seed: UInt64) throws {
        let room = CentralFixture("seed \(seed)\n" + Self.scenario)
        var ledgers = Array(repeating: Ledger(), count: Self.devices)
        let names = room.simulator.peripherals.map(\.model.name)
        room.onNotified = { device, value, _ in
            guard let place = names.firstIndex(of: device), value.count == 4 else { return }
            ledgers[place].heard.append(value.reduce(0) { $0 << 8 | UInt32($1) })
        }
        // What comes before it is known what it could be is of nothing.
        while room.central.devices.count(where: { $0.state == .ready }) < Self.devices {
            room.time.advance(by: .milliseconds(100))
        }
        var random = SeededRandom(seed)
        while ledgers[0].pressed < Self.presses {
            // Bursts, and pauses.
            room.time.advance(by: .milliseconds(Int64(random.below(200))))
            for place in ledgers.indices {
                for _ in 0..<(1 + random.below(20)) where ledgers[place].pressed < Self.presses {
                    ledgers[place].pressed += 1
                    let peripheral = room.simulator.peripherals[place]
                    peripheral.press(
                        peripheral.model.characteristics[0].name,
                        Self.bytes(ledgers[place].pressed))
                }
            }
        }
        room.time.advance(by: .seconds(30))
        for (place, ledger) in ledgers.enumerated() {
            let peripheral = room.simulator.peripherals[place]
            let count = peripheral.presses
            #expect(count.pressed == Int(ledger.pressed))
            // Each was told, lost or is still kept; and what was told over a link that held was heard, once.
            #expect(count.told + count.lost + peripheral.keptCount == count.pressed, "\(place)")
            #expect(ledger.heard.count == count.told, "\(place)")
            #expect(zip(ledger.heard, ledger.heard.dropFirst()).allSatisfy(<), "\(place)")
            // It was no quiet night.
            #expect(count.lost > 1000 && count.told > 50_000, "\(place): \(count)")
        }
        #expect(room.losses > 1000)
        #expect(room.central.malformed == 0)
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
