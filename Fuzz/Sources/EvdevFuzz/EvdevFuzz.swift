import Fuzzing
import Inputs
import Timers

/// Fuzzes the decoder of the kernel's input events, and what readers type. The keys must not depend on the pieces in which the bytes
/// arrive.
@main struct EvdevFuzz {
    static func main() { fuzz { EvdevFuzz.test($0, $1) } }

    static func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
        let bytes = Array(UnsafeBufferPointer(start: data, count: size))
        let (whole, split) = (
            keys(bytes, inPiecesOf: max(1, size)), keys(bytes, inPiecesOf: 5)
        )
        check(whole == split, "keys depend on the pieces")
        check(whole.count <= size / InputEventDecoder.size, "more keys than records")
        var text = TypedText()
        for event in whole {
            guard let typed = text.add(event, at: .zero) else { continue }
            check(typed.count <= TypedText.maximumCharacters, "a long text")
        }
        return 0
    }

    private static func keys(_ bytes: [UInt8], inPiecesOf size: Int) -> [InputEvent] {
        var decoder = InputEventDecoder()
        return pieces(of: bytes, size: size).flatMap { decoder.add($0) }
    }
}
