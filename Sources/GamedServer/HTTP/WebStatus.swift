import GameFlow
import JSONCoding
import RPC
import Sessions

/// The HTTP statuses that the daemon sends.
enum WebStatus: Int32, Sendable {
    case ok = 200
    case noContent = 204
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
    case expectationFailed = 417
    case tooManyRequests = 429
    case notImplemented = 501
    case unavailable = 503

    /// The number in the status line.
    var code: Int32 { rawValue }

    /// The reason phrase in the status line.
    var reason: String { String("\(line)".dropFirst(4)) }

    /// The number and the reason phrase.
    var line: StaticString {
        switch self {
        case .ok: "200 OK"
        case .noContent: "204 No Content"
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
        case .expectationFailed: "417 Expectation Failed"
        case .tooManyRequests: "429 Too Many Requests"
        case .notImplemented: "501 Not Implemented"
        case .unavailable: "503 Service Unavailable"
        }
    }
}

extension WebStatus {
    /// The status of the HTTP response to a JSON-RPC message with this outcome. A batch gets 200, because each of its replies
    /// has an outcome of its own. `hasCredential` says whether the request had a token or a client certificate. Without a
    /// credential, a forbidden request gets 401, because a credential might allow the request.
    init(of outcome: MessageOutcome, hasCredential: Bool) {
        switch outcome {
        case .noReply: self = .noContent
        case .result, .batch: self = .ok
        case .error(.refused(let error)): self = Self.ofError(error, hasCredential)
        case .error(.parseError), .error(.invalidRequest), .error(.methodNotFound),
            .error(.invalidParams):
            self = .badRequest
        case .error(.relayed(let error)): self = Self.ofRelayed(error, hasCredential)
        }
    }

    /// The status of an error that another node returned as the owner of the session. If this node makes an error with this
    /// name, `ofError` returns the same status.
    private static func ofRelayed(_ error: RelayedError, _ hasCredential: Bool) -> WebStatus {
        let data: [Member] =
            if case .object(let members)? = Value(json: error.data) { members } else { [] }
        switch error.name {
        // Negative codes are those that JSON-RPC defines, for malformed requests.
        case _ where error.code < 0: return .badRequest
        case "forbidden" where data["needs"]?.text == RequestError.NeededRight.timer.description:
            return .forbidden
        case "forbidden": return hasCredential ? .forbidden : .unauthorized
        case "limit": return ofLimit(data["which"]?.text ?? "")
        case "storage": return .unavailable
        default: return .ok
        }
    }

    /// The status of an error of this node. An error that depends on the session or on the method's arguments has the status
    /// 200: the HTTP request was answered, and the error is in the body.
    private static func ofError(_ error: RequestError, _ hasCredential: Bool) -> WebStatus {
        switch error {
        // No credential allows an event that only the state's timer may send.
        case .forbidden(_, _, needs: .timer): .forbidden
        case .forbidden: hasCredential ? .forbidden : .unauthorized
        case .limit(let which, _): ofLimit(which)
        case .storage: .unavailable
        case .noTransition, .invalid, .hookRefused, .unknownSession, .unknownEvent, .finished,
            .stale, .staleEntry, .staleID, .deferQueueFull, .exists, .unknownFlow, .notVirtual,
            .unknownState,
            .elsewhere:
            .ok
        }
    }

    /// The status of an exceeded limit, which `which` names. Most limits are maximum numbers, such as of sessions: the client
    /// may retry (429), because there may be fewer sessions later. A request that is nested too deeply (`depth`) or too long
    /// (`batchBytes`) is refused at each attempt (400). `timerMs` and `clockMs` limit a time in the arguments, and have the
    /// same status as other unsuitable arguments (200).
    private static func ofLimit(_ which: String) -> WebStatus {
        switch which {
        case "depth", "batchBytes": .badRequest
        case "timerMs", "clockMs": .ok
        default: .tooManyRequests
        }
    }
}
