import Testing
import Timers

@testable import Bluetooth

@Suite struct CentralTests {
    @Test func `a buzzer is found, connected, and its four buttons come once each in order`() {
        let room = CentralFixture("device Red buzzer")
        room.pass("1s")
        #expect(room.takeHeard() == ["up", "found Red", "ready Red"])
        for button in 0..<4 { room.peripheral("Red").press(button: button) }
        room.settle()
        #expect(room.takeHeard() == ["Red 01", "Red 02", "Red 04", "Red 08"])
        #expect(room.device("Red").battery == 90)
        #expect(room.device("Red").rssi == -60)
        #expect(room.central.malformed == 0)
    }

    @Test func `a device that goes is lost after a second and found again when it is back`() {
        let room = CentralFixture("device Key itag")
        room.pass("1s")
        _ = room.takeHeard()
        room.peripheral("Key").drop()
        room.pass("999ms")
        #expect(room.takeHeard() == [])
        room.pass("1ms")
        #expect(room.takeHeard() == ["lost Key: out of reach"])
        room.pass("10s")
        #expect(room.takeHeard() == [])
        room.peripheral("Key").comeBack()
        room.pass("1s")
        #expect(room.takeHeard() == ["returned Key"])
        room.peripheral("Key").press(button: 0)
        room.settle()
        #expect(room.takeHeard() == ["Key 01"])
    }

    @Test func `a whole name in the answer to a scan holds against a short one, and is wanted by`()
    {
        let controller = ScriptedController()
        controller.central.wish = { $0.name == "Red buzzer" ? [] : nil }
        controller.begin()
        _ = controller.takeSent()
        let head: [UInt8] = [1, 1, 0, 0, 0, 0, 0xC0]
        let short: [UInt8] = [4, 8] + Array("Red".utf8)
        let whole: [UInt8] = [11, 9] + Array("Red buzzer".utf8)
        for (type, data): (UInt8, [UInt8]) in [(0, short), (4, whole), (0, short)] {
            let body: [UInt8] = [2, 1, type] + head + [UInt8(data.count)] + data + [0xC4]
            controller.say([4, 0x3E, UInt8(body.count)] + body)
        }
        #expect(controller.central.devices.map(\.name) == ["Red buzzer"])
        #expect(controller.takeCommands() == [.leSetScanEnable, .leCreateConnection])
    }

    @Test func `a device that nobody wants any more while it is connected to is let go`() {
        let room = CentralFixture("air connecting=1s\ndevice Red buzzer")
        room.pass("500ms")
        #expect(room.device("Red").state == .connecting)
        room.central.wish = { _ in nil }
        room.central.review()
        room.pass("10s")
        #expect(room.device("Red").state == .seen)
        #expect(!room.peripheral("Red").isLinked)
        room.stop()
    }

    @Test func `no more links are kept than the limit, and who waits is said why`() {
        var limits = CentralLimits()
        limits.links = 1
        let room = CentralFixture("device Red buzzer\ndevice Blue buzzer", limits: limits)
        room.pass("2s")
        let states = room.central.devices.map { "\($0.state) \($0.problem ?? "")" }
        #expect(states == ["ready ", "seen no link is free: there are 1"])
        // When there is room again, it is made.
        room.peripheral(room.central.devices[0].name ?? "").drop()
        room.pass("3s")
        #expect(room.central.devices[1].state == .ready)
        #expect(room.central.devices[1].problem == nil)
        room.stop()
    }

    @Test func `a device that advertises seldom is heard beside one that comes and goes`() {
        let room = CentralFixture("device A buzzer flaps=2500ms/0ms\ndevice B buzzer advertise=5s")
        room.pass("1m")
        #expect(room.central.devices.contains { $0.name == "B" && $0.state == .ready })
        room.stop()
    }

    @Test func `what waits to be understood is as old as its arrival`() {
        let room = CentralFixture("air latency=400ms..400ms\ndevice Key itag-unasked")
        room.pass("300ms")
        room.peripheral("Key").press(button: 0)
        room.pass("10s")
        #expect(room.notifications.count == 1)
        // Eight answers took 800 ms each, of which the press waited for most.
        #expect((room.notifications.first?.ageMs ?? 0) > 2000)
        room.stop()
    }
}
