import Fuzzing
import GameFlow
import ShippedFlows

/// Feeds made-up requests to what of the daemon's HTTP needs no socket, and holds what comes back to the
/// contract.
///
/// An input is some requests, with a line `%` between two of them, which stands in no JSON: lines of a header, an
/// empty line, and a body. What has no empty line is all body. The cookie's token says who asks.
@main struct BodyFuzz {
    /// Made once: a flow knows nothing but its rules.
    nonisolated(unsafe) static let flows = AnyFlow.shipped()
    private static let separator = Array("\n%\n".utf8)

    static func main() { fuzz { BodyFuzz.test($0, $1) } }

    static func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
        let input = Array(UnsafeBufferPointer(start: data, count: size))
        let house = House(flows)
        for request in pieces(of: input) { house.take(MadeRequest(request)) }
        house.end()
        return 0
    }

    private static func pieces(of input: [UInt8]) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var start = 0
        for at in input.indices
        where at >= start && input[at] == separator[0] && input[at...].starts(with: separator) {
            pieces.append(input[start..<at])
            start = at + separator.count
        }
        return pieces + [input[start...]]
    }
}
