import CFuzzer
import GameFlow
import Glibc

/// Feeds made-up bytes to the daemon's conversations, as a socket would, and checks what comes back.
///
/// An input's first byte says in how large pieces the rest arrives. It arrives once in these pieces and
/// once whole: both must give the same answers, for all below the socket is deterministic.
@main struct LineFuzz {
    /// Made once: a flow knows nothing but its rules.
    nonisolated(unsafe) static let flows = AnyFlow.shipped()

    static func main() {
        var count = CommandLine.argc
        var arguments = Optional(CommandLine.unsafeArgv)
        exit(
            withUnsafeMutablePointer(to: &arguments) { place in
                place.withMemoryRebound(
                    to: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?.self, capacity: 1
                ) { LLVMFuzzerRunDriver(&count, $0) { LineFuzz.test($0, $1) } }
            })
    }

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

/// Ends the fuzzer with a finding, and says which.
func check(_ isSo: Bool, _ otherwise: @autoclosure () -> String) {
    if !isSo { fatalError("finding: \(otherwise())") }
}
