import GameFlow
package import HTTP
import JSONCoding
import Parts
import RPC
package import Sessions

/// An HTTP error response: a status, and a JSON body with the reason.
package struct WebError: Error {
    package let status: WebStatus
    /// The status code, such as 404.
    package var code: Int32 { status.code }
    /// The body, as JSON.
    package let body: [UInt8]
    /// For the status 405, the value of the `Allow` header: the methods that the path allows; else nil.
    package let allow: String?
    /// Whether the daemon closes the connection after the response. The daemon closes the connection if the beginning of the
    /// next request is unknown, or if two parsers may interpret the request differently.
    package var closesConnection = false
    /// How the metrics count the request that gets this answer.
    private(set) var outcome: RequestMeter.Outcome
    /// Whether the metrics count the request.
    var isRequestCounted = true
    /// What has caused the error.
    private(set) var cause = Cause.other

    enum Cause {
        /// The limit of this name has refused the request, and the refusal was not counted yet.
        case uncountedLimit(String)
        /// No limit, or the refusal was counted.
        case other
    }

    /// An error of the HTTP layer, such as a wrong path or header. `why` is a sentence for the client.
    package init(_ status: WebStatus, why: String, allow: String? = nil) {
        self.allow = allow
        self.status = status
        outcome = Self.outcome(status)
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

    /// A malformed request. The connection is closed after the response.
    package init(_ failure: HTTPFramingError) {
        self.init(failure.status, why: failure.why)
        closesConnection = true
        if let limit = failure.limit { (cause, outcome) = (.uncountedLimit(limit), .limited) }
    }

    /// A request that is not addressed to this daemon, or does not come from one of its pages.
    init(_ refusal: WebOrigin.Rejection) {
        self.init(refusal.status, why: refusal.why)
        closesConnection = refusal.closesConnection
    }

    /// A refusal by a method of the protocol, with the body of a JSON-RPC error. `isCounted` says whether a refusal by a limit was
    /// counted already.
    package init(_ status: WebStatus, _ error: RequestError, isCounted: Bool = false) {
        (self.status, allow) = (status, nil)
        outcome = RequestMeter.Outcome(.refused(error))
        if !isCounted, case .limit(let which, _) = error { cause = .uncountedLimit(which) }
        body = JSONWriter.bytes { $0.reply(refusing: .refused(error)) }
    }

    /// The outcome of a request that the HTTP layer has refused with this status.
    private static func outcome(_ status: WebStatus) -> RequestMeter.Outcome {
        switch status {
        case .unauthorized, .forbidden: .forbidden
        case .requestTimeout, .contentTooLarge, .tooManyRequests: .limited
        case .notFound, .conflict, .gone: .refused
        case .unavailable: .storage
        case .ok, .noContent, .partialContent, .notModified, .badRequest, .methodNotAllowed,
            .unsupportedMediaType, .rangeNotSatisfiable, .expectationFailed, .notImplemented:
            .invalid
        }
    }

    /// The complete response, with its head, for a connection that is not served. It has `Connection: close`.
    package var responseBytes: [UInt8] {
        var (head, bytes) = (ResponseHead(), [UInt8]())
        head.closesConnection = true
        head.write(
            status, "application/json", .bytes(body.count),
            date: HTTPDate.text(of: WallClock.seconds), to: &bytes)
        return bytes + body
    }
}
