import Timers

/// The client end of the Attribute Protocol (ATT) on one link: sends requests to the device, one at a time, as the protocol
/// requires. Each `Link` has a client, and the link's `Discovery` makes the requests.
final class ATTClient {
    /// Receives the response; nil if the device did not respond in time, or its response was
    /// malformed.
    typealias Completion = (ATTResponse?) -> Void

    private enum State {
        case idle
        /// A request was sent; the timer limits the time for its response.
        case awaitingResponse(to: ATTOpcode, ScopedCountdown, Completion)
        /// The device did not respond or its response was malformed. The protocol allows no
        /// further request over this link.
        case ended
    }

    private var state = State.idle
    private let clock: any TimerClock
    /// How long the device may take to respond.
    private let timeout: Duration
    private let send: (ATTPacket) -> Void

    init(on clock: any TimerClock, timeout: Duration, send: @escaping (ATTPacket) -> Void) {
        (self.clock, self.timeout, self.send) = (clock, timeout, send)
    }

    /// Sends a request whose parameters are 16-bit numbers (`words`) and then `bytes`. Calls `completion` with nil at once
    /// if another request is in progress, or if the protocol allows no further request.
    func request(
        _ opcode: ATTOpcode, _ words: [UInt16], _ bytes: [UInt8] = [],
        _ completion: @escaping Completion
    ) {
        guard case .idle = state else { return completion(nil) }
        let timer = ScopedCountdown(on: clock, timeout) { [unowned self] in
            state = .ended
            completion(nil)
        }
        state = .awaitingResponse(to: opcode, timer, completion)
        send(ATTPacket(opcode, words, bytes))
    }

    /// Receives a packet from the device. Ignores a packet that does not answer the request in progress.
    func receive(_ payload: [UInt8]) {
        guard case .awaitingResponse(let opcode, _, let completion) = state,
            ATTResponse.isResponse(payload, to: opcode)
        else { return }
        let response = ATTResponse(payload, to: opcode)
        state = response == nil ? .ended : .idle
        completion(response)
    }
}

/// A device's response to an ATT request.
enum ATTResponse: Equatable {
    /// The length of the longest packet that the device can receive, in bytes.
    case mtu(Int)
    /// Handles and types of attributes, in ascending order of the handles.
    case information([Attribute])
    /// The value of the attribute that was read.
    case value([UInt8])
    /// The device has accepted a write request.
    case written
    /// The device has sent an error response.
    case refused(ATTError)

    /// The handle by which requests name an attribute, and the attribute's type.
    struct Attribute: Equatable {
        let handle: UInt16
        let type: BluetoothUUID
    }

    /// Whether a packet is the response, or the error response, to a request. The packet may be malformed.
    static func isResponse(_ payload: [UInt8], to request: ATTOpcode) -> Bool {
        guard let first = payload.first else { return false }
        if first == ATTOpcode.error.rawValue {
            // The second byte is the opcode of the refused request. An error response without it can only answer the request in
            // progress.
            return payload.count < 2 || payload[1] == request.rawValue
        }
        // The opcode of a response is the opcode of its request plus 1.
        return first == request.rawValue + 1
    }

    /// Parses a packet as the response to `request`; nil if it answers another request or is
    /// malformed.
    init?(_ payload: [UInt8], to request: ATTOpcode) {
        var reader = ByteReader(payload[...])
        guard let opcode = reader.u8().flatMap(ATTOpcode.init(rawValue:)) else { return nil }
        switch (opcode, request) {
        case (.error, _):
            // The opcode of the refused request, the handle of an attribute, and the error.
            guard reader.u8() == request.rawValue, reader.u16() != nil, let code = reader.u8()
            else { return nil }
            self = .refused(ATTError(rawValue: code))
        case (.mtuResponse, .mtuRequest):
            guard let mtu = reader.u16() else { return nil }
            self = .mtu(Int(mtu))
        case (.findInformationResponse, .findInformationRequest):
            guard let attributes = Self.parseAttributes(&reader) else { return nil }
            self = .information(attributes)
        case (.readResponse, .readRequest): self = .value(Array(reader.remaining))
        case (.writeResponse, .writeRequest): self = .written
        default: return nil
        }
    }

    /// Parses a Find Information response without its opcode. Its first byte is the format of all types: 1 for 16-bit UUIDs,
    /// 2 for 128-bit UUIDs. Pairs of a handle and a type follow. Nil if there is no pair, or one is truncated.
    private static func parseAttributes(_ reader: inout ByteReader) -> [Attribute]? {
        guard let format = reader.u8(), 1...2 ~= format else { return nil }
        var attributes: [Attribute] = []
        while let handle = reader.u16() {
            guard let bytes = reader.bytes(format == 1 ? 2 : 16),
                let type = BluetoothUUID(packet: bytes)
            else { return nil }
            attributes.append(Attribute(handle: handle, type: type))
        }
        return attributes.isEmpty || !reader.isEmpty ? nil : attributes
    }
}
