import Testing
import Timers

@testable import Bluetooth

@Suite struct DeviceListTests {
    private func device(_ number: UInt64, wanted: Bool = false) -> Device {
        let device = Device(DeviceAddress(bits: number), at: .zero)
        device.wish = wanted ? [] : nil
        return device
    }

    @Test func `what is missed least makes room`() {
        var list = DeviceList()
        list.limit = 4
        let linked = device(1, wanted: true)
        linked.state = .ready
        let lost = device(2, wanted: true)
        (lost.state, lost.lostAt) = (.away, .zero)
        for one in [linked, lost, device(3, wanted: true), device(4)] { list.append(one) }
        var kept: [[UInt64]] = []
        for number: UInt64 in 5...7 {
            list.append(device(number, wanted: true))
            kept.append(list.all.map(\.address.bits))
        }
        // Nobody wanted the fourth, and the third never had a link, nor had the fifth.
        #expect(kept == [[1, 2, 3, 5], [1, 2, 5, 6], [1, 2, 6, 7]])
        #expect(list[DeviceAddress(bits: 5)] == nil)
        #expect(list[DeviceAddress(bits: 7)] != nil)
    }

    @Test func `ten thousand names that all are wanted stay few`() {
        let room = CentralFixture("device Red buzzer")
        room.central.wish = { _ in [] }
        for number: UInt64 in 1...10_000 {
            var report: [UInt8] = [0x04, 0x3E, 12, 0x02, 1, 3, 1]
            report += DeviceAddress(bits: number).bytes + [0, 0xC4]
            room.central.received(report[...])
        }
        #expect(room.central.devices.count == room.central.limits.devices)
        #expect(room.central.malformed == 0)
    }
}
