import Fuzzing

@testable import GamedServer

/// Fuzzes the framing of HTTP messages.
///
/// The bytes of an input arrive once in pieces of the size `pieceSize`, and once as a whole. The output, the messages for
/// libevent, must be the same in both cases, and well formed.
@main struct FramingFuzz {
    private static let headLimit = 16_384

    static func main() { fuzz { FramingFuzz.test($0, $1) } }

    static func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
        let bytes = Array(UnsafeBufferPointer(start: data, count: size))
        let (whole, output) = frame(bytes, inPiecesOf: max(1, bytes.count), headLimit)
        let (split, outputOfPieces) = frame(bytes, inPiecesOf: pieceSize(for: bytes), headLimit)
        check(output == outputOfPieces, "the pieces in which bytes arrive change the output")
        check(whole.failure == split.failure, "the pieces in which bytes arrive change the failure")
        check(
            whole.messageCount == split.messageCount,
            "the pieces in which bytes arrive change the count")
        // The output may be longer than the input, because each line feed that ended a line has become CR LF. So the limit is
        // twice as high.
        let (again, outputAgain) = frame(output, inPiecesOf: max(1, output.count), 2 * headLimit)
        check(again.failure == nil, "the output is malformed: \(again.failure?.why ?? "")")
        check(outputAgain == output, "the output is not stable")
        check(again.messageCount == whole.messageCount, "the output has another number of messages")
        return 0
    }

    private static func frame(_ bytes: [UInt8], inPiecesOf size: Int, _ headLimit: Int)
        -> (HTTPFraming, [UInt8])
    {
        var framing = HTTPFraming(headLimit: headLimit)
        var output: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            output += framing.process(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        return (framing, output)
    }
}
