import EventLoop
import GameFlow
import RPC
import Sessions
import Support
import Timers

/// Routes HTTP requests, and checks their preconditions.
extension WebServer {
    /// Handles a request, now or in a later turn. Timers that are due fire before the request.
    func handle(_ request: WebRequest) {
        connections.requestArrived(request.descriptor)
        trackCompletion(request)
        context.counters.httpRequests += 1
        context.loop.fireDueTimers()
        if waiting.isEmpty, context.timeSlices.hasTime(.web) { return answer(request) }
        // The first waiting request schedules a later turn for all of them.
        if waiting.isEmpty { resumeLater() }
        waiting.append(request)
    }

    private func resumeLater() {
        context.timeSlices.later { [weak self] in self?.resumeTask.call() }
    }

    /// Called in a later turn: answers waiting requests as long as that turn has time for them.
    func resume() {
        context.loop.fireDueTimers()
        while !waiting.isEmpty {
            guard context.timeSlices.hasTime(.web) else { return resumeLater() }
            if let request = waiting.removeFirst() { answer(request) }
            context.loop.fireDueTimers()
        }
    }

    private func answer(_ request: WebRequest) {
        do throws(WebError) { try route(request) } catch { request.reply(error) }
        context.timeSlices.charge(.web)
    }

    /// Checks in the order of the protocol: Host and Origin, path, method, type, size, rights.
    private func route(_ request: WebRequest) throws(WebError) {
        let connection = connections.connection(request.descriptor)
        if let failure = connection?.failure { throw failure }
        let head = request.head
        try origin.check(head, at: connection?.localAddress)
        let webIdentity = webIdentity(request, head, connection)
        if let error = context.rateLimiter.spend(from: webIdentity.bucket) {
            throw WebError(.tooManyRequests, error)
        }
        switch head.path {
        case "/v1/rpc":
            try allow("POST", head)
            try expect(["application/json"], head, request)
            try call(request, webIdentity)
        case "/v1/login":
            try allow("POST", head)
            try expect(["application/json", "text/plain"], head, request)
            try login(request, head, webIdentity)
        case "/join" where head.method == "POST":
            try expect(["application/json"], head, request)
            try join(request, head, webIdentity)
        case "/join" where head.method != "GET" && head.method != "HEAD":
            throw WebError(
                .methodNotAllowed, why: "this path takes GET and POST", allow: "GET, HEAD, POST")
        case "/v1/events":
            try allow("GET", head)
            try stream(request, head, webIdentity)
        case "/metrics":
            try allow("GET", head, "HEAD")
            request.reply(.ok, Metrics.type, metrics.text())
        case "/healthz":
            try allow("GET", head, "HEAD")
            if let outage = context.sessions.outage ?? context.router?.outage {
                throw WebError(.unavailable, why: "storage: \(outage)")
            }
            request.reply(.ok, "text/plain; charset=utf-8", Array("ok\n".utf8))
        case let path where path.hasPrefix(Self.mediaPath):
            try allow("GET", head, "HEAD")
            try sendMedia(request, head, webIdentity)
        case let path where path.hasPrefix(Self.sendPath): try send(request, head, connection)
        default:
            guard let asset = PageAsset.at(head.path) else {
                throw WebError(.notFound, why: "no resource has this path")
            }
            try allow("GET", head, "HEAD")
            asset.reply(to: request, pages)
        }
    }

    /// Throws 405 if the request has another method than these.
    private func allow(_ method: String, _ head: RequestHead, _ other: String? = nil)
        throws(WebError)
    {
        guard head.method == method || head.method == other else {
            throw WebError(
                .methodNotAllowed, why: "this path takes \(method)",
                allow: [method, other].compactMap { $0 }.joined(separator: ", "))
        }
    }

    /// Throws 415 for a body of another media type, and 413 for a body that is too long.
    private func expect(_ types: [String], _ head: RequestHead, _ request: WebRequest)
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
