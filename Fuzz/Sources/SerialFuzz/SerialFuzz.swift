import Fuzzing
import Inputs

/// Fuzzes the decoder of serial lines. The lines must not depend on the pieces in which their bytes arrive.
@main struct SerialFuzz {
    static func main() { fuzz { SerialFuzz.test($0, $1) } }

    static func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
        let bytes = Array(UnsafeBufferPointer(start: data, count: size))
        let (whole, split) = (
            lines(bytes, inPiecesOf: max(1, size)), lines(bytes, inPiecesOf: 7)
        )
        check(whole.lines == split.lines, "lines depend on the pieces")
        check(whole.dropped == split.dropped, "the count of dropped lines depends on the pieces")
        for line in whole.lines {
            check(line.count <= LineSplitter.maximumBytes, "a long line")
            check(!line.contains(0x0A), "a line with an end of line")
        }
        return 0
    }

    private static func lines(_ bytes: [UInt8], inPiecesOf size: Int) -> (
        lines: [[UInt8]], dropped: Int
    ) {
        var splitter = LineSplitter()
        let lines = pieces(of: bytes, size: size).flatMap { splitter.add($0) }
        return (lines, splitter.dropped)
    }
}
