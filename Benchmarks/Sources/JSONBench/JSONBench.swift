import Glibc
import JSONCoding

/// `JSONBench`: the nanoseconds to read a small request, and to make values of everything as well, from which the daemon
/// needs only a part: "READ MAKE". `JSONBench -`: the exit status says whether the reader accepts standard input.
@main struct JSONBench {
    static let request =
        #"{"jsonrpc":"2.0","id":1,"method":"send","params":{"event":"displayHelp"}}"#

    static func main() {
        if CommandLine.arguments.count > 1 {
            exit(takes(input()[...]) ? 0 : 1)
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
        let began = now
        for _ in 0..<rounds {
            do { _ = try work() } catch { fatalError("refused: \(error)") }
        }
        return (now - began) / rounds
    }

    static func takes(_ text: ArraySlice<UInt8>) -> Bool {
        var json = JSONText()
        do { try json.read(text) } catch { return false }
        return json.value(at: JSONText.root).flaw == nil
    }

    private static func input() -> [UInt8] {
        var (bytes, room) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
        while case let count = read(0, &room, room.count), count > 0 { bytes += room[..<count] }
        return bytes
    }

    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
