import Timers

/// Bytes that come at once, and how long after those before them.
struct Piece {
    let pause: Duration
    let bytes: ArraySlice<UInt8>

    /// Pieces as an input has them; what is cut off at the end is one, too.
    static func split(_ input: ArraySlice<UInt8>) -> [Piece] {
        var pieces: [Piece] = []
        var rest = input
        while rest.count >= 2, pieces.count < 1000 {
            let (length, pause) = (Int(rest.removeFirst()), Int64(rest.removeFirst()))
            // From nothing to a minute: each of the central's patiences may come to its end.
            pieces.append(
                Piece(pause: .milliseconds(pause * pause), bytes: rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return pieces
    }
}
