import EventLoop
import Fuzzing
import Timers

@testable import GamedServer

/// Fuzzes the replies of HTTP targets: the input is the whole reply, which a server on the loopback interface sends.
///
/// Each request must end once, and its status must be in the reply.
@main struct ReplyFuzz {
    static func main() { fuzz { ReplyFuzz.test($0, $1) } }

    /// All is on the fuzzer's only thread.
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
            // libevent reports any number; every status but 2xx is a failure.
            check(status > 0, "status \(status)")
            let text = String(decoding: reply, as: UTF8.self)
            // libevent keeps the lower 32 bits of a longer number.
            let isCut = text.split { !("0"..."9" ~= $0) }.contains { $0.count >= 10 }
            check(
                isCut || text.contains("\(status)"),
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
