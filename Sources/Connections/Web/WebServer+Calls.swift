package import Access
import Durability
import GameFlow
package import HTTP
import JSONCoding
import RPC
import Sessions

/// Answers `/v1/rpc`, `/v1/login` and `/v1/events`.
extension WebServer {
    /// Answers `POST /v1/rpc`: executes the JSON-RPC message in the body.
    package func call(_ connection: HTTPConnection, _ webIdentity: WebIdentity) throws(WebError) {
        try checkCredential(webIdentity)
        try checkFullness()
        WebCall(connection, from: webIdentity, form: .message).execute(connection.body)
    }

    /// Throws 429 while too many rows wait for the disk: then no request is executed.
    func checkFullness() throws(WebError) {
        guard context.isFull else { return }
        throw WebError(
            .tooManyRequests, .limit(which: "uncommitted", limit: GroupCommit.uncommittedLimit))
    }

    /// Answers `POST /v1/login`: stores the token of the body in the cookie of the page. Without a valid token, deletes the
    /// cookie and throws 401; pages sign out in this way.
    package func login(
        _ connection: HTTPConnection, _ head: RequestHead, _ webIdentity: WebIdentity
    )
        throws(WebError)
    {
        let cookie = try cookie(of: webIdentity)
        let token = SignInBody.token(in: Array(connection.body))
        guard let name = token.flatMap(context.authorizer.name) else {
            connection.response.set("Set-Cookie", cookie.header(nil))
            throw unauthorized("login", to: webIdentity.identity)
        }
        var identity = webIdentity.identity
        identity.addToken(named: name)
        let role = context.authorizer.rights(of: identity).highestRole
        connection.response.set("Set-Cookie", cookie.header(token))
        // If too many pages of the browser are signed in, these headers sign out the pages that signed in first.
        for removal in cookie.removals(in: head.header("Cookie")) {
            connection.response.set("Set-Cookie", removal)
        }
        let body = JSONWriter.bytes {
            $0.object([
                Member("name", name), Member("role", role.map { .string($0.name) } ?? .null),
            ])
        }
        connection.countRequest(.ok)
        connection.reply(.ok, "application/json", body)
    }

    /// Answers `GET /v1/events`: begins an event stream.
    package func stream(
        _ connection: HTTPConnection, _ head: RequestHead, _ webIdentity: WebIdentity,
        isCrossOrigin: Bool
    ) throws(WebError) {
        try checkCredential(webIdentity)
        let streamRequest = try StreamRequest(head, takesToken: isCrossOrigin)
        let start = try startPosition(of: streamRequest)
        let identity = webIdentity.identity
        if let missing = streamRequest.missingRight(context.authorizer.rights(of: identity)) {
            let error = RequestError.forbidden(
                .method("watch"), source: .web, needs: .right(missing))
            context.reportForbidden(error, identity)
            throw WebError(webIdentity.hasCredential ? .forbidden : .unauthorized, error)
        }
        // The connections of a proxy are not counted by host, so the streams of the hosts behind it are.
        let host = forwardedAddress(head, connection) == nil ? nil : identity.host
        if host != nil, let error = context.hostRejection(identity) {
            throw WebError(.tooManyRequests, error, isCounted: true)
        }
        let form = EventStreamForm(instance: instance)
        let stream = WebStream(connection, streamRequest, start, from: identity, form) {
            [unowned self] in
            context.stopCounting(host)
            context.authorizer.removeCaller($0)
            for follower in context.streamFollowers { follower.leave($0) }
        }
        context.startCounting(host)
        do { try stream.begin(start) } catch {
            stream.connectionClosed()
            if case .unknownSession = error { throw WebError(.notFound, error) }
            throw WebError(.unavailable, error)
        }
        guard !stream.isGone else { return }
        context.authorizer.addCaller(stream)
        if case .session(let name) = streamRequest.target {
            for follower in context.streamFollowers {
                follower.enter(stream, name, isWall: streamRequest.isWall)
            }
        }
    }

    /// The position at which a stream begins. If `since` is the id of an event of this instance, the stream begins after that
    /// event. If there is no `since`, or if its id is of another instance, the stream begins with the present state. Throws 400
    /// if `since` is an id of this instance with a malformed position.
    private func startPosition(of streamRequest: StreamRequest) throws(WebError) -> StreamStart {
        guard let id = streamRequest.since else { return .present }
        // If several nodes share the store, the id of an event in a stream of all sessions contains a cursor instead of a
        // `pos`.
        let isRouted = context.router != nil && streamRequest.target == .all
        do throws(EventIDError) {
            if isRouted { return try EventID.startOfAllSessions(id, of: instance) }
            return try EventID.position(id, of: instance).map { .after($0) } ?? .present
        } catch {
            let expectedForm =
                isRouted ? "INSTANCE:CURSOR" : "INSTANCE:POS with POS from 0 to 2^53 − 1"
            throw WebError(.badRequest, why: "since: expected \(expectedForm)")
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

    /// Throws 401 if the client presented an invalid token in a header, and 400 if the name of its page is invalid.
    private func checkCredential(_ webIdentity: WebIdentity) throws(WebError) {
        _ = try cookie(of: webIdentity)
        if webIdentity.hasInvalidToken { throw unauthorized("auth", to: webIdentity.identity) }
    }

    /// Logs that a client without a valid token was refused, and returns the error 401. `method` names the request in the log
    /// and in the error.
    package func unauthorized(_ method: String, to identity: Identity) -> WebError {
        let error = RequestError.forbidden(
            .method(method), source: .web, needs: .right("a valid token"))
        context.reportForbidden(error, identity)
        return WebError(.unauthorized, error)
    }
}
