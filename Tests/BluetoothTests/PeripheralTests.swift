import Testing
import Timers

@testable import Bluetooth

/// What simulated devices do by themselves, as a central hears it.
@Suite struct PeripheralTests {
    /// What was heard, each with its instant in milliseconds, found in steps of so many.
    private func diary(_ room: CentralFixture, until end: Int64, step: Int64) -> [String] {
        var diary = room.takeHeard().map { "\(room.time.now.milliseconds) \($0)" }
        while room.time.now.milliseconds < end {
            room.time.advance(by: .milliseconds(step))
            diary += room.takeHeard().map { "\(room.time.now.milliseconds) \($0)" }
        }
        return diary
    }

    @Test func `a sleeper sleeps after twenty minutes without a press, and a press wakes it`() {
        let room = CentralFixture("device Key itag sleeps=20m")
        room.pass("10m")
        room.peripheral("Key").press(button: 0)
        room.pass("19m59s999ms")
        #expect(room.takeHeard() == ["up", "found Key", "ready Key", "Key 01"])
        #expect(!room.peripheral("Key").isAsleep)
        room.pass("1ms")
        #expect(room.takeHeard() == ["lost Key: ended by the device"])
        #expect(room.peripheral("Key").isAsleep)
        room.pass("2h")
        #expect(room.takeHeard() == [])
        #expect(room.device("Key").state == .away)
        room.peripheral("Key").press(button: 0)
        room.pass("1s")
        // Nobody was there to whom it could be told.
        #expect(room.takeHeard() == ["returned Key"])
        #expect(room.peripheral("Key").presses == PressCount(pressed: 2, told: 1, lost: 1))
        room.pass("19m58s999ms")
        #expect(room.takeHeard() == [])
        room.pass("1ms")
        #expect(room.takeHeard() == ["lost Key: ended by the device"])
    }

    @Test func `a sleeper that keeps its presses tells what woke it`() {
        let room = CentralFixture("air advertising-jitter=0ms\ndevice Key itag sleeps=20m queue=1")
        room.pass("30m")
        _ = room.takeHeard()
        room.peripheral("Key").press(button: 0)
        room.pass("1s")
        #expect(room.takeHeard() == ["Key 01", "returned Key"])
        // Heard after 100 ms, connected after as many again, and lost ten minutes before.
        #expect(room.notifications.map(\.ageMs) == [600_200])
        #expect(room.peripheral("Key").presses == PressCount(pressed: 1, told: 1, lost: 0))
    }

    @Test func `a queue keeps the last presses, and tells them in order on return`() {
        let room = CentralFixture("air advertising-jitter=0ms\ndevice Red buzzer queue=3")
        room.pass("1s")
        _ = room.takeHeard()
        room.peripheral("Red").drop()
        for button in [0, 1, 2, 3, 0] {
            room.pass("1s")
            room.peripheral("Red").press(button: button)
        }
        #expect(room.takeHeard() == ["lost Red: out of reach"])
        #expect(room.peripheral("Red").keptCount == 3)
        #expect(room.peripheral("Red").presses == PressCount(pressed: 5, told: 0, lost: 2))
        room.peripheral("Red").comeBack()
        room.pass("199ms")
        #expect(room.takeHeard() == [])
        room.pass("1ms")
        #expect(room.takeHeard() == ["Red 04", "Red 08", "Red 01", "returned Red"])
        // Gone at 1 s, noticed at 2 s, back at 6.2 s.
        #expect(room.notifications.map(\.ageMs) == [4200, 4200, 4200])
        #expect(room.peripheral("Red").keptCount == 0)
        #expect(room.peripheral("Red").presses == PressCount(pressed: 5, told: 3, lost: 2))
        room.pass("201ms")
        room.peripheral("Red").press(button: 1)
        room.settle()
        #expect(room.notifications.last?.ageMs == 0)
        #expect(room.takeHeard() == ["Red 02"])
    }

    @Test(arguments: [("", [10]), (" battery=none", [])] as [(String, [UInt16])])
    func `one that tells unasked is heard though nothing is written to it`(
        _ traits: String, _ expected: [UInt16]
    ) {
        let room = CentralFixture("device Tag itag-unasked" + traits, keepsPackets: true)
        room.pass("1s")
        room.peripheral("Tag").press(button: 0)
        room.settle()
        #expect(room.takeHeard() == ["up", "found Tag", "ready Tag", "Tag 01"])
        #expect(room.device("Tag").problem == nil)
        var written: [UInt16] = []
        for (packet, way) in room.packets where packet.kind == .acl && way == .toController {
            let (payload, bytes) = (packet.bytes.dropFirst(9), packet.bytes)
            guard bytes[7] == 4, [0x12, 0x52].contains(payload.first) else { continue }
            written.append(UInt16(bytes[10]) | UInt16(bytes[11]) << 8)
        }
        // Its value is at 6; at 10 is the switch of the battery, if it has one.
        #expect(written == expected)
    }

    @Test func `a flapper goes and returns on time`() {
        let room = CentralFixture("air advertising-jitter=0ms\ndevice Red buzzer flaps=5s/2s")
        // Each time it is heard after 100 ms, and connected after as many again; a loss is noticed after 1 s.
        #expect(
            diary(room, until: 21_000, step: 50) == [
                "0 up", "100 found Red", "200 ready Red", "6200 lost Red: out of reach",
                "7400 returned Red", "13400 lost Red: out of reach", "14600 returned Red",
                "20600 lost Red: out of reach",
            ])
    }

    @Test func `one that does not hold is left alone for longer each time`() {
        let room = CentralFixture("air advertising-jitter=0ms\ndevice Red buzzer flaps=1s/100ms")
        let diary = diary(room, until: 60_000, step: 50)
        // It lives one second, and its loss is noticed one later. Then it is left alone, is heard each full 100 ms,
        // and connected 100 ms after that: 250 ms, 500 ms, 1, 2, 4, 8, 10 and 10 seconds.
        #expect(
            diary.dropFirst(2) == [
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

    @Test func `how late a loss is noticed does not count as having held`() {
        let room = CentralFixture("air advertising-jitter=0ms\ndevice Red buzzer")
        room.pass("1s")
        _ = room.takeHeard()
        // It would like its link to be called again for ten seconds before it counts as lost.
        let wish: [UInt8] = [0x12, 1, 8, 0, 12, 0, 24, 0, 0, 0, 0xE8, 0x03]
        room.central.received(([2, 0x40, 0x20, 16, 0, 12, 0, 5, 0] + wish)[...])
        room.pass("200ms")
        room.peripheral("Red").drop()
        room.peripheral("Red").comeBack()
        // Noticed after ten seconds, left alone for 250 ms, heard after 300 ms, connected after 100 ms more.
        #expect(
            diary(room, until: 20_000, step: 50)
                == ["11200 lost Red: out of reach", "11600 returned Red"])
    }
}
