import Testing
import Timers

@testable import Bluetooth

@Suite struct CentralTests {
    @Test
    func
        `a buzzer is found and connected, and each of its four buttons is reported once, in order`()
    {
        let fixture = CentralFixture("device Red buzzer")
        fixture.advanceClock("1s")
        #expect(fixture.takeEvents() == ["up", "found Red", "ready Red"])
        for button in 0..<4 { fixture.peripheral("Red").press(button: button) }
        fixture.runDueTimers()
        #expect(fixture.takeEvents() == ["Red 01", "Red 02", "Red 04", "Red 08"])
        #expect(fixture.device("Red").battery == 90)
        #expect(fixture.device("Red").rssi == -60)
        #expect(fixture.central.malformedCount == 0)
    }

    @Test func `a device out of reach is lost after a second and found when it is back`() {
        let fixture = CentralFixture("device Key itag")
        fixture.advanceClock("1s")
        _ = fixture.takeEvents()
        fixture.peripheral("Key").leaveRange()
        fixture.advanceClock("999ms")
        #expect(fixture.takeEvents() == [])
        fixture.advanceClock("1ms")
        #expect(fixture.takeEvents() == ["lost Key: out of reach"])
        fixture.advanceClock("10s")
        #expect(fixture.takeEvents() == [])
        fixture.peripheral("Key").returnToRange()
        fixture.advanceClock("1s")
        #expect(fixture.takeEvents() == ["returned Key"])
        fixture.peripheral("Key").press(button: 0)
        fixture.runDueTimers()
        #expect(fixture.takeEvents() == ["Key 01"])
    }

    @Test
    func `a complete name in a scan response replaces a short name and decides the subscriptions`()
    {
        let controller = ScriptedController()
        controller.central.wantedSubscriptions = { $0.name == "Red buzzer" ? [] : nil }
        controller.startCentral()
        _ = controller.takeSent()
        // The type of the address, and the address.
        let head: [UInt8] = [1, 1, 0, 0, 0, 0, 0xC0]
        // A field: its length, its type and its value. The type 8 is a shortened name, and 9 is a complete name.
        let short: [UInt8] = [4, 8] + Array("Red".utf8)
        let whole: [UInt8] = [11, 9] + Array("Red buzzer".utf8)
        // The type 0 is an advertisement, and 4 a scan response.
        for (type, data): (UInt8, [UInt8]) in [(0, short), (4, whole), (0, short)] {
            let body: [UInt8] = [2, 1, type] + head + [UInt8(data.count)] + data + [0xC4]
            controller.sendToHost([4, 0x3E, UInt8(body.count)] + body)
        }
        #expect(controller.central.devices.map(\.name) == ["Red buzzer"])
        #expect(controller.takeCommands() == [.leSetScanEnable, .leCreateConnection])
    }

    @Test func `a connection attempt to a device that is no longer wanted is cancelled`() {
        let fixture = CentralFixture("air connecting=1s\ndevice Red buzzer")
        fixture.advanceClock("500ms")
        #expect(fixture.device("Red").state == .connecting)
        fixture.central.wantedSubscriptions = { _ in nil }
        fixture.central.applyWantedSubscriptions()
        fixture.advanceClock("10s")
        #expect(fixture.device("Red").state == .seen)
        #expect(!fixture.peripheral("Red").isLinked)
        fixture.stop()
    }

    @Test
    func `the number of links is limited, and a device that waits has the reason as its problem`() {
        var limits = CentralLimits()
        limits.links = 1
        let fixture = CentralFixture("device Red buzzer\ndevice Blue buzzer", limits: limits)
        fixture.advanceClock("2s")
        let states = fixture.central.devices.map { "\($0.state) \($0.problem ?? "")" }
        #expect(states == ["ready ", "seen too many links; the limit is 1"])
        // A link is free, so the other device is connected.
        fixture.peripheral(fixture.central.devices[0].name ?? "").leaveRange()
        fixture.advanceClock("3s")
        #expect(fixture.central.devices[1].state == .ready)
        #expect(fixture.central.devices[1].problem == nil)
        fixture.stop()
    }

    @Test
    func `a device that advertises rarely is connected beside one that reconnects repeatedly`() {
        // Each link to device A lasts 2.5 s, and A can be found again at once.
        let fixture = CentralFixture(
            "device A buzzer flaps=2500ms/0ms\ndevice B buzzer advertise=5s")
        fixture.advanceClock("1m")
        #expect(fixture.central.devices.contains { $0.name == "B" && $0.state == .ready })
        fixture.stop()
    }

    @Test func `the age of a notification that waits for the discovery counts from its arrival`() {
        let fixture = CentralFixture("air latency=400ms..400ms\ndevice Key itag-unasked")
        fixture.advanceClock("300ms")
        fixture.peripheral("Key").press(button: 0)
        fixture.advanceClock("10s")
        #expect(fixture.notifications.count == 1)
        // The discovery takes eight requests. Each request takes 800 ms, twice the latency. The press waits for most of these
        // requests.
        #expect((fixture.notifications.first?.ageMs ?? 0) > 2000)
        fixture.stop()
    }
}

@Suite struct DeviceListTests {
    private func device(_ number: UInt64, wanted: Bool = false) -> Device {
        let device = Device(DeviceAddress(bits: number), at: .zero)
        device.wantedSubscriptions = wanted ? [] : nil
        return device
    }

    @Test func `the device list removes the least important device first`() {
        var list = DeviceList()
        list.limit = 4
        let linked = device(1, wanted: true)
        linked.state = .ready
        let lost = device(2, wanted: true)
        (lost.state, lost.lostAt) = (.away, .zero)
        for device in [linked, lost, device(3, wanted: true), device(4)] { list.append(device) }
        var addressesAfterEach: [[UInt64]] = []
        for number: UInt64 in 5...7 {
            list.append(device(number, wanted: true))
            addressesAfterEach.append(list.all.map(\.address.bits))
        }
        // Device 4 is removed first, because it is not wanted; then 3 and 5, which never had a link.
        #expect(addressesAfterEach == [[1, 2, 3, 5], [1, 2, 5, 6], [1, 2, 6, 7]])
        #expect(list[DeviceAddress(bits: 5)] == nil)
        #expect(list[DeviceAddress(bits: 7)] != nil)
    }

    @Test func `ten thousand wanted devices do not exceed the limit of the list`() {
        let fixture = CentralFixture("device Red buzzer")
        fixture.central.wantedSubscriptions = { _ in [] }
        for number: UInt64 in 1...10_000 {
            var report: [UInt8] = [0x04, 0x3E, 12, 0x02, 1, 3, 1]
            report += DeviceAddress(bits: number).bytes + [0, 0xC4]
            fixture.central.received(report[...])
        }
        #expect(fixture.central.devices.count == fixture.central.limits.devices)
        #expect(fixture.central.malformedCount == 0)
    }
}
