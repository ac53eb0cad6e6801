import GameFlow
import JSON
import Sessions

/// An answer of HTTP that is no result: its status, and a body of JSON that says why.
struct WebError: Error {
    private let code: Int32
    private let reason: String
    let body: [UInt8]
    /// Which methods there are, where that is what is wrong.
    var allow: String?
    /// Whether nothing more is read from who sent that: nobody knows where his next request begins.
    var isFinal = false

    /// One of HTTP's own.
    init(_ status: WebStatus, why: String, allow: String? = nil) {
        self.allow = allow
        (code, reason) = (status.code, status.reason)
        body = Self.body(code, reason, [Member("why", why)])
    }

    /// One that libevent found.
    init(code: Int32, _ reason: String) {
        (self.code, self.reason) = (code, reason)
        body = Self.body(code, reason, [])
    }

    private static func body(_ code: Int32, _ reason: String, _ data: [Member]) -> [UInt8] {
        JSONWriter.bytes {
            $0.object([
                Member(
                    "error",
                    .object([
                        Member("code", Int(code)), Member("message", reason),
                        Member("data", .object(data)),
                    ]))
            ])
        }
    }

    /// One of the project's, as JSON-RPC has it.
    init(_ status: WebStatus, _ error: RequestError) {
        (code, reason) = (status.code, status.reason)
        body = JSONWriter.bytes {
            $0.beginObject()
            $0.name("jsonrpc")
            $0.string("2.0")
            $0.name("id")
            $0.null()
            $0.name("error")
            $0.error(error)
            $0.endObject()
        }
    }

    func reply(to request: WebRequest) {
        let status = WebStatus(rawValue: code) ?? .badRequest
        if let allow { request.set("Allow", allow) }
        if isFinal { request.set("Connection", "close") }
        request.reply(status, "application/json", body)
    }

    /// All of an answer, after which the connection is closed.
    var message: [UInt8] {
        var head = [
            "HTTP/1.1 \(code) \(reason)", "Content-Type: application/json",
            "Content-Length: \(body.count)", "Connection: close",
        ]
        if code == WebStatus.tooManyRequests.code { head.append("Retry-After: 1") }
        head += WebRequest.usual.map { "\($0.0): \($0.1)" } + ["", ""]
        return Array(head.joined(separator: "\r\n").utf8) + body
    }
}
