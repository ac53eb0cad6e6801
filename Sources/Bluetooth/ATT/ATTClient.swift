import Timers

/// Sends ATT requests to a device, one at a time, as the protocol requires.
final class ATTClient {
    /// Receives the response; nil if the device did not respond in time, or its response was
    /// malformed.
    typealias Completion = (ATTResponse?) -> Void

    private enum State {
        case idle
        case asked(ATTOpcode, ScopedCountdown, Completion)
        /// The device did not respond or its response was malformed. The protocol allows no
        /// further request over this link.
        case ended
    }

    private var state = State.idle
    private let clock: any TimerClock
    private let timeout: Duration
    private let send: (ATTPacket) -> Void

    init(on clock: any TimerClock, timeout: Duration, send: @escaping (ATTPacket) -> Void) {
        (self.clock, self.timeout, self.send) = (clock, timeout, send)
    }

    /// Sends a request whose parameters are 16-bit numbers (`words`) and then `bytes`. Calls `completion` with nil at once
    /// if another request is in progress, or if the protocol allows no further request.
    func request(
        _ opcode: ATTOpcode, _ words: [UInt16], _ bytes: [UInt8] = [], _ completion: @escaping Completion
    ) {
        guard case .idle = state else { return completion(nil) }
        let timer = ScopedCountdown(on: clock, timeout) { [unowned self] in
            state = .ended
            completion(nil)
        }
        state = .asked(opcode, timer, completion)
        send(ATTPacket(opcode, words, bytes))
    }

    /// Takes a packet from the device. Ignores a packet that does not answer the request in progress.
    func receive(_ payload: [UInt8]) {
        guard case .asked(let opcode, _, let completion) = state,
            ATTResponse.isResponse(payload, to: opcode)
        else { return }
        let answer = ATTResponse(payload, to: opcode)
        state = answer == nil ? .ended : .idle
        completion(answer)
    }
}

/// A device's response to an ATT request.
enum ATTResponse: Equatable {
    case mtu(Int)
    /// Handles and types of attributes, in ascending order of the handles.
    case information([Attribute])
    case value([UInt8])
    /// The device has accepted a write request.
    case written
    case refused(ATTError)

    struct Attribute: Equatable {
        let handle: UInt16
        let type: BluetoothUUID
    }

    /// Whether a packet is the response, or the error response, to a request.
    static func isResponse(_ payload: [UInt8], to request: ATTOpcode) -> Bool {
        guard let first = payload.first else { return false }
        if first == ATTOpcode.error.rawValue {
            return payload.count < 2 || payload[1] == request.rawValue
        }
        // The opcode of a response is that of its request plus 1.
        return first == request.rawValue + 1
    }

    /// Parses a packet as the response to `request`; nil if it answers another request or is
    /// malformed.
    init?(_ payload: [UInt8], to request: ATTOpcode) {
        var reader = ByteReader(payload[...])
        guard let opcode = reader.u8().flatMap(ATTOpcode.init(rawValue:)) else { return nil }
        switch (opcode, request) {
        case (.error, _):
            guard reader.u8() == request.rawValue, reader.u16() != nil, let code = reader.u8()
            else { return nil }
            self = .refused(ATTError(rawValue: code))
        case (.mtuResponse, .mtuRequest):
            guard let mtu = reader.u16() else { return nil }
            self = .mtu(Int(mtu))
        case (.findInformationResponse, .findInformationRequest):
            guard let attributes = Self.attributes(&reader) else { return nil }
            self = .information(attributes)
        case (.readResponse, .readRequest): self = .value(Array(reader.remaining))
        case (.writeResponse, .writeRequest): self = .written
        default: return nil
        }
    }

    /// Parses the pairs of a handle and a type in a Find Information response. The first byte is the format of all types: 1
    /// means 16-bit UUIDs, 2 means 128-bit UUIDs. Nil if the list is empty or truncated.
    private static func attributes(_ reader: inout ByteReader) -> [Attribute]? {
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
