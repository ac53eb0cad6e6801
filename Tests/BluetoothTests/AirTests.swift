import Testing
import Timers

@testable import Bluetooth

/// What the air does to what simulated devices say, as a central hears it.
@Suite struct AirTests {
    @Test func `a latency delays a press by just as much, and keeps the order`() {
        let room = CentralFixture("air latency=10ms..10ms\ndevice Red buzzer")
        room.pass("2s")
        _ = room.takeHeard()
        for button in [2, 0, 3] { room.peripheral("Red").press(button: button) }
        room.pass("5ms")
        room.peripheral("Red").press(button: 1)
        room.pass("4ms")
        #expect(room.takeHeard() == [])
        room.pass("1ms")
        #expect(room.takeHeard() == ["Red 04", "Red 01", "Red 08"])
        room.pass("4ms")
        #expect(room.takeHeard() == [])
        room.pass("1ms")
        #expect(room.takeHeard() == ["Red 02"])
    }

    @Test func `nothing overtakes another on its way, and none is later than it may be`() {
        let room = CentralFixture("air latency=0ms..30ms\ndevice Red buzzer")
        room.pass("2s")
        _ = room.takeHeard()
        for number in 0..<400 {
            room.peripheral("Red").press(button: number % 4)
            room.pass("1ms")
        }
        let early = room.takeHeard()
        // Each waits for the one before it, so that most are almost as late as may be.
        #expect(early.count >= 370 && early.count < 400)
        room.pass("30ms")
        let buttons = ["Red 01", "Red 02", "Red 04", "Red 08"]
        #expect(early + room.takeHeard() == (0..<400).map { buttons[$0 % 4] })
    }

    @Test func `one whose advertisements are all lost is never found`() {
        let room = CentralFixture("air advertisements-lost=100\ndevice Red buzzer")
        room.pass("1h")
        #expect(room.takeHeard() == ["up"])
        #expect(room.central.devices.isEmpty)
        #expect(!room.peripheral("Red").isLinked)
    }

    @Test func `extended reports say as much as those of old`() {
        func subevents(_ reports: String) -> Set<UInt8> {
            // A name that does not fit into the advertisement itself.
            let name = "A buzzer of a long name"
            let room = CentralFixture(
                "air reports=\(reports)\ndevice \"\(name)\" buzzer rssi=-70", keepsPackets: true)
            room.pass("1s")
            room.peripheral(name).press(button: 3)
            room.settle()
            let heard = ["up", "found ?", "found \(name)", "ready \(name)", "\(name) 08"]
            #expect(room.takeHeard() == heard)
            #expect(room.device(name).rssi == -70)
            #expect(room.central.malformed == 0)
            let events = room.packets.map(\.packet.bytes).filter { $0.starts(with: [4, 0x3E]) }
            return Set(events.map { $0[3] })
        }
        // Connection Complete, and the reports of each kind.
        #expect(subevents("legacy") == [0x01, 0x02])
        #expect(subevents("extended") == [0x01, 0x0D])
    }

    @Test func `a seed brings back each byte, and another one brings others`() {
        func play(_ seed: Int) -> [[UInt8]] {
            let room = CentralFixture(
                """
                seed \(seed)
                air advertisements-lost=20 latency=0ms..30ms link-life=2s away=100ms..2s
                device Red buzzer queue=5
                device Key itag
                every 100ms..2s press Red any
                every 1s..3s press Key
                """, keepsPackets: true)
            room.pass("1m")
            #expect(room.losses > 5)
            return room.packets.map { [$0.direction == .toHost ? 1 : 0] + $0.packet.bytes }
        }
        let first = play(7)
        #expect(first.count > 1000)
        #expect(play(7) == first)
        #expect(play(8) != first)
    }
}
