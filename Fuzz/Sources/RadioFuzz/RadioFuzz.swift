import Fuzzing

/// Fuzzes all readers of Bluetooth data and checks their invariants.
///
/// An input's first byte selects the reader: `H` a controller's stream to the central, `L` the data of one device over its
/// link, `C` a host's stream to the simulated controller and its devices, `B` a capture, `S` a scenario. In streams, each
/// piece is a byte with its length, a byte with the delay before it, and its bytes.
@main struct RadioFuzz {
    static func main() { fuzz { RadioFuzz.test($0, $1) } }

    static func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
        let input = Array(UnsafeBufferPointer(start: data, count: size))
        let rest = input.dropFirst()
        switch input.first {
        case UInt8(ascii: "H"): CentralTrial().play(Piece.split(rest), asFragments: false)
        case UInt8(ascii: "L"): CentralTrial().play(Piece.split(rest), asFragments: true)
        case UInt8(ascii: "C"): ControllerTrial().play(Piece.split(rest))
        case UInt8(ascii: "B"): FileTrial.readCapture(Array(rest))
        case UInt8(ascii: "S"): FileTrial.readScenario(Array(rest))
        default: break
        }
        return 0
    }
}
