import Testing

@testable import Bluetooth

/// Responses of a simulated buzzer.
///
/// Its attributes by handle: 1 is the service Generic Access, and 3 is the device name. 4 is the service of the buzzer, 6 its
/// value, and 7 the client configuration of that value. 8 is the battery service, 10 the battery level, and 11 the client
/// configuration of that level.
///
/// The first byte of a packet is its opcode. These opcodes are requests: 0x02 for the MTU, 0x04 Find Information, 0x06 Find By
/// Type Value, 0x08 Read By Type, 0x0A Read, 0x0C Read Blob, 0x10 Read By Group Type and 0x12 Write. 0x52 is the command Write.
/// A response has the opcode of its request plus 1.
@Suite struct ATTServerTests {
    private static let name = "Red buzzer of twenty-nine byt"

    private func server() -> ATTServer {
        DeviceAttributes(.buzzer(Self.name, DeviceAddress(bits: 1))).server
    }

    /// The error response to a request.
    private func error(_ code: UInt8, to opcode: UInt8, at handle: UInt16 = 0) -> [UInt8] {
        [0x01, opcode, UInt8(handle & 0xFF), UInt8(handle >> 8), code]
    }

    @Test func `the smaller of the two MTUs applies, but at least the minimum of the standard`() {
        var server = server()
        for (requested, expected): ([UInt8], Int) in [
            ([0x40, 0], 64), ([5, 0], 23), ([0xFF, 0xFF], 247), ([0, 0], 23),
        ] {
            #expect(server.answer([0x02] + requested)?.bytes == [0x03, 247, 0])
            #expect(server.mtu == expected)
        }
    }

    @Test func `handles and types are returned in pages that fit the MTU`() {
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
        // With an MTU of 247 bytes, one page is enough.
        _ = server.answer([0x02, 0xFF, 0xFF])
        #expect(
            server.answer([0x04, 1, 0, 0xFF, 0xFF])?.bytes == [0x05, 1] + pages.flatMap(\.bytes))
    }

    @Test func `16-bit and 128-bit types are in separate pages`() throws {
        let service = try #require(BluetoothUUID("6E400001-B5A3-F393-E0A9-E50E24DCCA9E"))
        let value = try #require(BluetoothUUID("6E400003-B5A3-F393-E0A9-E50E24DCCA9E"))
        var model = DeviceModel("A", DeviceAddress(bits: 1))
        let subscription = Subscription(service: service, characteristic: value)
        model.characteristics = [CharacteristicModel(subscription, .indicates)]
        var server = DeviceAttributes(model).server
        #expect(server.answer([0x04, 5, 0, 7, 0])?.bytes == [0x05, 1, 5, 0, 3, 0x28])
        #expect(
            server.answer([0x04, 6, 0, 7, 0])?.bytes == [0x05, 2, 6, 0] + value.littleEndianBytes)
        #expect(
            server.answer([0x08, 5, 0, 7, 0, 3, 0x28])?.bytes
                == [0x09, 21, 5, 0, 0x22, 6, 0] + value.littleEndianBytes)
        #expect(
            server.answer([0x08, 1, 0, 7, 0] + value.littleEndianBytes)?.bytes == [
                0x09, 3, 6, 0, 0,
            ])
        // The UUIDs of Generic Access and of this service differ in length.
        #expect(
            server.answer([0x10, 1, 0, 9, 0, 0, 0x28])?.bytes == [0x11, 6, 1, 0, 3, 0, 0, 0x18])
        #expect(
            server.answer([0x10, 4, 0, 9, 0, 0, 0x28])?.bytes
                == [0x11, 20, 4, 0, 7, 0] + service.littleEndianBytes)
    }

    @Test func `values are read up to the MTU and continued from an offset`() {
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
        // The search finds the two client configurations, because their values are 0.
        #expect(
            server.answer([0x06, 1, 0, 0xFF, 0xFF, 2, 0x29, 0, 0])?.bytes
                == [0x07, 7, 0, 7, 0, 11, 0, 11, 0])
    }
}

/// Writes to a simulated buzzer, and malformed requests. `ATTServerTests` lists its handles and the opcodes.
@Suite struct ATTServerWritingTests {
    private func attributes() -> DeviceAttributes {
        DeviceAttributes(.buzzer("Red", DeviceAddress(bits: 1)))
    }

    /// The error response to a request.
    private func error(_ code: UInt8, to opcode: UInt8, at handle: UInt16 = 0) -> [UInt8] {
        [0x01, opcode, UInt8(handle & 0xFF), UInt8(handle >> 8), code]
    }

    /// A complete request or command of each kind; each succeeds.
    private static let completePackets: [[UInt8]] = [
        [0x02, 0x40, 0], [0x04, 1, 0, 0xFF, 0xFF], [0x06, 1, 0, 0xFF, 0xFF, 0, 0x28, 0xF0, 0xFF],
        [0x08, 1, 0, 0xFF, 0xFF, 3, 0x28], [0x0A, 3, 0], [0x0C, 3, 0, 1, 0],
        [0x10, 1, 0, 0xFF, 0xFF, 0, 0x28], [0x12, 7, 0, 1, 0], [0x52, 7, 0, 1, 0],
    ]

    @Test func `a client configuration is written by request and by command`() throws {
        var attributes = attributes()
        let handles = try #require(attributes.handles[DeviceModel.buzzerSubscription])
        #expect((handles.value, handles.configuration) == (6, 7))
        #expect(!attributes.isSubscribed(handles))
        #expect(attributes.server.answer([0x12, 7, 0, 1, 0])?.bytes == [0x13])
        #expect(attributes.isSubscribed(handles))
        #expect(attributes.server.answer([0x0A, 7, 0])?.bytes == [0x0B, 1, 0])
        #expect(attributes.server.answer([0x52, 7, 0, 0, 0]) == nil)
        #expect(!attributes.isSubscribed(handles))
        let writes = attributes.server.takeWrites()
        #expect(writes.map(\.handle) == [7, 7])
        #expect(writes.map(\.value) == [[1, 0], [0, 0]])
        #expect(attributes.server.takeWrites().isEmpty)
    }

    @Test func `only client configurations can be written, and only with two bytes`() {
        var server = attributes().server
        let before = server.attributes.map(\.value)
        for handle: UInt16 in [1, 2, 3, 6, 10] {
            let packet: [UInt8] = [0x12, UInt8(handle), 0, 1]
            #expect(server.answer(packet)?.bytes == error(0x03, to: 0x12, at: handle))
        }
        for value: [UInt8] in [[], [1], [1, 0, 0], Array(repeating: 0, count: 600)] {
            #expect(server.answer([0x12, 7, 0] + value)?.bytes == error(0x0D, to: 0x12, at: 7))
            #expect(server.answer([0x52, 7, 0] + value) == nil)
        }
        #expect(server.attributes.map(\.value) == before)
        #expect(server.takeWrites().isEmpty)
    }

    @Test func `a truncated packet gets an error or no response, and changes nothing`() {
        for packet in Self.completePackets {
            var server = attributes().server
            for length in packet.indices {
                let answer = server.answer(Array(packet[..<length]))?.bytes
                let isSilent = length == 0 || packet[0] == 0x52
                #expect((answer == nil) == isSilent, "\(packet[..<length])")
                if let answer {
                    #expect(answer.prefix(2) == [0x01, packet[0]], "\(packet[..<length])")
                    #expect(answer.count == 5)
                }
            }
            #expect(server.mtu == 23)
            #expect(server.takeWrites().isEmpty)
            let answer = server.answer(packet)?.bytes.first
            #expect(answer == (packet[0] == 0x52 ? nil : packet[0] + 1))
        }
    }

    @Test func `invalid handles and ranges get an error`() {
        var server = attributes().server
        for handle: UInt16 in [0, 12, 0xFFFF] {
            let bytes = [UInt8(handle & 0xFF), UInt8(handle >> 8)]
            for packet in [[0x0A] + bytes, [0x0C] + bytes + [0, 0], [0x12] + bytes + [1, 0]] {
                #expect(server.answer(packet)?.bytes == error(0x01, to: packet[0], at: handle))
            }
            #expect(server.answer([0x52] + bytes + [1, 0]) == nil)
            #expect(server[handle] == nil)
            #expect(server.value(of: handle) == [])
        }
        let requestEnds: [(UInt8, [UInt8])] = [
            (0x04, []), (0x06, [0, 0x28, 0xF0, 0xFF]), (0x08, [3, 0x28]), (0x10, [0, 0x28]),
        ]
        for (opcode, end) in requestEnds {
            for range: [UInt8] in [[0, 0, 0, 0], [0, 0, 0xFF, 0xFF], [2, 0, 1, 0]] {
                let answer = server.answer([opcode] + range + end)?.bytes
                #expect(answer == error(0x01, to: opcode), "\(opcode)")
            }
            let answer = server.answer([opcode, 0xFF, 0xFF, 0xFF, 0xFF] + end)?.bytes
            #expect(answer == error(0x0A, to: opcode, at: 0xFFFF), "\(opcode)")
        }
    }

    @Test func `unknown requests get an error, and unknown commands no response`() {
        var server = attributes().server
        for opcode in UInt8.min...UInt8.max
        where Self.completePackets.allSatisfy({ $0[0] != opcode }) {
            let answer = server.answer([opcode, 1, 0, 2, 0])?.bytes
            // Responses and notifications are not requests; bit 6 marks a command.
            let knownOpcode = ATTOpcode(rawValue: opcode)
            let isSilent = knownOpcode.map { !$0.isRequest } ?? (opcode & 0x40 != 0)
            #expect(answer == (isSilent ? nil : error(0x06, to: opcode)), "\(opcode)")
        }
        let unsupportedRequests: [UInt8] = [0x0E, 0x16, 0x18, 0x20, 0x2F, 0x00, 0xBF]
        for opcode in unsupportedRequests {
            #expect(server.answer([opcode])?.bytes == error(6, to: opcode))
        }
        for opcode: UInt8 in [0xD2, 0x40, 0xFF, 0x1E, 0x0B] {
            #expect(server.answer([opcode]) == nil)
        }
        #expect(server.answer([]) == nil)
    }

    @Test func `a reset restores the MTU and the subscriptions only`() {
        var server = attributes().server
        server.set([4], at: 6)
        let before = server.attributes.map(\.value)
        _ = server.answer([0x02, 100, 0])
        _ = server.answer([0x12, 7, 0, 1, 0])
        _ = server.answer([0x12, 11, 0, 1, 0])
        #expect(server.mtu == 100)
        #expect(server.attributes.map(\.value) != before)
        server.reset()
        #expect(server.mtu == 23)
        #expect(server.attributes.map(\.value) == before)
        #expect(server.value(of: 6) == [4])
    }
}
