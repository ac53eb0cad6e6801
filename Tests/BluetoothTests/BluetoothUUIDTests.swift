import Testing

@testable import Bluetooth

@Suite struct BluetoothUUIDTests {
    private static let long = "6E400003-B5A3-F393-E0A9-E50E24DCCA9E"

    @Test(arguments: [
        "FFE1", "ffe1", "0000FFE1", "0000ffe1", "0000FFE1-0000-1000-8000-00805F9B34FB",
        "0000ffe1-0000-1000-8000-00805f9b34fb",
    ])
    func `an assigned one is read in each of its forms and cases`(_ text: String) throws {
        let uuid = try #require(BluetoothUUID(text))
        #expect(uuid == BluetoothUUID(0xFFE1))
        #expect(uuid.short == 0xFFE1)
        #expect(uuid.text == "FFE1")
        #expect(uuid.packet == [0xE1, 0xFF])
    }

    @Test func `one of 128 bits keeps all of them`() throws {
        let uuid = try #require(BluetoothUUID(Self.long))
        #expect(uuid.text == Self.long)
        #expect(BluetoothUUID(Self.long.lowercased()) == uuid)
        #expect(uuid.short == nil)
        let bytes: [UInt8] = [
            0x9E, 0xCA, 0xDC, 0x24, 0x0E, 0xE5, 0xA9, 0xE0, 0x93, 0xF3, 0xA3, 0xB5, 0x03, 0x00,
            0x40, 0x6E,
        ]
        #expect(uuid.packet == bytes)
        #expect(BluetoothUUID(packet: bytes[...]) == uuid)
    }

    @Test func `one of 32 bits is none of 16`() throws {
        let uuid = try #require(BluetoothUUID("12345678"))
        #expect(uuid.short == nil)
        #expect(uuid.text == "12345678-0000-1000-8000-00805F9B34FB")
        #expect(BluetoothUUID(packet: [0x78, 0x56, 0x34, 0x12]) == uuid)
        #expect(uuid.packet.count == 16)
    }

    @Test func `whatever is near to the base is none of its own`() {
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
    func `what is none is nil`(_ text: String) {
        #expect(BluetoothUUID(text) == nil)
    }

    @Test func `a packet has two, four or sixteen bytes`() {
        let bytes = [UInt8](repeating: 1, count: 40)
        for count in 0...40 {
            let isOne = [2, 4, 16].contains(count)
            #expect((BluetoothUUID(packet: bytes[..<count]) != nil) == isOne, "\(count)")
        }
    }
}
