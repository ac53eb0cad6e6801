/// A packet of the Attribute Protocol (ATT) that this host, or a simulated device, sends.
struct ATTPacket: Equatable {
    /// The maximum length of a packet (MTU), in bytes, until the two ends have negotiated another.
    static let defaultMTU = 23
    /// The largest MTU that this host negotiates, in bytes. It is the payload of the longest LE data packet (251) minus the
    /// header of the L2CAP frame (4).
    static let maximumMTU = 247

    let bytes: [UInt8]

    init(_ opcode: ATTOpcode, _ parameters: [UInt8] = []) {
        bytes = [opcode.rawValue] + parameters
    }

    /// A packet whose parameters are 16-bit numbers (`words`, which become little-endian bytes) and then `bytes`.
    init(_ opcode: ATTOpcode, _ words: [UInt16], _ bytes: [UInt8] = []) {
        var packet = [opcode.rawValue]
        for word in words { packet.append(word) }
        self.bytes = packet + bytes
    }

    /// The error response to a request with the opcode `opcode`, which may be unknown. `handle` is the attribute that caused
    /// the error; 0 for none.
    static func error(_ error: ATTError, to opcode: UInt8, at handle: UInt16 = 0) -> ATTPacket {
        var parameters = [opcode]
        parameters.append(handle)
        return ATTPacket(.error, parameters + [error.rawValue])
    }

    /// The packet in an L2CAP frame, which a link transports.
    var frame: L2CAPFrame { L2CAPFrame(channel: L2CAPFrame.Channel.attributes, payload: bytes) }
}

/// An opcode of the Attribute Protocol (ATT).
enum ATTOpcode: UInt8, CaseIterable {
    case error = 0x01
    case mtuRequest = 0x02
    case mtuResponse = 0x03
    case findInformationRequest = 0x04
    case findInformationResponse = 0x05
    case findByTypeValueRequest = 0x06
    case findByTypeValueResponse = 0x07
    case readByTypeRequest = 0x08
    case readByTypeResponse = 0x09
    case readRequest = 0x0A
    case readResponse = 0x0B
    case readBlobRequest = 0x0C
    case readBlobResponse = 0x0D
    case readMultipleRequest = 0x0E
    case readByGroupRequest = 0x10
    case readByGroupResponse = 0x11
    case writeRequest = 0x12
    case writeResponse = 0x13
    case prepareWriteRequest = 0x16
    case executeWriteRequest = 0x18
    case notification = 0x1B
    case indication = 0x1D
    case confirmation = 0x1E
    case readMultipleVariableRequest = 0x20
    case writeCommand = 0x52

    /// Whether the receiver must send a response.
    var isRequest: Bool {
        switch self {
        case .mtuRequest, .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest,
            .readRequest, .readBlobRequest, .readMultipleRequest, .readByGroupRequest,
            .writeRequest, .prepareWriteRequest, .executeWriteRequest,
            .readMultipleVariableRequest:
            true
        default: false
        }
    }

    /// Whether a server sends packets with this opcode on its own, not as responses.
    var isServerInitiated: Bool { self == .notification || self == .indication }
}

/// An error code of the Attribute Protocol (ATT).
struct ATTError: RawRepresentable, Hashable, Sendable, Error {
    let rawValue: UInt8

    static let invalidHandle = ATTError(rawValue: 0x01)
    static let readNotPermitted = ATTError(rawValue: 0x02)
    static let writeNotPermitted = ATTError(rawValue: 0x03)
    static let invalidPDU = ATTError(rawValue: 0x04)
    static let insufficientAuthentication = ATTError(rawValue: 0x05)
    static let requestNotSupported = ATTError(rawValue: 0x06)
    static let invalidOffset = ATTError(rawValue: 0x07)
    static let attributeNotFound = ATTError(rawValue: 0x0A)
    static let invalidLength = ATTError(rawValue: 0x0D)
    static let unsupportedGroup = ATTError(rawValue: 0x10)

    /// Whether the device requires pairing, which this host does not support.
    var requiresPairing: Bool {
        // Insufficient authentication, authorization, encryption key size, and encryption.
        [0x05, 0x08, 0x0C, 0x0F].contains(rawValue)
    }
}
