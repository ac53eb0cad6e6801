import Durability
import GameFlow
import JSONCoding
import RPC
import Sessions

/// Handles the HTTP requests about sessions, and signing in.
extension WebServer {
    /// Executes a JSON-RPC message.
    func call(_ request: WebRequest, _ webIdentity: WebIdentity) throws(WebError) {
        try check(webIdentity)
        guard !context.isFull else {
            throw WebError(.tooManyRequests, .limit(which: "uncommitted", limit: GroupCommit.limit))
        }
        let call = WebCall(request, from: webIdentity, context) { [unowned self] in end($0) }
        begin(call)
        call.execute(request.body)
    }

    /// Stores a valid token in a cookie. Without a valid token the cookie is deleted, so a request without a token signs out.
    func login(_ request: WebRequest, _ head: RequestHead, _ webIdentity: WebIdentity)
        throws(WebError)
    {
        let cookie = try cookie(of: webIdentity)
        let token = SignInBody.token(in: request.body)
        guard let name = token.flatMap(context.authorizer.name) else {
            request.set("Set-Cookie", cookie.header(nil))
            throw unauthorized("login", to: webIdentity.identity)
        }
        var identity = webIdentity.identity
        identity.addToken(named: name)
        let role = context.authorizer.rights(of: identity).highestRole
        request.set("Set-Cookie", cookie.header(token))
        for removal in cookie.removals(in: head.header("Cookie")) {
            request.set("Set-Cookie", removal)
        }
        let body = JSONWriter.bytes {
            $0.object([
                Member("name", name), Member("role", role.map { .string($0.name) } ?? .null),
            ])
        }
        request.reply(.ok, "application/json", body)
    }

    /// Begins an event stream.
    func stream(_ request: WebRequest, _ head: RequestHead, _ webIdentity: WebIdentity)
        throws(WebError)
    {
        try check(webIdentity)
        let streamRequest = try StreamRequest(head)
        let start = try self.start(streamRequest)
        let identity = webIdentity.identity
        guard context.authorizer.rights(of: identity).mayWatch(streamRequest.target) else {
            let error = RequestError.forbidden(
                .method("watch"), source: .web, needs: .right(Role.observe.name))
            _ = context.authorizer.reportForbidden(error, identity)
            throw WebError(webIdentity.hasCredential ? .forbidden : .unauthorized, error)
        }
        let form = EventStreamForm(instance: instance)
        let stream = WebStream(request, streamRequest, from: identity, context, form) {
            [unowned self] in
            context.authorizer.removeCaller($0)
            context.screens?.leave($0)
            end($0)
        }
        do {
            try stream.begin(start)
        } catch {
            stream.abandon()
            if case .unknownSession = error { throw WebError(.notFound, error) }
            throw WebError(.unavailable, error)
        }
        if let buffers = request.buffers {
            connections.connection(request.descriptor)?.beginStream(buffers)
        }
        context.authorizer.addCaller(stream)
        if case .session(let name) = streamRequest.target { context.screens?.enter(stream, name) }
        begin(stream)
    }

    /// The position at which a stream begins.
    private func start(_ streamRequest: StreamRequest) throws(WebError) -> StreamStart {
        guard let id = streamRequest.since else { return .present }
        let isRouted = context.router != nil && streamRequest.target == .all
        do throws(EventIDError) {
            if isRouted { return try EventID.startOfAllSessions(id, of: instance) }
            return try EventID.position(id, of: instance).map { .after($0) } ?? .present
        } catch {
            let form = isRouted ? "INSTANCE:CURSOR" : "INSTANCE:POS with POS from 0 to 2^53 − 1"
            throw WebError(.badRequest, why: "since: expected \(form)")
        }
    }

    /// The cookie for the token of the page that sent the request. The page sends its name in the header `Gamed-Page`. Throws
    /// 400 if the name is invalid.
    private func cookie(of webIdentity: WebIdentity) throws(WebError) -> WebCookie {
        guard let cookie = webIdentity.cookie else {
            throw WebError(
                .badRequest,
                why: "Gamed-Page: expected one name "
                    + "of 1 to \(PageName.lengthLimit) characters from A-Z a-z 0-9 . _ -")
        }
        return cookie
    }

    /// Throws 401 if the client presented an invalid token.
    private func check(_ webIdentity: WebIdentity) throws(WebError) {
        _ = try cookie(of: webIdentity)
        if webIdentity.hasInvalidToken { throw unauthorized("auth", to: webIdentity.identity) }
    }

    /// Logs that a client without a valid token was refused, and returns the error 401.
    func unauthorized(_ method: String, to identity: Identity) -> WebError {
        let error = RequestError.forbidden(
            .method(method), source: .web, needs: .right("a valid token"))
        _ = context.authorizer.reportForbidden(error, identity)
        return WebError(.unauthorized, error)
    }
}
