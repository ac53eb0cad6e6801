import Fuzzing
import Inputs

/// Fuzzes the decoder of serial lines, which end with a line end or are between two bytes. The lines must not depend on the pieces
/// in which their bytes arrive.
@main struct SerialFuzz {
    static func main() { fuzz { SerialFuzz.test($0, $1) } }

    static func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
        let bytes = Array(UnsafeBufferPointer(start: data, count: size))
        for bounds in [LineBounds.end(.any), .frame(LineFrame(0x0A, 0x41)!)] { test(bytes, bounds) }
        return 0
    }

    private static func test(_ bytes: [UInt8], _ bounds: LineBounds) {
        let (whole, split) = (
            lines(bytes, bounds, inPiecesOf: max(1, bytes.count)),
            lines(bytes, bounds, inPiecesOf: 7)
        )
        check(whole.lines == split.lines, "lines depend on the pieces")
        check(whole.dropped == split.dropped, "the count of dropped lines depends on the pieces")
        for line in whole.lines {
            check(line.count <= LineSplitter.maximumBytes, "a long line")
            check(!line.contains(0x0A), "a line with an end of line")
        }
    }

    private static func lines(_ bytes: [UInt8], _ bounds: LineBounds, inPiecesOf size: Int) -> (
        lines: [[UInt8]], dropped: Int
    ) {
        var splitter = LineSplitter(bounds)
        let lines = pieces(of: bytes, size: size).flatMap { splitter.add($0) }
        return (lines, splitter.dropped)
    }
}
