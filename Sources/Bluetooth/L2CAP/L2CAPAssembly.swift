/// Puts the fragments of one link together. What does not belong together is dropped, and counted.
struct L2CAPAssembly {
    private enum State {
        case idle
        /// A frame has begun, of which so many bytes are there.
        case gathering([UInt8])
        /// A frame is longer than is taken, and so many bytes of it are still to come.
        case skipping(Int)
    }

    private var state = State.idle
    /// How many fragments belonged nowhere, and how many frames were longer than is taken.
    private(set) var strays = 0
    private(set) var oversized = 0

    /// Takes in a fragment; a frame, once it is whole.
    mutating func take(_ fragment: ACLFragment) -> L2CAPFrame? {
        switch (exchange(&state, with: .idle), fragment.isContinuing) {
        case (.idle, false): return gather([], fragment.data)
        case (.gathering(let begun), true): return gather(begun, fragment.data)
        case (.skipping(let rest), true):
            if fragment.data.count < rest { state = .skipping(rest - fragment.data.count) }
            return nil
        case (.idle, true):
            strays += 1
            return nil
        case (.gathering, false), (.skipping, false):
            // The one before it was never finished.
            strays += 1
            return gather([], fragment.data)
        }
    }

    private mutating func gather(_ begun: [UInt8], _ data: ArraySlice<UInt8>) -> L2CAPFrame? {
        let bytes = begun.isEmpty ? Array(data) : begun + data
        guard bytes.count >= 4 else {
            // Even the header may come in pieces.
            state = .gathering(bytes)
            return nil
        }
        let length = 4 + (Int(bytes[0]) | Int(bytes[1]) << 8)
        guard length <= L2CAPFrame.limit else {
            oversized += 1
            if bytes.count < length { state = .skipping(length - bytes.count) }
            return nil
        }
        guard bytes.count >= length else {
            state = .gathering(bytes)
            return nil
        }
        // What is behind the end belongs to nothing.
        if bytes.count > length { strays += 1 }
        return L2CAPFrame(
            channel: UInt16(bytes[2]) | UInt16(bytes[3]) << 8, payload: Array(bytes[4..<length]))
    }
}
