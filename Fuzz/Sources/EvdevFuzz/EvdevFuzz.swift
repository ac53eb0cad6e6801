import Fuzzing
import Inputs

/// Fuzzes the decoder of the kernel's input events. The keys must not depend on the pieces in which the bytes arrive.
@main struct EvdevFuzz {
    static func main() { fuzz { EvdevFuzz.test($0, $1) } }

    static func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
        let bytes = Array(UnsafeBufferPointer(start: data, count: size))
        let (whole, split) = (
            keys(bytes, inPiecesOf: max(1, size)), keys(bytes, inPiecesOf: 5)
        )
        check(whole == split, "keys depend on the pieces")
        check(whole.count <= size / InputEventDecoder.size, "more keys than records")
        return 0
    }

    private static func keys(_ bytes: [UInt8], inPiecesOf size: Int) -> [UInt16] {
        var decoder = InputEventDecoder()
        return pieces(of: bytes, size: size).flatMap { decoder.add($0) }
    }
}
