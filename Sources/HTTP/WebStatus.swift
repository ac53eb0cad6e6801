internal import JSON

/// What a request of HTTP comes to.
public enum WebStatus: Int32, Sendable {
    case ok = 200
    case noContent = 204
    case badRequest = 400
    case unauthorized = 401
    case forbidden = 403
    case notFound = 404
    case methodNotAllowed = 405
    case requestTimeout = 408
    case lengthRequired = 411
    case contentTooLarge = 413
    case unsupportedMediaType = 415
    case tooManyRequests = 429
    case unavailable = 503

    public var code: Int32 { rawValue }

    public var reason: String {
        switch self {
        case .ok: "OK"
        case .noContent: "No Content"
        case .badRequest: "Bad Request"
        case .unauthorized: "Unauthorized"
        case .forbidden: "Forbidden"
        case .notFound: "Not Found"
        case .methodNotAllowed: "Method Not Allowed"
        case .requestTimeout: "Request Timeout"
        case .lengthRequired: "Length Required"
        case .contentTooLarge: "Content Too Large"
        case .unsupportedMediaType: "Unsupported Media Type"
        case .tooManyRequests: "Too Many Requests"
        case .unavailable: "Service Unavailable"
        }
    }

    /// Of a limit: what is too many now may be fewer later; what is too deep never is less so.
    private static func ofLimit(_ error: [Member]) -> WebStatus {
        guard case .object(let data)? = error["data"], case .string(let which)? = data["which"]
        else { return .tooManyRequests }
        switch which {
        case "depth", "batchBytes": return .badRequest
        case "timerMs", "clockMs": return .ok
        default: return .tooManyRequests
        }
    }

    /// Of an answer of JSON-RPC. One of a batch is not the batch's: each of them says itself what it came to.
    public init(ofReply reply: [UInt8], hasCredential: Bool) {
        guard !reply.isEmpty else {
            self = .noContent
            return
        }
        var text = JSONText()
        guard (try? text.read(reply[...])) != nil, text.kind(JSONText.root) == .object,
            case .object(let error)? = text.object(at: JSONText.root)["error"],
            case .int(let code)? = error["code"]
        else {
            self = .ok
            return
        }
        switch code {
        case ..<0: self = .badRequest
        case 4:
            // The state's timer has no credential that somebody could show.
            let isRight: Bool
            if case .object(let data)? = error["data"], case .string("timer")? = data["needs"] {
                isRight = false
            } else {
                isRight = true
            }
            self = isRight && !hasCredential ? .unauthorized : .forbidden
        case 11: self = Self.ofLimit(error)
        case 12: self = .unavailable
        default: self = .ok
        }
    }
}
