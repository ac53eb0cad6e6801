import EventLoop
import GameFlow
import RPC
import Sessions
import Support
import Timers

/// Routes HTTP requests, and checks their preconditions.
extension WebServer {
    /// Handles a request, in this turn of the loop or in a later turn. Timers that are due fire before the request.
    func handle(_ request: WebRequest) {
        connections.requestArrived(request.descriptor)
        trackCompletion(request)
        context.counters.httpRequests += 1
        context.loop.fireDueTimers()
        if connections.connection(request.descriptor)?.isDropped == true {
            return request.reply(Self.standstillError)
        }
        if waitingRequests.isEmpty, context.timeSlices.hasTime(.web) { return answer(request) }
        // If no other request waits yet, schedules a later turn, in which the waiting requests are answered.
        if waitingRequests.isEmpty { resumeLater() }
        waitingRequests.append(request)
    }

    /// Arranges that `answerWaiting` is called in a later turn.
    private func resumeLater() {
        context.timeSlices.later { [weak self] in self?.resumeTask.call() }
    }

    /// Called in a later turn. Answers waiting requests while that turn has time for them.
    func answerWaiting() {
        context.loop.fireDueTimers()
        while !waitingRequests.isEmpty {
            guard context.timeSlices.hasTime(.web) else { return resumeLater() }
            if let request = waitingRequests.removeFirst() { answer(request) }
            context.loop.fireDueTimers()
        }
    }

    /// Answers a request. The caller has called `fireDueTimers`, which reads the clock.
    private func answer(_ request: WebRequest) {
        do throws(WebError) { try route(request) } catch { request.reply(error) }
        // Counts the time since the clock was read as time that this turn of the loop has used for HTTP.
        context.timeSlices.charge(.web)
    }

    /// Answers a request. The checks have this order: syntax; Host and Origin; request rate; path; method; media type and size
    /// of the body; rights. The first check that fails determines the error.
    private func route(_ request: WebRequest) throws(WebError) {
        let connection = connections.connection(request.descriptor)
        if let failure = connection?.failure { throw failure }
        let head = request.head
        let otherOrigin = try checkOrigin(head, connection)
        let webIdentity = webIdentity(
            request, head, connection, isCrossOrigin: otherOrigin != nil)
        if let otherOrigin { request.admit(otherOrigin) }
        if let error = context.rateLimiter.spend(from: webIdentity.bucket) {
            throw WebError(.tooManyRequests, error)
        }
        if otherOrigin != nil, head.method == "OPTIONS" { return request.replyToPreflight() }
        switch head.path {
        case "/v1/rpc":
            try requireMethod("POST", in: head)
            try requireBody(["application/json"], head, request)
            try call(request, webIdentity)
        case "/v1/login":
            try requireMethod("POST", in: head)
            try requireBody(["application/json", "text/plain"], head, request)
            try login(request, head, webIdentity)
        case "/join" where head.method == "POST":
            try requireBody(["application/json"], head, request)
            try join(request, head, webIdentity)
        case "/join" where head.method != "GET" && head.method != "HEAD":
            throw WebError(
                .methodNotAllowed, why: "this path takes GET and POST", allow: "GET, HEAD, POST")
        case "/v1/events":
            try requireMethod("GET", in: head)
            try stream(request, head, webIdentity, isCrossOrigin: otherOrigin != nil)
        case "/metrics":
            try requireMethod("GET", or: "HEAD", in: head)
            request.reply(.ok, Metrics.type, metrics.text())
        case "/livez":
            // The answer itself shows that the loop turns.
            try requireMethod("GET", or: "HEAD", in: head)
            request.reply(.ok, "text/plain; charset=utf-8", Array("ok\n".utf8))
        case "/readyz", "/healthz":
            try requireMethod("GET", or: "HEAD", in: head)
            if let problem = context.health.problem {
                let rights = context.authorizer.rights(of: webIdentity.identity)
                throw WebError(
                    .unavailable, why: problem.sentence(isForOperator: rights.has(.operate)))
            }
            request.reply(.ok, "text/plain; charset=utf-8", Array("ok\n".utf8))
        case let path where path.hasPrefix(Self.mediaPath):
            try requireMethod("GET", or: "HEAD", in: head)
            try sendMedia(request, head, webIdentity)
        case let path where path.hasPrefix(Self.sendPath): try send(request, head, connection)
        default:
            guard let asset = PageAsset.at(head.path) else {
                throw WebError(.notFound, why: "no resource has this path")
            }
            try requireMethod("GET", or: "HEAD", in: head)
            asset.reply(to: request, pages)
        }
    }

    /// Checks the headers `Host` and `Origin`. Logs a refusal, because the people who see an empty page cannot tell what is wrong.
    /// Returns the origin of a page of another site that may send this request.
    private func checkOrigin(_ head: RequestHead, _ connection: WebConnection?) throws(WebError)
        -> String?
    {
        do throws(WebError) {
            return try origin.check(
                head, at: connection?.localAddress,
                isSecure: forwarded(head, connection)?.isSecure,
                isPageFile: ["GET", "HEAD"].contains(head.method)
                    && head.path.hasPrefix(PageAsset.filesPath))
        } catch {
            if let why = error.why { reportRefusedOrigin(why, from: connection) }
            throw error
        }
    }

    /// Throws 405 unless the request has the method `method` or `other`.
    private func requireMethod(_ method: String, or other: String? = nil, in head: RequestHead)
        throws(WebError)
    {
        guard head.method == method || head.method == other else {
            throw WebError(
                .methodNotAllowed, why: "this path takes \(method)",
                allow: [method, other].compactMap { $0 }.joined(separator: ", "))
        }
    }

    /// Throws 415 unless the body has one of the media types, and 413 if the body is too long.
    private func requireBody(_ types: [String], _ head: RequestHead, _ request: WebRequest)
        throws(WebError)
    {
        guard types.contains(head.mediaType) else {
            throw WebError(
                .unsupportedMediaType,
                why: "Content-Type: expected \(types.joined(separator: " or "))")
        }
        let limit = context.limits.bodyBytes
        guard request.bodyLength <= limit else {
            throw WebError(.contentTooLarge, .limit(which: "bodyBytes", limit: limit))
        }
    }
}
