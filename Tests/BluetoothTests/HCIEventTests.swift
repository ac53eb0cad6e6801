import TestSupport
import Testing

@testable import Bluetooth

@Suite struct HCIEventTests {
    /// The bytes of events, and the smallest valid length of their parameters. In this order: disconnection, command complete,
    /// command status, hardware error, completed packets, connection (two forms), advertising reports (legacy and extended).
    private static let validEvents: [(bytes: [UInt8], minimumLength: Int)] = [
        ([0x05, 4, 0, 0x40, 0, 0x13], 4),
        ([0x0E, 4, 1, 0x03, 0x0C, 0], 3),
        ([0x0F, 4, 0, 1, 0x0D, 0x20], 4),
        ([0x10, 1, 0x42], 1),
        ([0x13, 9, 2, 0x40, 0, 1, 0, 0x41, 0, 2, 0], 9),
        (
            [0x3E, 19, 0x01, 0, 0x40, 0, 0, 1, 1, 2, 3, 4, 5, 6, 24, 0, 0, 0, 100, 0, 0],
            12
        ),
        (
            [0x3E, 31, 0x0A, 0, 0x40, 0, 0, 1, 1, 2, 3, 4, 5, 6]
                + [UInt8](repeating: 0, count: 19),
            12
        ),
        ([0x3E, 15, 0x02, 1, 0, 1, 1, 2, 3, 4, 5, 6, 3, 2, 1, 6, 0xC4], 15),
        (
            [0x3E, 26, 0x0D, 1, 0x13, 0, 1, 1, 2, 3, 4, 5, 6, 1, 0, 0xFF, 127, 0xC4]
                + [UInt8](repeating: 0, count: 9) + [0],
            26
        ),
    ]

    private func read(_ bytes: [UInt8]) -> HCIEvent? { HCIEvent(bytes[...]) }

    /// An LE meta event with its length.
    private func metaEvent(_ parameters: [UInt8]) -> [UInt8] {
        [0x3E, UInt8(parameters.count)] + parameters
    }

    /// A report of the device whose address ends with `addressByte`. The type 0 is an advertisement of a connectable device,
    /// and 4 is a scan response.
    private func legacyReport(
        _ addressByte: UInt8, rssi: UInt8 = 0xC4, type: UInt8 = 0, _ data: [UInt8] = []
    ) -> [UInt8] { [type, 1, addressByte, 0, 0, 0, 0, 0xC0, UInt8(data.count)] + data + [rssi] }

    /// A report of the device whose address ends with `addressByte`. In the type, bit 0 means that the device is connectable.
    /// Bit 3 means that the report is a scan response. Bits 5 and 6 are the data status.
    private func extendedReport(
        _ addressByte: UInt8, rssi: UInt8 = 0xC4, type: UInt16 = 0x13, _ data: [UInt8] = []
    ) -> [UInt8] {
        let head: [UInt8] = [
            UInt8(type & 0xFF), UInt8(type >> 8), 1, addressByte, 0, 0, 0, 0, 0xC0,
        ]
        return head + [1, 0, 0xFF, 127, rssi] + [UInt8](repeating: 0, count: 9)
            + [UInt8(data.count)] + data
    }

    private func reports(_ bytes: [UInt8]) -> [AdvertisingReport]? {
        if case .advertising(let reports)? = read(bytes) { reports } else { nil }
    }

    @Test func `each kind of event is parsed`() {
        let link = HCIEvent.Connection(
            handle: 0x40, isCentral: true,
            address: DeviceAddress(bits: 0x0605_0403_0201, kind: .random))
        let report = AdvertisingReport(
            address: link.address, isConnectable: true, isScanResponse: false, rssi: -60,
            data: [2, 1, 6])
        let expected: [HCIEvent] = [
            .disconnected(.success, handle: 0x40, reason: .remoteUserEnded),
            .commandComplete(credits: 1, .reset, [0]),
            .commandStatus(credits: 1, .leCreateConnection, .success),
            .hardwareError(0x42),
            .packetsCompleted([.init(handle: 0x40, count: 1), .init(handle: 0x41, count: 2)]),
            .connected(.success, link), .connected(.success, link), .advertising([report]),
            .advertising([
                AdvertisingReport(
                    address: link.address, isConnectable: true, isScanResponse: true,
                    rssi: -60, data: [])
            ]),
        ]
        var events = Self.validEvents.map(\.bytes)
        // Makes the report of the ninth event a scan response.
        events[8][4] = 0x1B
        #expect(events.map(read) == expected)
    }

    @Test func `an event truncated at any byte is nil`() {
        for (bytes, _) in Self.validEvents {
            for length in 0..<bytes.count { #expect(read(Array(bytes[..<length])) == nil) }
        }
    }

    @Test func `an event with too few parameters is nil`() {
        for (bytes, minimumLength) in Self.validEvents {
            for length in 0..<bytes.count - 2 {
                let truncated = [bytes[0], UInt8(length)] + bytes[2..<2 + length]
                #expect((read(truncated) == nil) == (length < minimumLength), "\(truncated)")
            }
        }
    }

    @Test func `bytes after the parameters are ignored`() {
        for (bytes, _) in Self.validEvents { #expect(read(bytes + [1, 2, 3]) == read(bytes)) }
    }

    @Test func `handles have 12 bits`() {
        #expect(
            read([0x05, 4, 0, 0xFF, 0xFF, 0x13])
                == .disconnected(.success, handle: 0x0FFF, reason: .remoteUserEnded))
        #expect(
            read([0x13, 5, 1, 0x01, 0xF0, 1, 0])
                == .packetsCompleted([.init(handle: 1, count: 1)]))
    }

    @Test func `an event may have reports of several devices`() {
        let legacyEvent = metaEvent(
            [0x02, 3] + legacyReport(1, [1, 2]) + legacyReport(2) + legacyReport(3, type: 4, [9]))
        #expect(
            reports(legacyEvent)?.map(\.address.bits) == [
                0xC000_0000_0001, 0xC000_0000_0002, 0xC000_0000_0003,
            ])
        #expect(reports(legacyEvent)?.map(\.data) == [[1, 2], [], [9]])
        #expect(reports(legacyEvent)?.map(\.isConnectable) == [true, true, false])
        #expect(reports(legacyEvent)?.map(\.isScanResponse) == [false, false, true])
        let extendedEvent = metaEvent(
            [0x0D, 2] + extendedReport(1, [1, 2]) + extendedReport(2, type: 0x1A, [3]))
        #expect(reports(extendedEvent)?.map(\.data) == [[1, 2], [3]])
        #expect(reports(extendedEvent)?.map(\.isConnectable) == [true, false])
        #expect(reports(extendedEvent)?.map(\.isScanResponse) == [false, true])
    }

    @Test func `an event with fewer reports than it announces is nil`() {
        for count in 3...255 as ClosedRange<UInt8> {
            #expect(read(metaEvent([0x02, count] + legacyReport(1) + legacyReport(2))) == nil)
            #expect(read(metaEvent([0x0D, count] + extendedReport(1) + extendedReport(2))) == nil)
        }
        #expect(reports(metaEvent([0x02, 0])) == [])
    }

    @Test func `legacy advertising data has at most 31 bytes`() {
        let data = [UInt8](repeating: 7, count: 32)
        #expect(
            reports(metaEvent([0x02, 1] + legacyReport(1, Array(data.dropLast()))))?.count == 1)
        #expect(reports(metaEvent([0x02, 1] + legacyReport(1, data))) == nil)
        #expect(reports(metaEvent([0x0D, 1] + extendedReport(1, data)))?.first?.data == data)
    }

    @Test(arguments: [(UInt16(0), false), (1, true), (2, false)])
    func `the data status tells whether the next report continues the data`(
        _ status: UInt16, _ continues: Bool
    ) {
        let bytes = metaEvent([0x0D, 1] + extendedReport(1, type: 0x13 | status << 5))
        #expect(reports(bytes)?.first?.isUnfinished == continues)
    }

    @Test(arguments: [(UInt8(127), Int?.none), (0xC4, -60), (0x81, -127), (20, 20), (0, 0)])
    func `a signal strength of 127 is nil`(_ rssi: UInt8, _ expected: Int?) {
        #expect(
            reports(metaEvent([0x02, 1] + legacyReport(1, rssi: rssi)))?.first?.rssi == expected)
        #expect(
            reports(metaEvent([0x0D, 1] + extendedReport(1, rssi: rssi)))?.first?.rssi == expected)
    }

    @Test(arguments: seeds(500))
    func `random bytes do not trap`(_ seed: UInt64) {
        var random = SeededRandom(seed)
        for _ in 0..<50 {
            var bytes = random.pick(Self.validEvents).bytes
            for _ in 0...random.below(4) {
                bytes[random.below(bytes.count)] = UInt8(random.below(256))
            }
            _ = read(Array(bytes.prefix(random.below(bytes.count + 1))))
            if read(bytes) != nil { #expect(Int(bytes[1]) <= bytes.count - 2) }
        }
    }
}
