import TestSupport
import Testing

@testable import Bluetooth

@Suite struct AdvertisingDataTests {
    private func read(_ bytes: [UInt8]) -> AdvertisingData { AdvertisingData(bytes[...]) }

    /// A field of advertising data: its length, its type and its value. The types 0x02 to 0x07 are lists of services: for UUIDs
    /// of 16, 32 and 128 bits, an incomplete list and a complete list each. The type 0x08 is a shortened name, and 0x09 is a
    /// complete name.
    private func field(_ type: UInt8, _ value: some Sequence<UInt8>) -> [UInt8] {
        let value = Array(value)
        return [UInt8(value.count + 1), type] + value
    }

    @Test func `a name and services are parsed`() {
        let data = read(
            [2, 1, 6] + field(0x03, [0xE0, 0xFF, 0x0F, 0x18]) + field(0x09, "Red".utf8))
        #expect(data.name == "Red")
        #expect(data.services == [BluetoothUUID(0xFFE0), .batteryService])
    }

    @Test func `a complete name takes precedence over a shortened name`() {
        let (whole, short) = (field(0x09, "Red buzzer".utf8), field(0x08, "Red".utf8))
        #expect(read(whole + short).name == "Red buzzer")
        #expect(read(short + whole).name == "Red buzzer")
        #expect(read(short).name == "Red")
    }

    @Test(
        arguments: [
            [], [0], [0, 4, 9, 0x52], [5], [5, 9, 0x52, 0x65], [255, 9], [1], [1, 9], [1, 1, 1, 2],
        ] as [[UInt8]])
    func `data without a complete known field is empty`(_ bytes: [UInt8]) {
        #expect(read(bytes) == AdvertisingData())
    }

    @Test func `fields before a truncated field are kept`() {
        let first = field(0x09, "Red".utf8)
        for length in 0..<first.count { #expect(read(Array(first[..<length])).name == nil) }
        let second = field(0x02, [0xE0, 0xFF])
        for length in 0..<second.count {
            let data = read(first + second[..<length])
            #expect(data.name == "Red")
            #expect(data.services.isEmpty)
        }
    }

    @Test func `UUIDs of each size are parsed, and incomplete ones are ignored`() throws {
        let long = try #require(BluetoothUUID("6E400001-B5A3-F393-E0A9-E50E24DCCA9E"))
        #expect(read(field(0x07, long.littleEndianBytes)).services == [long])
        #expect(read(field(0x06, long.littleEndianBytes.dropLast())).services == [])
        #expect(read(field(0x05, [0xE0, 0xFF, 0, 0])).services == [BluetoothUUID(0xFFE0)])
        #expect(read(field(0x04, [0xE0, 0xFF, 1, 0])).services.first?.short == nil)
        #expect(read(field(0x02, [0xE0, 0xFF, 0xF0])).services == [BluetoothUUID(0xFFE0)])
    }

    @Test func `the number of services is limited`() {
        let many: [UInt8] = (0..<127).flatMap { (index: UInt8) -> [UInt8] in [index, 0xFF] }
        let data = read(field(0x03, many.prefix(252)) + field(0x03, many.prefix(252)))
        #expect(data.services.count == 64)
    }

    @Test(arguments: [
        ("Re\u{1B}[2Jd", "Re[2Jd"), ("a\u{0}b\u{7F}\n\tc", "abc"), ("\u{202E}evil", "evil"),
        ("a\u{2028}b\u{2029}c\u{200B}", "abc"), ("größe ☃", "größe ☃"), ("\u{9B}x", "x"),
    ])
    func `a name has no control characters`(_ sent: String, _ shown: String) {
        #expect(read(field(0x09, sent.utf8)).name == shown)
    }

    @Test func `an empty name is nil`() {
        #expect(read(field(0x09, [])).name == nil)
        #expect(read(field(0x09, [0, 0, 0])).name == nil)
    }

    @Test func `a name has at most the length that GAP allows, and may be invalid UTF-8`() {
        let name = read(field(0x09, [UInt8](repeating: 0x61, count: 254))).name
        #expect(name?.utf8.count == 248)
        #expect(read(field(0x09, [0x61, 0xFF, 0x62])).name == "a\u{FFFD}b")
    }

    @Test func `encoded data can be parsed, with the name in the scan response if it does not fit`()
    {
        let services = [BluetoothUUID(0xFFE0)]
        for length in 1...29 {
            let data = AdvertisingData(
                name: String(repeating: "n", count: length), services: services)
            let (first, second) = data.packets()
            #expect(first.count <= 31 && second.count <= 31)
            // Flags take 3 of the 31 bytes, the services 4, and the header of the name 2.
            #expect(second.isEmpty == (length <= 22))
            #expect(read(first).services == services)
            #expect(read(second.isEmpty ? first : second).name == data.name)
        }
    }

    @Test func `a name that is too long is shortened, and services that do not fit are left out`()
        throws
    {
        let long = try #require(BluetoothUUID("6E400001-B5A3-F393-E0A9-E50E24DCCA9E"))
        let name = String(repeating: "n", count: 40)
        let (first, second) = AdvertisingData(name: name, services: [long, long]).packets()
        #expect(read(first).services == [long])
        #expect(read(second).name == String(repeating: "n", count: 29))
        #expect(second[1] == 0x08)
    }

    @Test(arguments: seeds(300))
    func `random bytes do not trap`(_ seed: UInt64) {
        var random = SeededRandom(seed)
        let bytes = (0..<random.below(300)).map { _ in
            random.below(2) == 0 ? UInt8(random.below(10)) : UInt8(random.below(256))
        }
        let data = read(bytes)
        #expect(data.services.count <= 64)
        #expect(data.name?.isEmpty != true)
    }
}
