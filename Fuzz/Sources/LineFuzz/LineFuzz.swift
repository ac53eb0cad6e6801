import Fuzzing
import GameFlow
import ShippedFlows

/// Fuzzes the line protocol, without a socket, and checks the replies.
///
/// The bytes of an input arrive once in pieces of the size `pieceSize`, and once as a whole. The replies must be the same in
/// both cases: they depend only on the lines.
@main struct LineFuzz {
    /// Shared by all inputs, because flows do not change.
    nonisolated(unsafe) static let flows = [any Flow].shipped.map { $0.anyFlow }

    static func main() { fuzz { LineFuzz.test($0, $1) } }

    static func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
        let lines = UnsafeRawBufferPointer(start: data, count: size)
        // A `FuzzedClient` passes lines to sessions of its own, and checks the form of each reply.
        let inPieces = FuzzedClient(flows)
        inPieces.receive(lines, inPiecesOf: pieceSize(for: Array(lines)))
        let whole = FuzzedClient(flows)
        whole.receive(lines, inPiecesOf: max(1, lines.count))
        check(
            inPieces.output == whole.output, "the pieces in which lines arrive change the replies")
        // Closes all sessions, and checks that no timer is left.
        inPieces.end()
        whole.end()
        return 0
    }
}
