import GameFlow
import JSONCoding
import RPC
import Sessions

/// An HTTP error response: a status, and a JSON body with the reason.
struct WebError: Error {
    let code: Int32
    private let reason: String
    let body: [UInt8]
    /// The value of the `Allow` header for a wrong method.
    let allow: String?
    /// Whether the daemon closes the connection after the response. It does so if the beginning of the next request is
    /// unknown, or if two parsers may interpret the request differently.
    var closesConnection = false

    /// An error of the HTTP layer.
    init(_ status: WebStatus, why: String, allow: String? = nil) {
        self.allow = allow
        (code, reason) = (status.code, status.reason)
        body = Self.body(code, reason, [Member("why", why)])
    }

    /// An error in the framing, after which the connection is closed.
    init(_ failure: HTTPFramingError) {
        self.init(failure.status, why: failure.why)
        closesConnection = true
    }

    /// An error for a request that libevent rejects.
    init(code: Int32, _ reason: String) {
        (self.code, self.reason, allow) = (code, reason, nil)
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

    /// An error of a method, with the body of a JSON-RPC error.
    init(_ status: WebStatus, _ error: RequestError) {
        (code, reason, allow) = (status.code, status.reason, nil)
        body = JSONWriter.bytes { $0.reply(refusing: .refused(error)) }
    }

    /// The complete response as bytes. It says that the connection is closed, whatever `closesConnection` is.
    var message: [UInt8] {
        var head = [
            "HTTP/1.1 \(code) \(reason)", "Content-Type: application/json",
            "Content-Length: \(body.count)", "Connection: close",
        ]
        if code == WebStatus.tooManyRequests.code { head.append("Retry-After: 1") }
        head += Self.commonHeaders.map { "\($0.0): \($0.1)" } + ["", ""]
        return Array(head.joined(separator: "\r\n").utf8) + body
    }

    /// The headers of every response: a client must not interpret the response as another type or store it, and other sites
    /// must not embed it.
    static let commonHeaders = [
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("Cache-Control", "no-store"),
    ]
}
