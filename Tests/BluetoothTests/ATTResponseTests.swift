import Testing

@testable import Bluetooth

@Suite struct ATTResponseTests {
    /// The bytes of a 128-bit UUID.
    private static let longUUID: [UInt8] = Array(0..<16)

    /// Requests, each with a complete response and the expected result of parsing this response. A response that begins with
    /// 0x01 is an error: the opcode of the request, a handle and an error code follow.
    private static let validResponses: [(request: ATTOpcode, bytes: [UInt8], answer: ATTResponse)] =
        [
            (.mtuRequest, [0x03, 0xF7, 0], .mtu(247)),
            (.mtuRequest, [0x03, 0xFF, 0xFF], .mtu(65535)),
            (
                .findInformationRequest, [0x05, 1, 1, 0, 0, 0x28, 2, 0, 3, 0x28],
                .information([
                    .init(handle: 1, type: .primaryService),
                    .init(handle: 2, type: .characteristic),
                ])
            ),
            (
                .findInformationRequest, [0x05, 2, 0xFF, 0xFF] + longUUID,
                .information([.init(handle: .max, type: BluetoothUUID(packet: longUUID[...])!)])
            ),
            (.readRequest, [0x0B], .value([])),
            (.readRequest, [0x0B, 1, 2, 3], .value([1, 2, 3])),
            (.writeRequest, [0x13], .written),
            (.writeRequest, [0x01, 0x12, 7, 0, 0x05], .refused(.insufficientAuthentication)),
            (.readRequest, [0x01, 0x0A, 7, 0, 0xFE], .refused(ATTError(rawValue: 0xFE))),
        ]

    @Test func `valid responses are parsed`() {
        for (request, bytes, answer) in Self.validResponses {
            #expect(ATTResponse.isResponse(bytes, to: request))
            #expect(ATTResponse(bytes, to: request) == answer)
        }
    }

    @Test func `a response to another request is not accepted`() {
        let requests: [ATTOpcode] = [
            .mtuRequest, .findInformationRequest, .readRequest, .writeRequest,
        ]
        for (request, bytes, _) in Self.validResponses {
            for other in requests where other != request {
                #expect(!ATTResponse.isResponse(bytes, to: other), "\(request) \(other)")
                #expect(ATTResponse(bytes, to: other) == nil, "\(request) \(other)")
            }
        }
        for request in requests {
            #expect(!ATTResponse.isResponse([], to: request))
            // A notification, an indication, and the request itself.
            for otherPacket: [UInt8] in [
                [0x1B, 6, 0, 1], [0x1D, 6, 0, 1], [request.rawValue, 1, 0],
            ] {
                #expect(!ATTResponse.isResponse(otherPacket, to: request))
                #expect(ATTResponse(otherPacket, to: request) == nil)
            }
        }
    }

    @Test(
        arguments: [
            (.mtuRequest, [0x03]), (.mtuRequest, [0x03, 0xF7]),
            // No format, empty lists, unknown formats, and truncated pairs of a handle and a type.
            (.findInformationRequest, [0x05]), (.findInformationRequest, [0x05, 1]),
            (.findInformationRequest, [0x05, 2]), (.findInformationRequest, [0x05, 0, 1, 0, 0, 0]),
            (.findInformationRequest, [0x05, 3, 1, 0, 0, 0x28]),
            (.findInformationRequest, [0x05, 1, 1]), (.findInformationRequest, [0x05, 1, 1, 0]),
            (.findInformationRequest, [0x05, 1, 1, 0, 0]),
            (.findInformationRequest, [0x05, 1, 1, 0, 0, 0x28, 2]),
            (.findInformationRequest, [0x05, 1, 1, 0, 0, 0x28, 2, 0]),
            (.findInformationRequest, [0x05, 2, 1, 0] + longUUID.dropLast()),
            (.findInformationRequest, [0x05, 2, 1, 0] + longUUID + [2]),
            (.readRequest, [0x01]), (.readRequest, [0x01, 0x0A]), (.readRequest, [0x01, 0x0A, 7]),
            (.readRequest, [0x01, 0x0A, 7, 0]),
        ] as [(ATTOpcode, [UInt8])])
    func `a malformed packet counts as the response to the request, but is parsed as nil`(
        _ request: ATTOpcode, _ bytes: [UInt8]
    ) {
        #expect(ATTResponse.isResponse(bytes, to: request))
        #expect(ATTResponse(bytes, to: request) == nil)
    }

    @Test func `four error codes mean that pairing is required`() {
        let pairingCodes = (UInt8.min...UInt8.max).filter { ATTError(rawValue: $0).requiresPairing }
        #expect(pairingCodes == [0x05, 0x08, 0x0C, 0x0F])
    }
}
