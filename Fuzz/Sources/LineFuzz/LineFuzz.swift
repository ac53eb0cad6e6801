import Fuzzing
import GameFlow
import ShippedFlows

/// Fuzzes the line protocol below the socket and checks the replies.
///
/// An input's first byte is the size of the pieces in which the rest arrives. It arrives once in pieces and once as a
/// whole: both must give the same replies, because everything below the socket is deterministic.
@main struct LineFuzz {
    /// Shared by all inputs: a flow has no state.
    nonisolated(unsafe) static let flows = AnyFlow.shipped()

    static func main() { fuzz { LineFuzz.test($0, $1) } }

    static func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
        let input = UnsafeRawBufferPointer(start: data, count: size)
        guard let first = input.first else { return 0 }
        let lines = UnsafeRawBufferPointer(rebasing: input.dropFirst())
        let inPieces = FuzzedClient(flows)
        inPieces.receive(lines, inPiecesOf: 1 + Int(first))
        let whole = FuzzedClient(flows)
        whole.receive(lines, inPiecesOf: max(1, lines.count))
        check(
            inPieces.output == whole.output, "the pieces in which lines arrive change the replies")
        inPieces.end()
        whole.end()
        return 0
    }
}
