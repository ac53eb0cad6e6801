/// The HTTP statuses that the daemon sends.
package enum WebStatus: Int32, Sendable {
    case ok = 200
    case noContent = 204
    case partialContent = 206
    case notModified = 304
    case badRequest = 400
    case unauthorized = 401
    case forbidden = 403
    case notFound = 404
    case methodNotAllowed = 405
    case requestTimeout = 408
    case conflict = 409
    case gone = 410
    case contentTooLarge = 413
    case unsupportedMediaType = 415
    case rangeNotSatisfiable = 416
    case expectationFailed = 417
    case tooManyRequests = 429
    case notImplemented = 501
    case unavailable = 503

    /// The number in the status line.
    package var code: Int32 { rawValue }

    /// The reason phrase in the status line.
    package var reason: String { String("\(line)".dropFirst(4)) }

    /// The number and the reason phrase.
    package var line: StaticString {
        switch self {
        case .ok: "200 OK"
        case .noContent: "204 No Content"
        case .partialContent: "206 Partial Content"
        case .notModified: "304 Not Modified"
        case .badRequest: "400 Bad Request"
        case .unauthorized: "401 Unauthorized"
        case .forbidden: "403 Forbidden"
        case .notFound: "404 Not Found"
        case .methodNotAllowed: "405 Method Not Allowed"
        case .requestTimeout: "408 Request Timeout"
        case .conflict: "409 Conflict"
        case .gone: "410 Gone"
        case .contentTooLarge: "413 Content Too Large"
        case .unsupportedMediaType: "415 Unsupported Media Type"
        case .rangeNotSatisfiable: "416 Range Not Satisfiable"
        case .expectationFailed: "417 Expectation Failed"
        case .tooManyRequests: "429 Too Many Requests"
        case .notImplemented: "501 Not Implemented"
        case .unavailable: "503 Service Unavailable"
        }
    }
}
