/// A frame of L2CAP, the protocol that divides a link into channels: the number of a channel, and a payload.
struct L2CAPFrame: Equatable {
    /// The fixed channels of an LE link.
    enum Channel {
        /// Requests, responses and notifications of the Attribute Protocol (ATT).
        static let attributes: UInt16 = 4
        /// Negotiations about the link, such as its parameters.
        static let signals: UInt16 = 5
        /// Pairing.
        static let security: UInt16 = 6
    }

    /// The length of the longest accepted frame, in bytes. This limit is higher than the largest ATT packet of this host.
    static let limit = 1024
    /// The length of the header in bytes: 2 for the length of the payload, and 2 for the channel.
    static let headerLength = 4

    let channel: UInt16
    let payload: [UInt8]

    /// The encoded frame: length, channel, payload.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(UInt16(payload.count))
        bytes.append(channel)
        return bytes + payload
    }
}

/// Assembles frames from the fragments of one direction of a link. A continuing fragment is dropped and counted if there is no
/// incomplete frame before it.
struct L2CAPAssembly {
    private enum State {
        case idle
        /// A frame is incomplete; the value is the bytes that have arrived.
        case incomplete([UInt8])
        /// The frame is too long and is skipped; the value is the number of its bytes that have not arrived yet.
        case skipping(Int)
    }

    private var state = State.idle
    /// How often the fragmentation was wrong: a continuation without a beginning, an incomplete frame, or bytes after the
    /// end of a frame.
    private(set) var fragmentationErrors = 0
    /// The number of frames that were too long.
    private(set) var oversizedFrames = 0

    /// Adds a fragment, and returns the frame that the fragment completes; nil if the frame is incomplete or skipped.
    mutating func add(_ fragment: ACLFragment) -> L2CAPFrame? {
        switch (exchange(&state, with: .idle), fragment.isContinuing) {
        case (.idle, false): return assemble([], fragment.data)
        case (.incomplete(let received), true): return assemble(received, fragment.data)
        case (.skipping(let missing), true):
            if fragment.data.count < missing { state = .skipping(missing - fragment.data.count) }
            return nil
        case (.idle, true):
            fragmentationErrors += 1
            return nil
        case (.incomplete, false), (.skipping, false):
            // A new frame begins although the previous one is incomplete.
            fragmentationErrors += 1
            return assemble([], fragment.data)
        }
    }

    /// Appends the data of a fragment to the received bytes of its frame. Returns the frame if it is complete; else stores its
    /// bytes.
    private mutating func assemble(_ received: [UInt8], _ data: ArraySlice<UInt8>) -> L2CAPFrame? {
        let bytes = received.isEmpty ? Array(data) : received + data
        guard bytes.count >= L2CAPFrame.headerLength else {
            // The header may be fragmented too.
            state = .incomplete(bytes)
            return nil
        }
        let length = L2CAPFrame.headerLength + (Int(bytes[0]) | Int(bytes[1]) << 8)
        guard length <= L2CAPFrame.limit else {
            oversizedFrames += 1
            if bytes.count < length { state = .skipping(length - bytes.count) }
            return nil
        }
        guard bytes.count >= length else {
            state = .incomplete(bytes)
            return nil
        }
        // Bytes after the end of the frame are ignored.
        if bytes.count > length { fragmentationErrors += 1 }
        return L2CAPFrame(
            channel: UInt16(bytes[2]) | UInt16(bytes[3]) << 8,
            payload: Array(bytes[L2CAPFrame.headerLength..<length]))
    }
}
