import Timers

/// Bytes that arrive together, and the delay before them.
struct Piece {
    let pause: Duration
    let bytes: ArraySlice<UInt8>

    /// The pieces of an input. The last piece may be shorter than its length byte says.
    static func split(_ input: ArraySlice<UInt8>) -> [Piece] {
        var pieces: [Piece] = []
        var remaining = input
        while remaining.count >= 2, pieces.count < 1000 {
            let (length, pause) = (Int(remaining.removeFirst()), Int64(remaining.removeFirst()))
            // The square is between zero and about a minute, so that each of the central's time-outs can be reached.
            pieces.append(
                Piece(pause: .milliseconds(pause * pause), bytes: remaining.prefix(length)))
            remaining = remaining.dropFirst(length)
        }
        return pieces
    }
}
