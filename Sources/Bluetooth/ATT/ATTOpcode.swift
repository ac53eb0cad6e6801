/// What a packet of the attribute protocol is.
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

    /// Whether whoever gets it owes an answer.
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

    /// Whether a device tells by it what nobody asked at that moment.
    var isDelivering: Bool { self == .notification || self == .indication }
}
