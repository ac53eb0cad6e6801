import Testing

@testable import Bluetooth

@Suite struct DeviceAddressTests {
    @Test func `an address is parsed in upper and lower case, and written in upper case`() throws {
        let address = try #require(DeviceAddress("F0:F1:F2:F3:F4:F5"))
        #expect(address.bits == 0xF0F1_F2F3_F4F5)
        #expect(address.kind == .public)
        #expect(DeviceAddress("f0:f1:f2:f3:f4:f5") == address)
        #expect(address.text == "F0:F1:F2:F3:F4:F5")
        #expect(DeviceAddress("00:00:00:00:00:0a")?.text == "00:00:00:00:00:0A")
    }

    @Test(arguments: [
        "", ":::::", "F0:F1:F2:F3:F4", "F0:F1:F2:F3:F4:F5:F6", "F0:F1:F2:F3:F4:F",
        "F0:F1:F2:F3:F4:F55", "F0:F1:F2:F3:F4:", ":F0:F1:F2:F3:F4:F5", "F0:F1:F2:F3:F4:FG",
        "F0-F1-F2-F3-F4-F5", "F0F1F2F3F4F5", "F0:F1:F2:F3:F4:+5", " F0:F1:F2:F3:F4:F5",
        "F0:F1:F2:F3:F4:é",
    ])
    func `an invalid address is nil`(_ text: String) {
        #expect(DeviceAddress(text) == nil)
    }

    @Test func `a packet has the address in little-endian order`() throws {
        let address = try #require(DeviceAddress("C0:01:02:03:04:05", kind: .random))
        #expect(address.bytes == [5, 4, 3, 2, 1, 0xC0])
        // The first byte is the type of the address (1 is random). The last byte does not belong to the address.
        var reader = ByteReader(([1] + address.bytes + [7])[...])
        #expect(DeviceAddress(from: &reader) == address)
        #expect(Array(reader.remaining) == [7])
    }

    @Test func `a resolved identity address has the type of the identity`() {
        let kinds: [(UInt8, DeviceAddress.Kind)] = [
            (0, .public), (1, .random), (2, .public), (3, .random),
        ]
        for (type, kind) in kinds {
            var reader = ByteReader([type, 1, 0, 0, 0, 0, 0])
            #expect(DeviceAddress(from: &reader) == DeviceAddress(bits: 1, kind: kind))
        }
    }

    @Test func `a truncated address is nil`() {
        let bytes: [UInt8] = [0, 1, 2, 3, 4, 5, 6]
        for length in bytes.indices {
            var reader = ByteReader(bytes[..<length])
            #expect(DeviceAddress(from: &reader) == nil, "\(length)")
        }
    }

    @Test func `an address has 48 bits and a type`() {
        #expect(DeviceAddress(bits: .max).text == "FF:FF:FF:FF:FF:FF")
        #expect(DeviceAddress(bits: 1 << 48 | 1) == DeviceAddress(bits: 1))
        #expect(DeviceAddress(bits: 1) != DeviceAddress(bits: 1, kind: .random))
        let sorted = [
            DeviceAddress(bits: 1), DeviceAddress(bits: 1, kind: .random), DeviceAddress(bits: 2),
        ]
        #expect(sorted.reversed().sorted() == sorted)
    }
}

@Suite struct BluetoothUUIDTests {
    private static let long = "6E400003-B5A3-F393-E0A9-E50E24DCCA9E"

    @Test(arguments: [
        "FFE1", "ffe1", "0000FFE1", "0000ffe1", "0000FFE1-0000-1000-8000-00805F9B34FB",
        "0000ffe1-0000-1000-8000-00805f9b34fb",
    ])
    func `an assigned UUID is parsed in each of its forms`(_ text: String) throws {
        let uuid = try #require(BluetoothUUID(text))
        #expect(uuid == BluetoothUUID(0xFFE1))
        #expect(uuid.short == 0xFFE1)
        #expect(uuid.text == "FFE1")
        #expect(uuid.littleEndianBytes == [0xE1, 0xFF])
    }

    @Test func `a 128-bit UUID keeps all its bits`() throws {
        let uuid = try #require(BluetoothUUID(Self.long))
        #expect(uuid.text == Self.long)
        #expect(BluetoothUUID(Self.long.lowercased()) == uuid)
        #expect(uuid.short == nil)
        let bytes: [UInt8] = [
            0x9E, 0xCA, 0xDC, 0x24, 0x0E, 0xE5, 0xA9, 0xE0, 0x93, 0xF3, 0xA3, 0xB5, 0x03, 0x00,
            0x40, 0x6E,
        ]
        #expect(uuid.littleEndianBytes == bytes)
        #expect(BluetoothUUID(packet: bytes[...]) == uuid)
    }

    @Test func `a 32-bit UUID has no 16-bit form`() throws {
        let uuid = try #require(BluetoothUUID("12345678"))
        #expect(uuid.short == nil)
        #expect(uuid.text == "12345678-0000-1000-8000-00805F9B34FB")
        #expect(BluetoothUUID(packet: [0x78, 0x56, 0x34, 0x12]) == uuid)
        #expect(uuid.littleEndianBytes.count == 16)
    }

    @Test func `a UUID that differs slightly from the base has no 16-bit form`() {
        for text in [
            "0000FFE1-0000-1000-8000-00805F9B34FC", "0000FFE1-0001-1000-8000-00805F9B34FB",
            "0001FFE1-0000-1000-8000-00805F9B34FB",
        ] {
            #expect(BluetoothUUID(text)?.short == nil)
            #expect(BluetoothUUID(text)?.text == text)
        }
    }

    @Test(arguments: [
        "", "FFE", "FFE11", "FFEG", "FF-1", "FF--", "----", "--------", "FFE1----", "-FFE1-00",
        "0000FFE1-0000-1000-8000-00805F9B34F", "0000FFE1-0000-1000-8000-00805F9B34FBB",
        "0000FFE10000-1000-8000-00805F9B34FB-", "0000FFE1-00001-000-8000-00805F9B34FB",
        "0000FFE1-0000-1000-8000-00805F9B34FG", "0000FFE1000010008000000805F9B34FB000",
        "ÿÿ", "+FE1",
    ])
    func `an invalid UUID is nil`(_ text: String) {
        #expect(BluetoothUUID(text) == nil)
    }

    @Test func `a UUID in a packet has 2, 4 or 16 bytes`() {
        let bytes = [UInt8](repeating: 1, count: 40)
        for count in 0...40 {
            let isValid = [2, 4, 16].contains(count)
            #expect((BluetoothUUID(packet: bytes[..<count]) != nil) == isValid, "\(count)")
        }
    }
}
