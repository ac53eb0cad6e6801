import Glibc
import JSONCoding

/// `JSONBench`: prints "READ MAKE", two times in nanoseconds. READ is the time to read a small request. MAKE is the time to
/// read the request and to make values of all its members. The daemon makes values of some members only.
///
/// `JSONBench -` reads standard input. The exit status is 0 if the JSON reader accepts the input and each value in the input,
/// else 1.
@main struct JSONBench {
    static let request =
        #"{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"displayHelp"}}"#

    static func main() {
        if CommandLine.arguments.count > 1 {
            exit(isAccepted(input()[...]) ? 0 : 1)
        }
        let text = Array(request.utf8)[...]
        var json = JSONText()
        let reading = time { try json.read(text) }
        let making = time {
            try json.read(text)
            return json.value(at: JSONText.root)
        }
        print(reading, making)
    }

    /// The average time of `work`, in nanoseconds.
    private static func time<R>(_ work: () throws -> R) -> Int {
        let rounds = 1_000_000
        let start = now
        for _ in 0..<rounds {
            do { _ = try work() } catch { fatalError("refused: \(error)") }
        }
        return (now - start) / rounds
    }

    static func isAccepted(_ text: ArraySlice<UInt8>) -> Bool {
        var json = JSONText()
        do { try json.read(text) } catch { return false }
        return json.value(at: JSONText.root).flaw == nil
    }

    private static func input() -> [UInt8] {
        var (bytes, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while case let count = read(0, &chunk, chunk.count), count > 0 { bytes += chunk[..<count] }
        return bytes
    }

    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
