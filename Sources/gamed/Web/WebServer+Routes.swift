import Access
import CEventHTTP
import COpenSSL
import GameFlow
import HTTP
import JSON
import Keeping
import Page
import Sessions
import Timers
import Wire

/// What there is at which path, and what has to hold before it is served.
extension WebServer {
    /// A request has come; it is answered, or will be. Time comes before requests.
    func take(_ request: WebRequest) {
        connections.relax(request.descriptor)
        exchange.tally.web += 1
        exchange.loop.settle()
        let hasTime =
            waiting.isEmpty
            && exchange.turns.admit(.web) { { [weak self] in self?.again.call() } }
        if hasTime { answer(request) } else { waiting.append(request) }
    }

    /// Another turn: answers some of those who wait.
    func goOn() {
        exchange.loop.settle()
        while !waiting.isEmpty {
            guard exchange.turns.admit(.web, again: { { [weak self] in self?.again.call() } })
            else {
                return
            }
            if let request = waiting.removeFirst() { answer(request) }
            exchange.loop.settle()
        }
    }

    private func answer(_ request: WebRequest) {
        do throws(WebError) { try route(request) } catch {
            finish(request) { request.reply(error) }
        }
        exchange.turns.spent(.web)
    }

    /// Answers at once, after which the connection may ask for more.
    private func finish(_ request: WebRequest, _ reply: () -> Void) {
        let descriptor = request.descriptor
        reply()
        connections.expect(descriptor, within: exchange.limits.idle)
    }

    /// In the contract's order: Host and Origin, path, method, type, size, rights.
    private func route(_ request: WebRequest) throws(WebError) {
        let here = request.descriptor.flatMap(NetworkSocket.local)
        let head = request.head
        try origin.check(head, at: here)
        switch head.path {
        case "/v1/rpc":
            try allow("POST", head)
            try expect(["application/json"], head, request)
            try call(request, head)
        case "/v1/login":
            try allow("POST", head)
            try expect(["application/json", "text/plain"], head, request)
            try login(request)
        case "/v1/events":
            try allow("GET", head)
            try stream(request, head)
        case "/metrics":
            try allow("GET", head, "HEAD")
            finish(request) { request.reply(.ok, Metrics.type, metrics.text(self)) }
        case "/healthz":
            try allow("GET", head, "HEAD")
            if let outage = exchange.sessions.outage {
                throw WebError(.unavailable, why: "storage: \(outage)")
            }
            finish(request) { request.reply(.ok, "text/plain; charset=utf-8", Array("ok\n".utf8)) }
        default:
            guard let asset = PageAsset.at(head.path) else {
                throw WebError(.notFound, why: "there is nothing at this path")
            }
            try allow("GET", head, "HEAD")
            finish(request) { asset.reply(to: request) }
        }
    }

    private func allow(_ method: String, _ head: RequestHead, _ other: String? = nil)
        throws(WebError)
    {
        guard head.method == method || head.method == other else {
            throw WebError(
                .methodNotAllowed, why: "this path takes \(method)",
                allow: [method, other].compactMap { $0 }.joined(separator: ", "))
        }
    }

    private func expect(_ types: [String], _ head: RequestHead, _ request: WebRequest)
        throws(WebError)
    {
        guard types.contains(head.mediaType) else {
            throw WebError(
                .unsupportedMediaType,
                why: "Content-Type: expected \(types.joined(separator: " or "))")
        }
        let limit = exchange.limits.bodyBytes
        guard request.bodyLength <= limit else {
            throw WebError(.contentTooLarge, .limit(which: "bodyBytes", limit: limit))
        }
    }

    // MARK: who asks

    /// Whoever asks, and whether he has shown anything. A token that is none is said so; of a cookie that is no
    /// longer good only its rights are gone.
    private func visitor(_ request: WebRequest, _ head: RequestHead) throws(WebError)
        -> (Visitor, hasCredential: Bool)
    {
        var visitor = stranger(request)
        if let bearer = head.bearer {
            guard let name = exchange.gatekeeper.name(of: bearer) else {
                throw Self.unauthorized(nil)
            }
            visitor.show(token: name)
            return (visitor, true)
        }
        guard let token = cookie.token(in: head.header("Cookie")),
            let name = exchange.gatekeeper.name(of: token)
        else { return (visitor, visitor.certificate != nil) }
        visitor.show(token: name)
        return (visitor, true)
    }

    private func stranger(_ request: WebRequest) -> Visitor {
        guard let descriptor = request.descriptor, let address = NetworkSocket.peer(of: descriptor)
        else { return Visitor(.web, request.descriptor.flatMap { Credentials(of: $0) }) }
        let tls = request.buffers.flatMap {
            security == nil ? nil : bufferevent_openssl_get_ssl($0)
        }
        return Visitor(
            .web, address: address, certificate: tls.flatMap(CertificateNames.verified))
    }

    private var cookie: WebCookie {
        let port = isUnix ? nil : address.split(separator: ":").last.map(String.init)
        return WebCookie(port: port, isSecure: security != nil)
    }

    private static func unauthorized(_ method: String?) -> WebError {
        WebError(
            .unauthorized,
            .forbidden(.method(method ?? "auth"), source: .web, needs: "a token"))
    }

    // MARK: what is served

    private func call(_ request: WebRequest, _ head: RequestHead) throws(WebError) {
        let (visitor, hasCredential) = try visitor(request, head)
        guard !exchange.isFull else {
            throw WebError(.tooManyRequests, .limit(which: "uncommitted", limit: Keeper.limit))
        }
        let descriptor = request.descriptor
        let call = WebCall(request, from: visitor, hasCredential: hasCredential, exchange) {
            [unowned self] in
            end($0)
            connections.expect(descriptor, within: exchange.limits.idle)
        }
        begin(call)
        call.ask(request.body)
    }

    /// A good token gets a cookie; any other takes it away, so that signing out is showing none.
    private func login(_ request: WebRequest) throws(WebError) {
        var visitor = stranger(request)
        let account = exchange.meter.bucket(of: visitor.account, .web)
        if let error = exchange.meter.spend(from: account, .web) {
            throw WebError(.tooManyRequests, error)
        }
        let token = SignInBody.token(in: request.body)
        guard let name = token.flatMap(exchange.gatekeeper.name) else {
            request.set("Set-Cookie", cookie.header(nil))
            throw Self.unauthorized("login")
        }
        visitor.show(token: name)
        let role = exchange.gatekeeper.rights(of: visitor).highest
        request.set("Set-Cookie", cookie.header(token))
        let body = JSONWriter.bytes {
            $0.object([
                Member("name", name), Member("role", role.map { .string($0.name) } ?? .null),
            ])
        }
        finish(request) { request.reply(.ok, "application/json", body) }
    }

    private func stream(_ request: WebRequest, _ head: RequestHead) throws(WebError) {
        let (visitor, hasCredential) = try visitor(request, head)
        let asked = try StreamRequest(head)
        let rights = exchange.gatekeeper.rights(of: visitor)
        let meter = exchange.meter
        if let error = meter.spend(from: meter.bucket(of: visitor.account, .web), .web) {
            throw WebError(.tooManyRequests, error)
        }
        guard asked.mayBeWatched(with: rights) else {
            let error = RequestError.forbidden(
                .method("watch"), source: .web, needs: Role.observe.name)
            _ = exchange.gatekeeper.forbade(error, visitor)
            throw WebError(hasCredential ? .forbidden : .unauthorized, error)
        }
        let form = EventStreamForm(instance: instance)
        let stream = WebStream(request, from: visitor, exchange, form) { [unowned self] in
            exchange.gatekeeper.leave($0)
            end($0)
        }
        do {
            try stream.begin(
                asked.target, asked.topics,
                since: asked.since.flatMap { EventID.position($0, of: instance) })
        } catch {
            stream.abandon()
            if case .unknownSession = error { throw WebError(.notFound, error) }
            throw WebError(.unavailable, error)
        }
        exchange.gatekeeper.enter(stream)
        begin(stream)
    }
}
