import Access
import GameFlow
package import HTTP
import JSONCoding
import Net
import RPC
import Sessions

/// `POST /join`, which exchanges a link or a code for a token, and the QR code for the screens of a session.
extension WebServer {
    /// Sends the QR code that the screens of a session show, at `/join/SESSION.svg`, to those who may observe the session. `path` is
    /// the end of the request's path.
    func sendScreenCode(
        _ connection: HTTPConnection, _ path: String, _ webIdentity: WebIdentity
    ) throws(WebError) {
        let suffix = ".svg"
        let text = path.hasSuffix(suffix) ? String(path.dropLast(suffix.count)) : ""
        guard let session = FormText.decode(text.utf8, plusIsSpace: false).flatMap(SessionName.init)
        else { throw WebError(.notFound, why: "no resource has this path") }
        let rights = context.authorizer.rights(of: webIdentity.identity)
        guard rights.has(.observe, in: session) else {
            throw unauthorized("join", to: webIdentity.identity)
        }
        guard let code = context.invitations.screenCode(of: session) else {
            throw WebError(.notFound, why: "the screens of the session show no code now")
        }
        connection.response.set("Content-Security-Policy", Self.mediaPolicy)
        connection.reply(.ok, "image/svg+xml", Array(code.utf8))
    }

    /// Admits a guest, and stores the guest's token in the cookie of the players' page of the session.
    package func join(_ connection: HTTPConnection, _ head: RequestHead, _ webIdentity: WebIdentity)
        throws(WebError)
    {
        let credential = try Self.credential(in: Array(connection.body))
        let isSecure = isSecure(head, connection)
        context.invitations.join(credential, from: webIdentity.identity.host) { session in
            // The name of the token that the browser has already for the session: a guest who has joined before needs no new
            // token.
            cookie(ofPlayersIn: session, isSecure: isSecure).token(in: head.header("Cookie"))
                .flatMap(
                    context.authorizer.name)
        } _: { [weak self] result in
            switch result {
            case .success(let guest): self?.welcome(guest, connection, head, isSecure: isSecure)
            case .failure(let error):
                // In seconds: the gate refuses all codes for this time.
                switch error {
                case .tooManyWrongCodes, .tooManyJoins: connection.response.retrySeconds = 60
                case .unknown, .used, .failed: break
                }
                connection.reply(Self.webError(error), to: webIdentity.bucket.account)
            }
        }
    }

    /// Sends the token of a guest in a cookie, and the session and the role in the body. `guest.token` is nil if the guest has
    /// joined before.
    private func welcome(
        _ guest: Invitations.Guest, _ connection: HTTPConnection, _ head: RequestHead,
        isSecure: Bool
    ) {
        let invitation = guest.invitation
        if let token = guest.token {
            let cookie = cookie(ofPlayersIn: invitation.session, isSecure: isSecure)
            connection.response.set("Set-Cookie", cookie.header(token))
            // If too many pages of the browser are signed in, these headers sign out the pages that signed in first.
            for removal in cookie.removals(in: head.header("Cookie")) {
                connection.response.set("Set-Cookie", removal)
            }
        }
        let body = JSONWriter.bytes {
            $0.object(
                [
                    Member("session", invitation.session.text),
                    Member("role", invitation.role.name),
                ] + (invitation.guestName.map { [Member("as", $0)] } ?? []))
        }
        connection.countRequest(.ok)
        connection.reply(.ok, "application/json", body)
    }

    private func cookie(ofPlayersIn session: SessionName, isSecure: Bool) -> WebCookie {
        WebCookie(port: port, page: PageName("play.\(session.text)"), isSecure: isSecure)
    }

    /// The credential in the body: the member `code` or `link`. Throws 400 unless the body has exactly one of these two
    /// members.
    private static func credential(in body: [UInt8]) throws(WebError) -> Invitations.Credential {
        if case .object(let members)? = Value(json: body) {
            switch (members["code"], members["link"]) {
            case (.string(let code)?, nil): return .code(code)
            case (nil, .string(let link)?): return .linkKey(link)
            default: break
            }
        }
        throw WebError(.badRequest, why: "expected {\"code\":\"…\"} or {\"link\":\"…\"}")
    }

    /// The HTTP response for the reason why a guest may not join.
    private static func webError(_ error: Invitations.JoinError) -> WebError {
        switch error {
        case .unknown:
            return WebError(.notFound, why: "no invitation has this code, or it has ended")
        case .used: return WebError(.gone, why: "the invitation is for one guest, and was used")
        case .tooManyWrongCodes(.host):
            return WebError(
                .tooManyRequests, .limit(which: "wrongCodes", limit: JoinGate.hostLimit))
        case .tooManyWrongCodes(.all):
            return WebError(
                .tooManyRequests, .limit(which: "wrongCodesInAll", limit: JoinGate.totalLimit))
        case .tooManyJoins:
            return WebError(.tooManyRequests, .limit(which: "joins", limit: JoinGate.joinLimit))
        case .failed(.refused(let error)):
            if case .limit = error { return WebError(.tooManyRequests, error) }
            return WebError(.unavailable, error.shown(to: .nothing))
        case .failed(let error): return WebError(.unavailable, why: error.why)
        }
    }
}
