import Timers

/// Bytes that arrive together, and the delay before them.
struct Piece {
    let pause: Duration
    let bytes: ArraySlice<UInt8>

    /// The pieces of an input; an incomplete last one counts, too.
    static func split(_ input: ArraySlice<UInt8>) -> [Piece] {
        var pieces: [Piece] = []
        var rest = input
        while rest.count >= 2, pieces.count < 1000 {
            let (length, pause) = (Int(rest.removeFirst()), Int64(rest.removeFirst()))
            // From zero to a minute, so that each of the central's time-outs can be reached.
            pieces.append(
                Piece(pause: .milliseconds(pause * pause), bytes: rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return pieces
    }
}
