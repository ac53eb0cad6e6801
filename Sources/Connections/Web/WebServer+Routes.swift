import Access
import EventLoop
import GameFlow
import HTTP
import Net
import Parts
import RPC
import Sessions
import Support
import Timers

/// Routes HTTP requests, and checks their preconditions.
extension WebServer {
    /// Answers the request that has arrived over a connection, now or later. The caller has called `fireDueTimers`.
    package func answer(_ connection: HTTPConnection) {
        do throws(WebError) { try route(connection, connection.head) } catch {
            connection.reply(error)
        }
    }

    /// Answers a request. The checks have this order: Host and Origin; request rate; path; method; media type and size of the body;
    /// rights. The first check that fails determines the error.
    private func route(_ connection: HTTPConnection, _ head: RequestHead) throws(WebError) {
        let otherOrigin = try checkOrigin(head, connection)
        let webIdentity = webIdentity(head, connection, isCrossOrigin: otherOrigin != nil)
        if let otherOrigin { Self.admit(otherOrigin, connection) }
        if let error = context.accountLimits.countRequest(webIdentity.bucket) {
            throw WebError(.tooManyRequests, error, isCounted: true)
        }
        if otherOrigin != nil, head.method == .options { return replyToPreflight(connection) }
        do throws(WebError) {
            try serve(connection, head, webIdentity, isCrossOrigin: otherOrigin != nil)
        } catch { connection.reply(error, to: webIdentity.bucket.account) }
    }

    /// Answers a request that was counted. The request comes from `webIdentity`.
    private func serve(
        _ connection: HTTPConnection, _ head: RequestHead, _ webIdentity: WebIdentity,
        isCrossOrigin: Bool
    ) throws(WebError) {
        if isForMetrics, !("/metrics" ~= head.path) {
            throw WebError(.notFound, why: "this address has only /metrics")
        }
        switch head.path {
        case "/v1/rpc":
            try require(.post, in: head)
            try requireBody(["application/json"], head, connection)
            try call(connection, webIdentity)
        case "/v1/login":
            try require(.post, in: head)
            try requireBody(["application/json", "text/plain"], head, connection)
            try login(connection, head, webIdentity)
        case "/join" where head.method == .post:
            try requireBody(["application/json"], head, connection)
            try join(connection, head, webIdentity)
        case "/join" where head.method != .get && head.method != .head:
            throw WebError(
                .methodNotAllowed, why: "this path takes GET and POST", allow: "GET, HEAD, POST")
        case "/v1/events":
            try require(.get, in: head)
            try stream(connection, head, webIdentity, isCrossOrigin: isCrossOrigin)
        case "/metrics":
            try require(.get, or: .head, in: head)
            let rights = context.authorizer.rights(of: webIdentity.identity)
            connection.reply(
                .ok, Metrics.type,
                context.metrics.text(
                    isComplete: isForMetrics || rights.hasEverywhere(.operate)))
        case "/livez":
            // The answer itself shows that the loop turns.
            try require(.get, or: .head, in: head)
            connection.reply(.ok, "text/plain; charset=utf-8", Array("ok\n".utf8))
        case "/readyz", "/healthz":
            try require(.get, or: .head, in: head)
            if let problem = context.health.problem {
                let rights = context.authorizer.rights(of: webIdentity.identity)
                var error = WebError(
                    .unavailable, why: problem.sentence(isForOperator: rights.has(.operate)))
                // The question was answered.
                error.isRequestCounted = false
                throw error
            }
            connection.reply(.ok, "text/plain; charset=utf-8", Array("ok\n".utf8))
        default:
            if let target = head.path(after: "/v1/send/") {
                return try send(connection, head, target)
            }
            if let name = head.path(after: "/media/") {
                try require(.get, or: .head, in: head)
                return try sendMedia(connection, head, name, webIdentity)
            }
            if let name = head.path(after: "/join/") {
                try require(.get, or: .head, in: head)
                return try sendScreenCode(connection, name, webIdentity)
            }
            guard let asset = PageAsset.at(String(decoding: head.path, as: UTF8.self)) else {
                throw WebError(.notFound, why: "no resource has this path")
            }
            try require(.get, or: .head, in: head)
            asset.reply(to: head, over: connection, pages)
        }
    }

    /// Checks the headers `Host` and `Origin`. Logs a refusal, because the people who see an empty page cannot tell what is wrong.
    /// Returns the origin of a page of another site that may send this request.
    private func checkOrigin(_ head: RequestHead, _ connection: HTTPConnection) throws(WebError)
        -> String?
    {
        do throws(WebOrigin.Rejection) {
            return try origin.check(
                head, at: connection.localAddress,
                isSecure: isForwardedSecure(head, connection),
                isPageFile: (head.method == .get || head.method == .head)
                    && head.path(after: PageAsset.filesPath) != nil)
        } catch {
            reportRefusedOrigin(error.why, from: connection)
            throw WebError(error)
        }
    }

    /// Lets a page of another origin read the answer. It is never sent with the cookies of that page's browser.
    private static func admit(_ origin: String, _ connection: HTTPConnection) {
        connection.response.set("Access-Control-Allow-Origin", origin)
        connection.response.set("Vary", "Origin")
    }

    /// Answers the question of a browser whether a page of another origin may send a request.
    private func replyToPreflight(_ connection: HTTPConnection) {
        connection.response.set("Access-Control-Allow-Methods", "GET, POST")
        connection.response.set(
            "Access-Control-Allow-Headers", "Authorization, Content-Type, Last-Event-ID")
        // In seconds.
        connection.response.set("Access-Control-Max-Age", "600")
        connection.reply(.noContent)
    }

    /// Throws 405 unless the request has the method `method` or `other`.
    private func require(
        _ method: HTTPMethod, or other: HTTPMethod? = nil, in head: RequestHead
    ) throws(WebError) {
        guard head.method == method || head.method == other else {
            throw WebError(
                .methodNotAllowed, why: "this path takes \(method.rawValue)",
                allow: [method, other].compactMap { $0?.rawValue }.joined(separator: ", "))
        }
    }

    /// Throws 415 unless the body has one of the media types, and 413 if the body is too long.
    private func requireBody(
        _ types: [StaticString], _ head: RequestHead, _ connection: HTTPConnection
    ) throws(WebError) {
        guard types.contains(where: head.hasMediaType) else {
            throw WebError(
                .unsupportedMediaType,
                why: "Content-Type: expected \(types.map { "\($0)" }.joined(separator: " or "))")
        }
        try checkBodyLength(connection)
    }

    /// Throws 413 if the body of a request is too long.
    func checkBodyLength(_ connection: HTTPConnection) throws(WebError) {
        guard !connection.isBodyTooLong else {
            let limit = context.limits.bodyBytes
            throw WebError(.contentTooLarge, .limit(which: "bodyBytes", limit: limit))
        }
    }
}
