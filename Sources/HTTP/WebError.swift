internal import GameFlow
internal import JSON
internal import RPC
public import Sessions

/// An answer of HTTP that is no result: its status, and a body of JSON that says why.
public struct WebError: Error {
    public let code: Int32
    private let reason: String
    public let body: [UInt8]
    /// Which methods there are, where that is what is wrong.
    public let allow: String?
    /// Whether nothing more is read from who sent that: nobody knows where his next request begins.
    public internal(set) var isFinal = false

    /// One of HTTP's own.
    public init(_ status: WebStatus, why: String, allow: String? = nil) {
        self.allow = allow
        (code, reason) = (status.code, status.reason)
        body = Self.body(code, reason, [Member("why", why)])
    }

    /// Of a message whose end nobody knows: the connection is closed behind the answer.
    public init(_ failure: HTTPFraming.Failure) {
        self.init(failure.status, why: failure.why)
        isFinal = true
    }

    /// One that libevent found.
    public init(code: Int32, _ reason: String) {
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

    /// One of the project's, as JSON-RPC has it.
    public init(_ status: WebStatus, _ error: RequestError) {
        (code, reason, allow) = (status.code, status.reason, nil)
        body = JSONWriter.bytes { $0.reply(refusing: .refused(error)) }
    }

    /// All of an answer, after which the connection is closed.
    public var message: [UInt8] {
        var head = [
            "HTTP/1.1 \(code) \(reason)", "Content-Type: application/json",
            "Content-Length: \(body.count)", "Connection: close",
        ]
        if code == WebStatus.tooManyRequests.code { head.append("Retry-After: 1") }
        head += Self.usual.map { "\($0.0): \($0.1)" } + ["", ""]
        return Array(head.joined(separator: "\r\n").utf8) + body
    }

    /// The headers that every answer has: that it is no page of another's, and nobody's to keep.
    public static let usual = [
        ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("Cache-Control", "no-store"),
    ]
}
