import GameFlow
import JSONCoding
import RPC
import Sessions

/// An HTTP error response: a status, and a JSON body with the reason.
struct WebError: Error {
    /// The status code, such as 404.
    let code: Int32
    /// The reason phrase of the status, such as `Not Found`.
    private let reason: String
    /// The body, as JSON.
    let body: [UInt8]
    /// For the status 405, the value of the `Allow` header: the methods that the path allows; else nil.
    let allow: String?
    /// The sentence for the client; nil for a refusal by a method of the protocol.
    private(set) var why: String?
    /// Whether the daemon closes the connection after the response. The daemon closes the connection if the beginning of the
    /// next request is unknown, or if two parsers may interpret the request differently.
    var closesConnection = false

    /// An error of the HTTP layer, such as a wrong path or header. `why` is a sentence for the client.
    init(_ status: WebStatus, why: String, allow: String? = nil) {
        self.allow = allow
        (code, reason) = (status.code, status.reason)
        body = Self.body(code, reason, [Member("why", why)])
        self.why = why
    }

    /// A malformed request. The connection is closed after the response.
    init(_ failure: HTTPFramingError) {
        self.init(failure.status, why: failure.why)
        closesConnection = true
    }

    /// An error that libevent has found itself; the response replaces libevent's error page.
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

    /// A refusal by a method of the protocol, with the body of a JSON-RPC error.
    init(_ status: WebStatus, _ error: RequestError) {
        (code, reason, allow) = (status.code, status.reason, nil)
        body = JSONWriter.bytes { $0.reply(refusing: .refused(error)) }
    }

    /// The complete response, with its head, for responses that libevent does not write. It always has `Connection: close`,
    /// even if `closesConnection` is false.
    var responseBytes: [UInt8] {
        var head = [
            "HTTP/1.1 \(code) \(reason)", "Content-Type: application/json",
            "Content-Length: \(body.count)", "Connection: close",
        ]
        // The unit of Retry-After is seconds.
        if code == WebStatus.tooManyRequests.code { head.append("Retry-After: 1") }
        head += Self.commonHeaders.map { "\($0.name): \($0.value)" } + ["", ""]
        return Array(head.joined(separator: "\r\n").utf8) + body
    }

    /// The headers of every response. They tell the client not to interpret the response as another type, and not to store it.
    /// They also tell the client that other sites must not embed the response or learn the address of the page.
    static let commonHeaders: [(name: String, value: String)] = [
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("Cache-Control", "no-store"),
    ]
}
