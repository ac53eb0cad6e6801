import Access
import Durability
import GameFlow
import HTTP
import JSON
import RPC
import Sessions

/// Handles the HTTP requests about sessions, and signing in.
extension WebServer {
    func call(_ request: WebRequest, _ asker: WebIdentity) throws(WebError) {
        try check(asker)
        guard !exchange.isFull else {
            throw WebError(.tooManyRequests, .limit(which: "uncommitted", limit: GroupCommit.limit))
        }
        let call = WebCall(request, from: asker, exchange) { [unowned self] in end($0) }
        begin(call)
        call.ask(request.body)
    }

    /// A valid token is stored in a cookie; without one the cookie is deleted, so that a request
    /// without a token signs out.
    func login(_ request: WebRequest, _ head: RequestHead, _ asker: WebIdentity) throws(WebError) {
        let cookie = try cookie(of: asker)
        let token = SignInBody.token(in: request.body)
        guard let name = token.flatMap(exchange.gatekeeper.name) else {
            request.set("Set-Cookie", cookie.header(nil))
            throw refusal("login", to: asker.visitor)
        }
        var visitor = asker.visitor
        visitor.show(token: name)
        let role = exchange.gatekeeper.rights(of: visitor).highest
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

    func stream(_ request: WebRequest, _ head: RequestHead, _ asker: WebIdentity)
        throws(WebError)
    {
        try check(asker)
        let asked = try StreamRequest(head)
        let since = try position(asked.since)
        let visitor = asker.visitor
        guard exchange.gatekeeper.rights(of: visitor).mayWatch(asked.target) else {
            let error = RequestError.forbidden(
                .method("watch"), source: .web, needs: .right(Role.observe.name))
            _ = exchange.gatekeeper.forbade(error, visitor)
            throw WebError(asker.hasCredential ? .forbidden : .unauthorized, error)
        }
        let form = EventStreamForm(instance: instance)
        let stream = WebStream(request, asked, from: visitor, exchange, form) { [unowned self] in
            exchange.gatekeeper.leave($0)
            end($0)
        }
        do {
            try stream.begin(since: since)
        } catch {
            stream.abandon()
            if case .unknownSession = error { throw WebError(.notFound, error) }
            throw WebError(.unavailable, error)
        }
        if let buffers = request.buffers {
            connections.connection(request.descriptor)?.beginStream(buffers)
        }
        exchange.gatekeeper.enter(stream)
        begin(stream)
    }

    /// The position after which a stream continues; nil if it begins with the present state.
    private func position(_ id: String?) throws(WebError) -> Int? {
        guard let id else { return nil }
        do throws(EventIDError) { return try EventID.position(id, of: instance) } catch {
            throw WebError(
                .badRequest, why: "since: expected INSTANCE:POS with POS from 0 to 2^53 − 1")
        }
    }

    /// Throws 400 if the page's name is invalid.
    private func cookie(of asker: WebIdentity) throws(WebError) -> WebCookie {
        guard let cookie = asker.cookie else {
            throw WebError(
                .badRequest,
                why: "Gamed-Page: expected one name, 1 to \(PageName.longest) of A-Z a-z 0-9 . _ -")
        }
        return cookie
    }

    /// Throws 401 if the client presented an invalid token.
    private func check(_ asker: WebIdentity) throws(WebError) {
        _ = try cookie(of: asker)
        if asker.isWrong { throw refusal("auth", to: asker.visitor) }
    }

    private func refusal(_ method: String, to visitor: Identity) -> WebError {
        let error = RequestError.forbidden(
            .method(method), source: .web, needs: .right("a token that is known"))
        _ = exchange.gatekeeper.forbade(error, visitor)
        return WebError(.unauthorized, error)
    }
}
