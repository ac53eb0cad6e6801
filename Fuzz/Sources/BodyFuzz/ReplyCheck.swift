import Fuzzing
import GameFlow
import RPC

@testable import Connections
@testable import HTTP

/// Checks each reply against the protocol's rules.
enum ReplyCheck {
    // MARK: rights

    /// A caller gets a result only for an allowed request, and the error `forbidden` only for a request that is not allowed.
    static func checkRights(_ expected: ExpectedRequests, _ replies: [Reply], _ caller: BodyCaller)
    {
        // When a batch's reply is too long, the rest of the batch is not evaluated.
        if replies.contains(where: { $0.text("which") == "batchBytes" }) { return }
        let validRequests = expected.requests.filter(\.isValid)
        check(
            caller.identitiesOfRequests.count == (expected.isJSON ? validRequests.count : 1),
            "\(validRequests.count) requests are counted as \(caller.identitiesOfRequests.count)")
        var remainingReplies = replies[...]
        var identities = caller.identitiesOfRequests[...]
        for request in expected.requests {
            let identity = request.isValid ? identities.removeFirst() : .unknown
            guard request.replyID != nil else { continue }
            let reply = remainingReplies.removeFirst()
            if reply.result != nil {
                check(request.isValid, "a result for an invalid request: \(request)")
                checkResult(reply, to: request, of: identity)
            } else {
                checkRefusal(reply, of: request, to: identity)
            }
        }
        let forbiddenReplies = replies.count { $0.code == 4 && $0.text("needs") != "timer" }
        check(
            caller.forbiddenCount >= forbiddenReplies, "a forbidden request is not counted")
    }

    private static func checkResult(
        _ reply: Reply, to request: ExpectedRequests.Request, of identity: TestIdentity
    ) {
        // A remembered reply needs only the right to observe the session.
        let isRemembered =
            request.method == "send" && request.params["id"] != nil
            && identity.role(request.session) != nil
        check(
            isAllowed(identity, request) || isRemembered,
            "\(identity.token) has a result of \(request.method) in \(request.session)")
        if request.method == "list" || request.session == "*" {
            let unseen = reply.sessions.filter { identity.role($0) == nil }
            check(unseen.isEmpty, "\(identity.token) is shown \(unseen)")
        }
    }

    private static func checkRefusal(
        _ reply: Reply, of request: ExpectedRequests.Request, to identity: TestIdentity
    ) {
        // Code 4 is `forbidden`. If its data's `needs` is "timer", only a timer may send the event, whatever the rights.
        if reply.code == 4, reply.text("needs") != "timer" {
            check(
                !isAllowed(identity, request),
                "\(identity.token) may not \(request.method) in \(request.session)")
        }
        // Code 5 is `unknownSession`. Its suggestions must be sessions that the caller may observe.
        if reply.code == 5, case .array(let suggestions)? = reply.data["didYouMean"] {
            for case .string(let name) in suggestions {
                check(identity.role(name) != nil, "\(identity.token) is told of \(name)")
            }
        }
    }

    /// Whether the protocol allows the request to the caller.
    private static func isAllowed(_ identity: TestIdentity, _ request: ExpectedRequests.Request)
        -> Bool
    {
        let session = request.session
        switch request.method {
        case "hello", "ping", "list", "describe", "graph": return identity.somewhere != nil
        case "watch" where session == "*", "unwatch" where session == "*":
            return identity.somewhere != nil
        case "status", "watch", "unwatch", "history": return identity.role(session) != nil
        case "send":
            guard case .string(let event)? = request.params["event"] else { return false }
            return identity.sends(event, session)
        case "open", "close", "timer", "goto": return identity.role(session) == .operate
        case "advance", "backup", "token": return identity.everywhere == .operate
        case "bluetooth" where request.params["action"] == nil: return identity.somewhere != nil
        case "bluetooth": return identity.everywhere == .operate
        case "auth":
            guard case .string(let token)? = request.params["token"] else { return false }
            return TestIdentity.of(token) != nil
        default: return false
        }
    }

    // MARK: changes

    /// A session has changed only if one of the caller's identities may change it. An identity that may advance the clock may
    /// change every session.
    static func checkChanges(
        from before: [String: [UInt8]], to after: [String: [UInt8]], by caller: BodyCaller
    ) {
        if caller.identities.contains(where: { $0.everywhere == .operate }) { return }
        for name in Set(before.keys).union(after.keys) where before[name] != after[name] {
            let role = caller.identities.compactMap { $0.role(name) }.max() ?? .observe
            check(role >= .play, "\(caller.identity.token) changed \(name)")
            let existedThroughout = (before[name] != nil, after[name] != nil) == (true, true)
            check(
                existedThroughout || role == .operate,
                "\(caller.identity.token) opened or closed \(name)")
        }
    }

    // MARK: the status

    /// The statuses of exceeded limits for which waiting does not help, by the limits' names. Other limits have status 429.
    private static let statusesOfLimits: [String: WebStatus] = [
        "depth": .badRequest, "batchBytes": .badRequest, "timerMs": .ok, "clockMs": .ok,
    ]

    /// The HTTP status matches the reply to a single request; for a batch it is 200.
    static func checkStatus(_ outcome: MessageOutcome, _ replies: [Reply], isBatch: Bool) {
        for hasCredential in [true, false] {
            let status = WebStatus(of: outcome, hasCredential: hasCredential)
            let expected: WebStatus
            switch (isBatch ? nil : replies.first?.code, replies.first?.text("needs")) {
            case (nil, _): expected = replies.isEmpty ? .noContent : .ok
            case (let code?, _) where code < 0: expected = .badRequest
            case (4, "timer"): expected = .forbidden
            case (4, _): expected = hasCredential ? .forbidden : .unauthorized
            case (11, _):
                let limit = replies.first?.text("which") ?? ""
                expected = Self.statusesOfLimits[limit] ?? .tooManyRequests
            case (12, _): expected = .unavailable
            default: expected = .ok
            }
            check(status == expected, "the status \(status) instead of \(expected) for \(replies)")
        }
    }
}
