/// What is said to who wants to pair: that this host does not. Devices that insist on keys belong to a host that
/// keeps them.
enum SecurityRefusal {
    private static let pairingRequest: UInt8 = 0x01
    private static let pairingFailed: UInt8 = 0x05
    private static let securityRequest: UInt8 = 0x0B
    private static let notSupported: UInt8 = 0x05

    /// Whether a payload of the security channel asks for it.
    static func isDue(to payload: [UInt8]) -> Bool {
        payload.first == pairingRequest || payload.first == securityRequest
    }

    static let frame = L2CAPFrame(
        channel: L2CAPFrame.Channel.security, payload: [pairingFailed, notSupported])
}
