import Testing

@testable import Bluetooth

/// What is written to a simulated buzzer, and what is no right request at all.
@Suite struct ATTServerWritingTests {
    private func attributes() -> DeviceAttributes {
        DeviceAttributes(.buzzer("Red", DeviceAddress(bits: 1)))
    }

    private func error(_ code: UInt8, to opcode: UInt8, at handle: UInt16 = 0) -> [UInt8] {
        [0x01, opcode, UInt8(handle & 0xFF), UInt8(handle >> 8), code]
    }

    /// A whole one of each kind, all of which are carried out.
    private static let whole: [[UInt8]] = [
        [0x02, 0x40, 0], [0x04, 1, 0, 0xFF, 0xFF], [0x06, 1, 0, 0xFF, 0xFF, 0, 0x28, 0xF0, 0xFF],
        [0x08, 1, 0, 0xFF, 0xFF, 3, 0x28], [0x0A, 3, 0], [0x0C, 3, 0, 1, 0],
        [0x10, 1, 0, 0xFF, 0xFF, 0, 0x28], [0x12, 7, 0, 1, 0], [0x52, 7, 0, 1, 0],
    ]

    @Test func `a switch is written by request and by command`() throws {
        var attributes = attributes()
        let place = try #require(attributes.places[DeviceModel.buzzerSubscription])
        #expect((place.value, place.configuration) == (6, 7))
        #expect(!attributes.isDelivering(place))
        #expect(attributes.server.answer([0x12, 7, 0, 1, 0])?.bytes == [0x13])
        #expect(attributes.isDelivering(place))
        #expect(attributes.server.answer([0x0A, 7, 0])?.bytes == [0x0B, 1, 0])
        #expect(attributes.server.answer([0x52, 7, 0, 0, 0]) == nil)
        #expect(!attributes.isDelivering(place))
        let written = attributes.server.takeWritten()
        #expect(written.map(\.handle) == [7, 7])
        #expect(written.map(\.value) == [[1, 0], [0, 0]])
        #expect(attributes.server.takeWritten().isEmpty)
    }

    @Test func `only switches are written, with as many bytes as they have`() {
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
        #expect(server.takeWritten().isEmpty)
    }

    @Test func `what is cut off gets an error or silence, and changes nothing`() {
        for packet in Self.whole {
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
            #expect(server.takeWritten().isEmpty)
            let answer = server.answer(packet)?.bytes.first
            #expect(answer == (packet[0] == 0x52 ? nil : packet[0] + 1))
        }
    }

    @Test func `there is nothing at handle 0, at the last one, and in no range`() {
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
        let tails: [(UInt8, [UInt8])] = [
            (0x04, []), (0x06, [0, 0x28, 0xF0, 0xFF]), (0x08, [3, 0x28]), (0x10, [0, 0x28]),
        ]
        for (opcode, tail) in tails {
            for range: [UInt8] in [[0, 0, 0, 0], [0, 0, 0xFF, 0xFF], [2, 0, 1, 0]] {
                let answer = server.answer([opcode] + range + tail)?.bytes
                #expect(answer == error(0x01, to: opcode), "\(opcode)")
            }
            let answer = server.answer([opcode, 0xFF, 0xFF, 0xFF, 0xFF] + tail)?.bytes
            #expect(answer == error(0x0A, to: opcode, at: 0xFFFF), "\(opcode)")
        }
    }

    @Test func `unknown requests are not supported, and commands get silence`() {
        var server = attributes().server
        for opcode in UInt8.min...UInt8.max where Self.whole.allSatisfy({ $0[0] != opcode }) {
            let answer = server.answer([opcode, 1, 0, 2, 0])?.bytes
            // What answers or tells is no request, and 0x40 is the bit of commands.
            let known = ATTOpcode(rawValue: opcode)
            let isSilent = known.map { !$0.isRequest } ?? (opcode & 0x40 != 0)
            #expect(answer == (isSilent ? nil : error(0x06, to: opcode)), "\(opcode)")
        }
        let asked: [UInt8] = [0x0E, 0x16, 0x18, 0x20, 0x2F, 0x00, 0xBF]
        for opcode in asked { #expect(server.answer([opcode])?.bytes == error(6, to: opcode)) }
        for opcode: UInt8 in [0xD2, 0x40, 0xFF, 0x1E, 0x0B] {
            #expect(server.answer([opcode]) == nil)
        }
        #expect(server.answer([]) == nil)
    }

    @Test func `a reset takes the MTU and the subscriptions back, and nothing else`() {
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
