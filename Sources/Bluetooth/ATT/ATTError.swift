/// Why an attribute was not given or taken: the attribute protocol's error codes.
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
    static let insufficientEncryption = ATTError(rawValue: 0x0F)
    static let unsupportedGroup = ATTError(rawValue: 0x10)

    /// Whether it wants keys, which this host does not make.
    var wantsPairing: Bool { [0x05, 0x08, 0x0C, 0x0F].contains(rawValue) }
}
