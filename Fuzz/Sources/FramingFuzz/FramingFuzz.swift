import Fuzzing
import HTTP

/// Feeds made-up bytes to what checks where each message of HTTP ends.
///
/// An input's first byte says in how large pieces the rest arrives. It arrives once in these pieces and once
/// whole: both must pass on the same. What is passed on is itself well formed, whatever came in.
@main struct FramingFuzz {
    private static let headLimit = 16_384

    static func main() { fuzz { FramingFuzz.test($0, $1) } }

    static func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
        let input = Array(UnsafeBufferPointer(start: data, count: size))
        guard let first = input.first else { return 0 }
        let bytes = Array(input.dropFirst())
        let (whole, passed) = frame(bytes, inPiecesOf: max(1, bytes.count), headLimit)
        let (split, inPieces) = frame(bytes, inPiecesOf: 1 + Int(first), headLimit)
        check(passed == inPieces, "the pieces in which bytes arrive change what is passed on")
        check(whole.failure == split.failure, "the pieces in which bytes arrive change the failure")
        check(whole.messages == split.messages, "the pieces in which bytes arrive change the count")
        // Line ends that were LF alone are longer now.
        let (again, passedAgain) = frame(passed, inPiecesOf: max(1, passed.count), 2 * headLimit)
        check(again.failure == nil, "what is passed on is malformed: \(again.failure?.why ?? "")")
        check(passedAgain == passed, "what is passed on is read otherwise")
        check(again.messages == whole.messages, "what is passed on has other messages")
        return 0
    }

    private static func frame(_ bytes: [UInt8], inPiecesOf size: Int, _ headLimit: Int)
        -> (HTTPFraming, [UInt8])
    {
        var framing = HTTPFraming(headLimit: headLimit)
        var passed: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            passed += framing.take(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        return (framing, passed)
    }
}
