import GameFlow
import JSON
import Sessions

/// An answer of HTTP that is no result: its status, and a body of JSON that says why.
struct WebError: Error {
    let status: WebStatus
    let body: [UInt8]
    /// Which methods there are, where that is what is wrong.
    var allow: String?

    /// One of HTTP's own.
    init(_ status: WebStatus, why: String, allow: String? = nil) {
        self.status = status
        self.allow = allow
        body = JSONWriter.bytes {
            $0.object([
                Member(
                    "error",
                    .object([
                        Member("code", Int(status.code)), Member("message", status.reason),
                        Member("data", .object([Member("why", why)])),
                    ]))
            ])
        }
    }

    /// One of the project's, as JSON-RPC has it.
    init(_ status: WebStatus, _ error: RequestError) {
        self.status = status
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
        if let allow { request.set("Allow", allow) }
        if status == .unauthorized { request.set("WWW-Authenticate", "Bearer realm=\"gamed\"") }
        if status == .tooManyRequests { request.set("Retry-After", "1") }
        request.reply(status, "application/json", body)
    }
}
