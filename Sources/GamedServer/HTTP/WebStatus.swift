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
    case lengthRequired = 411
    case contentTooLarge = 413
    case unsupportedMediaType = 415
    case tooManyRequests = 429
    case unavailable = 503

    var code: Int32 { rawValue }

    var reason: String {
        switch self {
        case .ok: "OK"
        case .noContent: "No Content"
        case .notModified: "Not Modified"
        case .badRequest: "Bad Request"
        case .unauthorized: "Unauthorized"
        case .forbidden: "Forbidden"
        case .notFound: "Not Found"
        case .methodNotAllowed: "Method Not Allowed"
        case .requestTimeout: "Request Timeout"
        case .conflict: "Conflict"
        case .gone: "Gone"
        case .lengthRequired: "Length Required"
        case .contentTooLarge: "Content Too Large"
        case .unsupportedMediaType: "Unsupported Media Type"
        case .tooManyRequests: "Too Many Requests"
        case .unavailable: "Service Unavailable"
        }
    }
}

extension WebStatus {
    /// The status for the outcome of a JSON-RPC message. A batch has no status of its own, because
    /// each of its replies has an outcome.
    init(of outcome: MessageOutcome, hasCredential: Bool) {
        switch outcome {
        case .noReply: self = .noContent
        case .result, .batch: self = .ok
        case .error(.refused(let error)): self = Self.of(error, hasCredential)
        case .error(.parseError), .error(.invalidRequest), .error(.methodNotFound),
            .error(.invalidParams):
            self = .badRequest
        case .error(.relayed(let error)): self = Self.of(error, hasCredential)
        }
    }

    /// The status of an error that the node of the session returned; the same as if this node had returned it. A negative code
    /// is one that JSON-RPC defines.
    private static func of(_ error: RelayedError, _ hasCredential: Bool) -> WebStatus {
        let data: [Member] =
            if case .object(let members)? = Value(json: error.data) { members } else { [] }
        switch error.name {
        case _ where error.code < 0: return .badRequest
        case "forbidden" where data["needs"]?.text == RequestError.NeededRight.timer.description:
            return .forbidden
        case "forbidden": return hasCredential ? .forbidden : .unauthorized
        case "limit": return ofLimit(data["which"]?.text ?? "")
        case "storage": return .unavailable
        default: return .ok
        }
    }

    private static func of(_ error: RequestError, _ hasCredential: Bool) -> WebStatus {
        switch error {
        // No credential allows an event that only the state's timer may send.
        case .forbidden(_, _, needs: .timer): .forbidden
        case .forbidden: hasCredential ? .forbidden : .unauthorized
        case .limit(let which, _): ofLimit(which)
        case .storage: .unavailable
        case .noTransition, .invalid, .hookRefused, .unknownSession, .unknownEvent, .finished,
            .stale, .staleEntry, .deferQueueFull, .exists, .unknownFlow, .notVirtual, .unknownState,
            .elsewhere:
            .ok
        }
    }

    /// The status of an exceeded limit. Most limits are those of a count, which may be lower later, so the client may retry. A
    /// request with too great a depth or size is refused at each attempt. Too great a time in `timerMs` or `clockMs` has the
    /// same status as other invalid arguments of a method.
    private static func ofLimit(_ which: String) -> WebStatus {
        switch which {
        case "depth", "batchBytes": .badRequest
        case "timerMs", "clockMs": .ok
        default: .tooManyRequests
        }
    }
}
