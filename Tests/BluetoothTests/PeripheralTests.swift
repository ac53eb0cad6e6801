import Testing
import Timers

@testable import Bluetooth

/// The behaviour of simulated devices, as a central reports it.
@Suite struct PeripheralTests {
    /// Runs the clock until `end`, and returns the central's events, each with its time rounded up to `step`. All times are in
    /// milliseconds.
    private func log(_ fixture: CentralFixture, until end: Int64, step: Int64) -> [String] {
        var log = fixture.takeEvents().map { "\(fixture.time.now.milliseconds) \($0)" }
        while fixture.time.now.milliseconds < end {
            fixture.time.advance(by: .milliseconds(step))
            log += fixture.takeEvents().map { "\(fixture.time.now.milliseconds) \($0)" }
        }
        return log
    }

    @Test
    func
        `a sleeping device falls asleep twenty minutes after the last press, and a press wakes it`()
    {
        let fixture = CentralFixture("device Key itag sleeps=20m")
        fixture.advanceClock("10m")
        fixture.peripheral("Key").press(button: 0)
        fixture.advanceClock("19m59s999ms")
        #expect(fixture.takeEvents() == ["up", "found Key", "ready Key", "Key 01"])
        #expect(!fixture.peripheral("Key").isAsleep)
        fixture.advanceClock("1ms")
        #expect(fixture.takeEvents() == ["lost Key: ended by the device"])
        #expect(fixture.peripheral("Key").isAsleep)
        fixture.advanceClock("2h")
        #expect(fixture.takeEvents() == [])
        #expect(fixture.device("Key").state == .away)
        fixture.peripheral("Key").press(button: 0)
        fixture.advanceClock("1s")
        // There was no link, so the press was lost.
        #expect(fixture.takeEvents() == ["returned Key"])
        #expect(fixture.peripheral("Key").presses == PressCount(pressed: 2, sent: 1, lost: 1))
        fixture.advanceClock("19m58s999ms")
        #expect(fixture.takeEvents() == [])
        fixture.advanceClock("1ms")
        #expect(fixture.takeEvents() == ["lost Key: ended by the device"])
    }

    @Test func `a device out of reach does not fall asleep, and a press does not bring it back`() {
        let fixture = CentralFixture("device Key itag")
        fixture.advanceClock("1s")
        fixture.peripheral("Key").leaveRange()
        fixture.advanceClock("1m")
        _ = fixture.takeEvents()
        fixture.peripheral("Key").fallAsleep()
        fixture.peripheral("Key").press(button: 0)
        fixture.advanceClock("1h")
        #expect(fixture.takeEvents() == [] && fixture.peripheral("Key").isAway)
        fixture.peripheral("Key").returnToRange()
        fixture.advanceClock("1s")
        #expect(fixture.takeEvents() == ["returned Key"])
    }

    @Test func `a sleeping device with a queue sends the press that woke it`() {
        let fixture = CentralFixture(
            "air advertising-jitter=0ms\ndevice Key itag sleeps=20m queue=1")
        fixture.advanceClock("30m")
        _ = fixture.takeEvents()
        fixture.peripheral("Key").press(button: 0)
        fixture.advanceClock("1s")
        #expect(fixture.takeEvents() == ["Key 01", "returned Key"])
        // `ageMs` is the maximum age, the time since the end of the link. The link ended ten minutes before the press. The
        // device advertised 100 ms after the press, and was connected after another 100 ms.
        #expect(fixture.notifications.map(\.ageMs) == [600_200])
        #expect(fixture.peripheral("Key").presses == PressCount(pressed: 1, sent: 1, lost: 0))
    }

    @Test func `a queue stores the newest presses and sends them in order after the return`() {
        let fixture = CentralFixture("air advertising-jitter=0ms\ndevice Red buzzer queue=3")
        fixture.advanceClock("1s")
        _ = fixture.takeEvents()
        fixture.peripheral("Red").leaveRange()
        for button in [0, 1, 2, 3, 0] {
            fixture.advanceClock("1s")
            fixture.peripheral("Red").press(button: button)
        }
        #expect(fixture.takeEvents() == ["lost Red: out of reach"])
        #expect(fixture.peripheral("Red").storedCount == 3)
        #expect(fixture.peripheral("Red").presses == PressCount(pressed: 5, sent: 0, lost: 2))
        fixture.peripheral("Red").returnToRange()
        fixture.advanceClock("199ms")
        #expect(fixture.takeEvents() == [])
        fixture.advanceClock("1ms")
        #expect(fixture.takeEvents() == ["Red 04", "Red 08", "Red 01", "returned Red"])
        // The device is out of reach from 1 s on. The central notices the loss at 2 s, and the ages count from then. The device
        // is connected again at 6.2 s.
        #expect(fixture.notifications.map(\.ageMs) == [4200, 4200, 4200])
        #expect(fixture.peripheral("Red").storedCount == 0)
        #expect(fixture.peripheral("Red").presses == PressCount(pressed: 5, sent: 3, lost: 2))
        fixture.advanceClock("201ms")
        fixture.peripheral("Red").press(button: 1)
        fixture.runDueTimers()
        #expect(fixture.notifications.last?.ageMs == 0)
        #expect(fixture.takeEvents() == ["Red 02"])
    }

    @Test(arguments: [("", [10]), (" battery=none", [])] as [(String, [UInt16])])
    func `if a device notifies without a subscription, the central subscribes only to its battery`(
        _ traits: String, _ expectedHandles: [UInt16]
    ) {
        let fixture = CentralFixture("device Tag itag-unasked" + traits, keepsPackets: true)
        fixture.advanceClock("1s")
        fixture.peripheral("Tag").press(button: 0)
        fixture.runDueTimers()
        #expect(fixture.takeEvents() == ["up", "found Tag", "ready Tag", "Tag 01"])
        #expect(fixture.device("Tag").problem == nil)
        var writtenHandles: [UInt16] = []
        // Byte 7 of a packet is its channel (4 is ATT), byte 9 the opcode (0x12 and 0x52 write), and then comes the handle.
        for (packet, direction) in fixture.packets
        where packet.kind == .acl && direction == .toController {
            let (payload, bytes) = (packet.bytes.dropFirst(9), packet.bytes)
            guard bytes[7] == 4, [0x12, 0x52].contains(payload.first) else { continue }
            writtenHandles.append(UInt16(bytes[10]) | UInt16(bytes[11]) << 8)
        }
        // The value has handle 6; the client configuration of the battery, if any, has handle 10.
        #expect(writtenHandles == expectedHandles)
    }

    @Test func `a device with periodic losses is lost and connected at the expected times`() {
        let fixture = CentralFixture("air advertising-jitter=0ms\ndevice Red buzzer flaps=5s/2s")
        // Each time, the device advertises after 100 ms and is connected after another 100 ms. The
        // central notices a loss after 1 s.
        #expect(
            log(fixture, until: 21_000, step: 50) == [
                "0 up", "100 found Red", "200 ready Red", "6200 lost Red: out of reach",
                "7400 returned Red", "13400 lost Red: out of reach", "14600 returned Red",
                "20600 lost Red: out of reach",
            ])
    }

    @Test func `a device whose links do not last is retried with growing delays`() {
        let fixture = CentralFixture("air advertising-jitter=0ms\ndevice Red buzzer flaps=1s/100ms")
        let log = log(fixture, until: 60_000, step: 50)
        // A link lasts one second, and its loss is noticed one second later. Then the host waits
        // before it connects again: 250 ms, 500 ms, 1, 2, 4, 8, 10 and 10 seconds. It receives an
        // advertisement at the next full 100 ms, and is connected 100 ms after that.
        #expect(
            log.dropFirst(2) == [
                "200 ready Red", "2200 lost Red: out of reach", "2600 returned Red",
                "4600 lost Red: out of reach", "5200 returned Red", "7200 lost Red: out of reach",
                "8300 returned Red", "10300 lost Red: out of reach", "12400 returned Red",
                "14400 lost Red: out of reach", "18500 returned Red",
                "20500 lost Red: out of reach", "28600 returned Red",
                "30600 lost Red: out of reach", "40700 returned Red",
                "42700 lost Red: out of reach", "52800 returned Red",
                "54800 lost Red: out of reach",
            ])
    }

    @Test func `the time until a loss is noticed does not count as the duration of the link`() {
        let fixture = CentralFixture("air advertising-jitter=0ms\ndevice Red buzzer")
        fixture.advanceClock("1s")
        _ = fixture.takeEvents()
        // The device requests a supervision timeout of ten seconds.
        let request: [UInt8] = [0x12, 1, 8, 0, 12, 0, 24, 0, 0, 0, 0xE8, 0x03]
        fixture.central.received(([2, 0x40, 0x20, 16, 0, 12, 0, 5, 0] + request)[...])
        fixture.advanceClock("200ms")
        fixture.peripheral("Red").leaveRange()
        fixture.peripheral("Red").returnToRange()
        // The central notices the loss after ten seconds, and then waits for 250 ms. It receives an
        // advertisement 300 ms after it noticed the loss, and is connected 100 ms later.
        #expect(
            log(fixture, until: 20_000, step: 50)
                == ["11200 lost Red: out of reach", "11600 returned Red"])
    }
}

/// The effects of the simulated radio channel, as a central reports them.
@Suite struct AirTests {
    @Test func `a latency delays each press by that time and keeps their order`() {
        let fixture = CentralFixture("air latency=10ms..10ms\ndevice Red buzzer")
        fixture.advanceClock("2s")
        _ = fixture.takeEvents()
        for button in [2, 0, 3] { fixture.peripheral("Red").press(button: button) }
        fixture.advanceClock("5ms")
        fixture.peripheral("Red").press(button: 1)
        fixture.advanceClock("4ms")
        #expect(fixture.takeEvents() == [])
        fixture.advanceClock("1ms")
        #expect(fixture.takeEvents() == ["Red 04", "Red 01", "Red 08"])
        fixture.advanceClock("4ms")
        #expect(fixture.takeEvents() == [])
        fixture.advanceClock("1ms")
        #expect(fixture.takeEvents() == ["Red 02"])
    }

    @Test func `packets never overtake each other, and none exceeds the largest latency`() {
        let fixture = CentralFixture("air latency=0ms..30ms\ndevice Red buzzer")
        fixture.advanceClock("2s")
        _ = fixture.takeEvents()
        for number in 0..<400 {
            fixture.peripheral("Red").press(button: number % 4)
            fixture.advanceClock("1ms")
        }
        let early = fixture.takeEvents()
        // Each packet waits for the previous packet, so most packets have almost the largest latency.
        #expect(early.count >= 370 && early.count < 400)
        fixture.advanceClock("30ms")
        let buttons = ["Red 01", "Red 02", "Red 04", "Red 08"]
        #expect(early + fixture.takeEvents() == (0..<400).map { buttons[$0 % 4] })
    }

    @Test func `a device whose advertisements are all lost is never found`() {
        let fixture = CentralFixture("air advertisements-lost=100\ndevice Red buzzer")
        fixture.advanceClock("1h")
        #expect(fixture.takeEvents() == ["up"])
        #expect(fixture.central.devices.isEmpty)
        #expect(!fixture.peripheral("Red").isLinked)
    }

    @Test func `extended reports have the same contents as legacy ones`() {
        func subevents(_ reports: String) -> Set<UInt8> {
            // A name that does not fit into the advertisement.
            let name = "A buzzer of a long name"
            let fixture = CentralFixture(
                "air reports=\(reports)\ndevice \"\(name)\" buzzer rssi=-70", keepsPackets: true)
            fixture.advanceClock("1s")
            fixture.peripheral(name).press(button: 3)
            fixture.runDueTimers()
            let expectedEvents = ["up", "found ?", "found \(name)", "ready \(name)", "\(name) 08"]
            #expect(fixture.takeEvents() == expectedEvents)
            #expect(fixture.device(name).rssi == -70)
            #expect(fixture.central.malformedCount == 0)
            let events = fixture.packets.map(\.packet.bytes).filter { $0.starts(with: [4, 0x3E]) }
            return Set(events.map { $0[3] })
        }
        // Connection Complete, and the reports of each format.
        #expect(subevents("legacy") == [0x01, 0x02])
        #expect(subevents("extended") == [0x01, 0x0D])
    }

    @Test func `a seed determines each byte`() {
        func play(_ seed: Int) -> [[UInt8]] {
            let fixture = CentralFixture(
                """
                seed \(seed)
                air advertisements-lost=20 latency=0ms..30ms link-life=2s away=100ms..2s
                device Red buzzer queue=5
                device Key itag
                every 100ms..2s press Red any
                every 1s..3s press Key
                """, keepsPackets: true)
            fixture.advanceClock("1m")
            #expect(fixture.losses > 5)
            return fixture.packets.map { [$0.direction == .toHost ? 1 : 0] + $0.packet.bytes }
        }
        let first = play(7)
        #expect(first.count > 1000)
        #expect(play(7) == first)
        #expect(play(8) != first)
    }
}
