/// A packet of the LE signaling channel, by which the two ends of a link negotiate the link's parameters.
struct L2CAPSignal: Equatable {
    /// What the packet is; the central knows the constants below.
    let code: UInt8
    /// A response has the identifier of its request.
    let identifier: UInt8
    let data: [UInt8]

    private static let reject: UInt8 = 0x01
    private static let updateRequest: UInt8 = 0x12
    private static let updateResponse: UInt8 = 0x13
    private static let connectionRequest: UInt8 = 0x14
    private static let connectionResponse: UInt8 = 0x15

    init(_ code: UInt8, _ identifier: UInt8, _ data: [UInt8]) {
        (self.code, self.identifier, self.data) = (code, identifier, data)
    }

    /// Parses the payload of a frame; nil if the payload is truncated.
    init?(_ payload: [UInt8]) {
        var reader = ByteReader(payload[...])
        guard let code = reader.u8(), let identifier = reader.u8(), let length = reader.u16(),
            let data = reader.bytes(Int(length))
        else { return nil }
        self.init(code, identifier, Array(data))
    }

    var frame: L2CAPFrame {
        var bytes = [code, identifier]
        bytes.append(UInt16(data.count))
        return L2CAPFrame(channel: L2CAPFrame.Channel.signals, payload: bytes + data)
    }

    /// The parameters that a peripheral requests for the link. Nil if the signal is not a request for parameters, or if a
    /// parameter is outside the standard's range.
    var requestedParameters: HCICommand.LinkParameters? {
        guard code == Self.updateRequest else { return nil }
        var reader = ByteReader(data[...])
        guard let low = reader.u16(), let high = reader.u16(), let latency = reader.u16(),
            let supervision = reader.u16(), 6 <= low, low <= high, high <= 3200, latency <= 499,
            10...3200 ~= supervision,
            // The supervision timeout (in units of 10 ms) must be longer than two effective connection intervals (in units of
            // 1.25 ms).
            Int(supervision) * 4 > (1 + Int(latency)) * Int(high)
        else { return nil }
        return HCICommand.LinkParameters(
            interval: low...high, latency: latency, supervision: supervision)
    }

    /// The central's answer; nil if the signal gets no answer.
    var answer: L2CAPSignal? {
        switch code {
        case Self.updateRequest:
            // The result 0 accepts the parameters, 1 rejects them.
            L2CAPSignal(Self.updateResponse, identifier, [requestedParameters == nil ? 1 : 0, 0])
        // Connection-oriented channels are not supported: a response without a channel, and with the result 2.
        case Self.connectionRequest:
            L2CAPSignal(Self.connectionResponse, identifier, [0, 0, 0, 0, 0, 0, 0, 0, 2, 0])
        // Ignores responses to requests that this host has not sent. Also ignores credits for channels that do not exist.
        case Self.reject, Self.updateResponse, Self.connectionResponse, 0x03, 0x05, 0x07, 0x09,
            0x0B,
            0x0D, 0x0F, 0x11, 0x16, 0x18, 0x1A:
            nil
        // The reason 0 means that the code is unknown.
        default: L2CAPSignal(Self.reject, identifier, [0, 0])
        }
    }
}

/// The refusal to pair: this host stores no keys. The constants are codes of the Security Manager Protocol.
enum PairingRefusal {
    private static let pairingRequest: UInt8 = 0x01
    private static let pairingFailed: UInt8 = 0x05
    private static let securityRequest: UInt8 = 0x0B
    private static let notSupported: UInt8 = 0x05

    /// Whether a payload of the security channel is a request to pair.
    static func isPairingRequest(_ payload: [UInt8]) -> Bool {
        payload.first == pairingRequest || payload.first == securityRequest
    }

    /// The answer to a request to pair.
    static let frame = L2CAPFrame(
        channel: L2CAPFrame.Channel.security, payload: [pairingFailed, notSupported])
}
