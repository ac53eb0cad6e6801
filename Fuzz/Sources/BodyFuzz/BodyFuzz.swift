import Fuzzing
import GameFlow
import ShippedFlows

/// Fuzzes the daemon's code for HTTP requests, without a socket, and checks the replies against the protocol.
///
/// An input has several requests, separated by a line `%`: header lines, an empty line, and a body. A request without an
/// empty line is only a body. The cookie's token identifies the caller.
@main struct BodyFuzz {
    /// Shared by all inputs, because flows do not change.
    nonisolated(unsafe) static let flows = [any Flow].shipped.map { $0.anyFlow }
    private static let separator = Array("\n%\n".utf8)

    static func main() { fuzz { BodyFuzz.test($0, $1) } }

    static func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
        let input = Array(UnsafeBufferPointer(start: data, count: size))
        let server = FuzzedServer(flows)
        for request in requests(in: input) { server.take(FuzzedRequest(request)) }
        server.end()
        return 0
    }

    private static func requests(in input: [UInt8]) -> [ArraySlice<UInt8>] {
        var requests: [ArraySlice<UInt8>] = []
        var start = 0
        for index in input.indices
        where index >= start && input[index] == separator[0]
            && input[index...].starts(with: separator)
        {
            requests.append(input[start..<index])
            start = index + separator.count
        }
        return requests + [input[start...]]
    }
}
