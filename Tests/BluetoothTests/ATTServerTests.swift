import Testing

@testable import Bluetooth

/// What a simulated buzzer answers about its attributes.
///
/// 1 is Generic Access with its name at 3, 4 the buzzer's service with its value at 6 and the switch at 7, and 8
/// the battery's with its level at 10 and the switch at 11.
@Suite struct ATTServerTests {
    private static let name = "Red buzzer of twenty-nine byt"

    private func server() -> ATTServer {
        DeviceAttributes(.buzzer(Self.name, DeviceAddress(bits: 1))).server
    }

    private func error(_ code: UInt8, to opcode: UInt8, at handle: UInt16 = 0) -> [UInt8] {
        [0x01, opcode, UInt8(handle & 0xFF), UInt8(handle >> 8), code]
    }

    @Test func `the smaller MTU of both holds, and no less than the standard's`() {
        var server = server()
        for (wanted, held): ([UInt8], Int) in [
            ([0x40, 0], 64), ([5, 0], 23), ([0xFF, 0xFF], 247), ([0, 0], 23),
        ] {
            #expect(server.answer([0x02] + wanted)?.bytes == [0x03, 247, 0])
            #expect(server.mtu == held)
        }
    }

    @Test func `handles and types come in pages of what fits`() {
        var server = server()
        let pages: [(begin: UInt8, bytes: [UInt8])] = [
            (
                1,
                [
                    1, 0, 0, 0x28, 2, 0, 3, 0x28, 3, 0, 0, 0x2A, 4, 0, 0, 0x28, 5, 0, 3, 0x28,
                ]
            ),
            (
                6,
                [
                    6, 0, 0xF1, 0xFF, 7, 0, 2, 0x29, 8, 0, 0, 0x28, 9, 0, 3, 0x28, 10, 0, 0x19,
                    0x2A,
                ]
            ), (11, [11, 0, 2, 0x29]),
        ]
        for (begin, bytes) in pages {
            #expect(server.answer([0x04, begin, 0, 0xFF, 0xFF])?.bytes == [0x05, 1] + bytes)
        }
        #expect(server.answer([0x04, 12, 0, 0xFF, 0xFF])?.bytes == error(0x0A, to: 4, at: 12))
        #expect(server.answer([0x04, 4, 0, 4, 0])?.bytes == [0x05, 1, 4, 0, 0, 0x28])
        _ = server.answer([0x02, 0xFF, 0xFF])
        #expect(
            server.answer([0x04, 1, 0, 0xFF, 0xFF])?.bytes == [0x05, 1] + pages.flatMap(\.bytes))
    }

    @Test func `types of both sizes stand on pages of their own`() throws {
        let service = try #require(BluetoothUUID("6E400001-B5A3-F393-E0A9-E50E24DCCA9E"))
        let value = try #require(BluetoothUUID("6E400003-B5A3-F393-E0A9-E50E24DCCA9E"))
        var model = DeviceModel("A", DeviceAddress(bits: 1))
        let name = Subscription(service: service, characteristic: value)
        model.characteristics = [CharacteristicModel(name, .indicates)]
        var server = DeviceAttributes(model).server
        #expect(server.answer([0x04, 5, 0, 7, 0])?.bytes == [0x05, 1, 5, 0, 3, 0x28])
        #expect(server.answer([0x04, 6, 0, 7, 0])?.bytes == [0x05, 2, 6, 0] + value.packet)
        #expect(
            server.answer([0x08, 5, 0, 7, 0, 3, 0x28])?.bytes
                == [0x09, 21, 5, 0, 0x22, 6, 0] + value.packet)
        #expect(server.answer([0x08, 1, 0, 7, 0] + value.packet)?.bytes == [0x09, 3, 6, 0, 0])
        // Those of Generic Access and of this one are not equally long.
        #expect(
            server.answer([0x10, 1, 0, 9, 0, 0, 0x28])?.bytes == [0x11, 6, 1, 0, 3, 0, 0, 0x18])
        #expect(
            server.answer([0x10, 4, 0, 9, 0, 0, 0x28])?.bytes
                == [0x11, 20, 4, 0, 7, 0] + service.packet)
    }

    @Test func `values are read as far as they fit, and on from there`() {
        var server = server()
        let name = Array(Self.name.utf8)
        #expect(server.answer([0x0A, 3, 0])?.bytes == [0x0B] + name.prefix(22))
        #expect(server.answer([0x0C, 3, 0, 22, 0])?.bytes == [0x0D] + name.dropFirst(22))
        #expect(server.answer([0x0C, 3, 0, 0, 0])?.bytes == [0x0D] + name.prefix(22))
        #expect(server.answer([0x0C, 3, 0, 29, 0])?.bytes == [0x0D])
        #expect(server.answer([0x0C, 3, 0, 30, 0])?.bytes == error(0x07, to: 0x0C, at: 3))
        #expect(server.answer([0x0C, 3, 0, 0xFF, 0xFF])?.bytes == error(0x07, to: 0x0C, at: 3))
        #expect(server.answer([0x0A, 10, 0])?.bytes == [0x0B, 90])
        _ = server.answer([0x02, 64, 0])
        #expect(server.answer([0x0A, 3, 0])?.bytes == [0x0B] + name)
    }

    @Test func `declarations are found by type, group and value`() {
        var server = server()
        let characteristics: [[UInt8]] = [
            [2, 0, 0x02, 3, 0, 0, 0x2A], [5, 0, 0x12, 6, 0, 0xF1, 0xFF],
            [9, 0, 0x12, 10, 0, 0x19, 0x2A],
        ]
        #expect(
            server.answer([0x08, 1, 0, 0xFF, 0xFF, 3, 0x28])?.bytes
                == [0x09, 7] + characteristics.joined())
        #expect(
            server.answer([0x08, 3, 0, 8, 0, 3, 0x28])?.bytes == [0x09, 7] + characteristics[1])
        #expect(
            server.answer([0x08, 10, 0, 0xFF, 0xFF, 3, 0x28])?.bytes == error(0x0A, to: 8, at: 10))
        let groups: [[UInt8]] = [
            [1, 0, 3, 0, 0, 0x18], [4, 0, 7, 0, 0xF0, 0xFF], [8, 0, 11, 0, 0x0F, 0x18],
        ]
        #expect(
            server.answer([0x10, 1, 0, 0xFF, 0xFF, 0, 0x28])?.bytes == [0x11, 6] + groups.joined())
        #expect(
            server.answer([0x10, 2, 0, 0xFF, 0xFF, 0, 0x28])?.bytes
                == [0x11, 6] + groups[1...].joined())
        #expect(
            server.answer([0x10, 9, 0, 0xFF, 0xFF, 0, 0x28])?.bytes
                == error(0x0A, to: 0x10, at: 9))
        #expect(
            server.answer([0x10, 1, 0, 0xFF, 0xFF, 3, 0x28])?.bytes
                == error(0x10, to: 0x10, at: 1))
        #expect(
            server.answer([0x06, 1, 0, 0xFF, 0xFF, 0, 0x28, 0xF0, 0xFF])?.bytes
                == [0x07, 4, 0, 7, 0])
        #expect(
            server.answer([0x06, 5, 0, 0xFF, 0xFF, 0, 0x28, 0xF0, 0xFF])?.bytes
                == error(0x0A, to: 6, at: 5))
        // Of both switches, each of which is off.
        #expect(
            server.answer([0x06, 1, 0, 0xFF, 0xFF, 2, 0x29, 0, 0])?.bytes
                == [0x07, 7, 0, 7, 0, 11, 0, 11, 0])
    }
}
