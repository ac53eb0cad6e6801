import EventLoop
import Fuzzing
import Timers

@testable import Connections
@testable import HTTP
@testable import Room

/// Fuzzes the handling of replies from HTTP targets. A server on the loopback interface sends the input as the whole reply to
/// a request: to a GET if the first byte is even, else to a POST.
///
/// Each request must end once. If it ends with a status, this status must be in the reply.
@main struct ReplyFuzz {
    static func main() { fuzz { ReplyFuzz.test($0, $1) } }

    /// The loop and the server are never used by two threads, because the fuzzer has one thread.
    nonisolated(unsafe) private static let loop: LibeventLoop = {
        guard let loop = try? LibeventLoop() else { fatalError("no event loop") }
        return loop
    }()
    nonisolated(unsafe) private static let server: ReplyServer = {
        guard let server = try? ReplyServer(on: loop) else { fatalError("no server") }
        return server
    }()

    static func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
        let reply = Array(UnsafeBufferPointer(start: data, count: size))
        guard let request = request(isGet: reply.first.map { $0 % 2 == 0 } ?? true) else {
            fatalError("the request's address is wrong")
        }
        server.reply = reply
        var endings: [OutgoingRequest.Ending] = []
        let call = OutgoingRequest(
            request, to: "127.0.0.1", timeout: .seconds(10), nil, on: loop
        ) {
            endings.append($0)
            loop.stop()
        }
        withExtendedLifetime(call) { loop.run() }
        server.closeConnections()
        check(endings.count == 1, "\(endings.count) ends of a request")
        if case .status(let status)? = endings.first {
            // libevent accepts any number as a status. The daemon treats every status but 2xx as a failure.
            check(status > 0, "status \(status)")
            let text = String(decoding: reply, as: UTF8.self)
            // libevent keeps the lower 32 bits of a longer number.
            let isTruncated = text.split { !("0"..."9" ~= $0) }.contains { $0.count >= 10 }
            check(
                isTruncated || text.contains("\(status)"),
                "a status that the reply does not have: \(status)")
        }
        return 0
    }

    private static func request(isGet: Bool) -> WebRequestContent? {
        HTTPOrigin.split("http://127.0.0.1:\(server.port)/").map { origin, path in
            WebRequestContent(
                id: "1", origin: origin, path: path, method: isGet ? .get : .post, headers: [],
                body: isGet ? [] : [0x7B, 0x7D], secrets: [], allowsSpecial: true)
        }
    }
}
