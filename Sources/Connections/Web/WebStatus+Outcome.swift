import GameFlow
package import HTTP
import JSONCoding
package import RPC
import Sessions

extension WebStatus {
    /// The status of the HTTP response to a JSON-RPC message with this outcome. A batch gets 200, because each of its replies
    /// has an outcome of its own. A refused notification gets only the status of missing rights. `hasCredential` says whether the
    /// request had a token or a client certificate. Without a credential, a forbidden request gets 401, because a credential might
    /// allow the request.
    package init(of outcome: MessageOutcome, hasCredential: Bool) {
        switch outcome {
        case .noReply: self = .noContent
        case .refusedNotification(let error):
            let status = WebStatus(of: .error(error), hasCredential: hasCredential)
            self = status == .unauthorized || status == .forbidden ? status : .noContent
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
