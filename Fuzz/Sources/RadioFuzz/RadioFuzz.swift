import Fuzzing

/// Fuzzes all readers of Bluetooth data and checks their invariants.
///
/// An input's first byte selects what the other bytes are:
/// - `H`: the bytes that a controller sends to the central
/// - `L`: the data that one connected device sends to the central; each piece becomes one ACL packet, a fragment of a frame
/// - `C`: the bytes that a host sends to the simulated controller
/// - `B`: a capture
/// - `S`: the text of a radio scenario, a file that describes simulated devices
///
/// After `H`, `L` and `C` come pieces: a byte with the length, a byte with the delay before the piece, and the bytes.
@main struct RadioFuzz {
    static func main() { fuzz { RadioFuzz.test($0, $1) } }

    static func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
        let input = Array(UnsafeBufferPointer(start: data, count: size))
        let content = input.dropFirst()
        switch input.first {
        case UInt8(ascii: "H"): FuzzedCentral().play(Piece.split(content), asFragments: false)
        case UInt8(ascii: "L"): FuzzedCentral().play(Piece.split(content), asFragments: true)
        case UInt8(ascii: "C"): FuzzedController().play(Piece.split(content))
        case UInt8(ascii: "B"): FuzzedFile.readCapture(Array(content))
        case UInt8(ascii: "S"): FuzzedFile.readScenario(Array(content))
        default: break
        }
        return 0
    }
}
