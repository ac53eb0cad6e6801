import Fuzzing
import GameFlow
import ShippedFlows

/// Feeds made-up bytes to the daemon's conversations, as a socket would, and checks what comes back.
///
/// An input's first byte says in how large pieces the rest arrives. It arrives once in these pieces and
/// once whole: both must give the same answers, for all below the socket is deterministic.
@main struct LineFuzz {
    /// Made once: a flow knows nothing but its rules.
    nonisolated(unsafe) static let flows = AnyFlow.shipped()

    static func main() { fuzz { LineFuzz.test($0, $1) } }

    static func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
        let input = UnsafeRawBufferPointer(start: data, count: size)
        guard let first = input.first else { return 0 }
        let lines = UnsafeRawBufferPointer(rebasing: input.dropFirst())
        let inPieces = Talk(flows)
        inPieces.hear(lines, inPiecesOf: 1 + Int(first))
        let whole = Talk(flows)
        whole.hear(lines, inPiecesOf: max(1, lines.count))
        check(inPieces.said == whole.said, "the pieces in which lines arrive change the answers")
        inPieces.end()
        whole.end()
        return 0
    }
}
