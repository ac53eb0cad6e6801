import Testing

@testable import Bluetooth

@Suite struct DeviceAddressTests {
    @Test func `both cases are read, and the upper one is written`() throws {
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
    func `what is no address is nil`(_ text: String) {
        #expect(DeviceAddress(text) == nil)
    }

    @Test func `a packet has the little end first`() throws {
        let address = try #require(DeviceAddress("C0:01:02:03:04:05", kind: .random))
        #expect(address.bytes == [5, 4, 3, 2, 1, 0xC0])
        var reader = ByteReader(([1] + address.bytes + [7])[...])
        #expect(DeviceAddress(typed: &reader) == address)
        #expect(Array(reader.rest) == [7])
    }

    @Test func `an identity counts as what it stands for`() {
        let kinds: [(UInt8, DeviceAddress.Kind)] = [
            (0, .public), (1, .random), (2, .public), (3, .random),
        ]
        for (type, kind) in kinds {
            var reader = ByteReader([type, 1, 0, 0, 0, 0, 0])
            #expect(DeviceAddress(typed: &reader) == DeviceAddress(bits: 1, kind: kind))
        }
    }

    @Test func `one that is cut off is nil`() {
        let bytes: [UInt8] = [0, 1, 2, 3, 4, 5, 6]
        for length in bytes.indices {
            var reader = ByteReader(bytes[..<length])
            #expect(DeviceAddress(typed: &reader) == nil, "\(length)")
        }
    }

    @Test func `there are 48 bits, and two kinds of each address`() {
        #expect(DeviceAddress(bits: .max).text == "FF:FF:FF:FF:FF:FF")
        #expect(DeviceAddress(bits: 1 << 48 | 1) == DeviceAddress(bits: 1))
        #expect(DeviceAddress(bits: 1) != DeviceAddress(bits: 1, kind: .random))
        let sorted = [
            DeviceAddress(bits: 1), DeviceAddress(bits: 1, kind: .random), DeviceAddress(bits: 2),
        ]
        #expect(sorted.reversed().sorted() == sorted)
    }
}
