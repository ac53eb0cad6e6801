package import Access
import GameFlow
package import HTTP
import Net
import RPC
import Room

/// The identity of the client that sent an HTTP request, and what follows from its token or certificate.
package struct WebIdentity {
    package let identity: Identity
    /// Whether the client presented a valid token or certificate.
    package let hasCredential: Bool
    /// Whether the client presented an invalid token in the `Authorization` header. An invalid cookie is ignored.
    let hasInvalidToken: Bool
    /// The cookie in which the client's page stores its token; nil if the page's name is invalid.
    package let cookie: WebCookie?
    /// Whether the client is the players' page. Its requests show only what players may see, whatever its token: an operator who
    /// opens the page for the hall must not show it what is hidden.
    var isPlayersPage: Bool { cookie?.page?.isPlayersPage == true }
    /// The bucket that limits the client's requests.
    let bucket: RateLimiter.TokenBucket
}

/// Determines the identity of an HTTP client.
extension WebServer {
    /// The identity by the token in the `Authorization` header, or else in the cookie of the page. An invalid token does not
    /// throw here, because paths such as `/healthz` need no token.
    ///
    /// If the request comes from a page of another origin, its cookie is ignored. For an event stream, a token that was made for
    /// use in URLs may then be in the query, because such a page cannot set headers of a stream.
    func webIdentity(_ head: RequestHead, _ connection: HTTPConnection, isCrossOrigin: Bool = false)
        -> WebIdentity
    {
        let cookie = cookie(of: head, isSecure: isSecure(head, connection))
        var identity = identityWithoutToken(head, connection)
        let authorizer = context.authorizer
        // `bearer` is the token in the `Authorization` header.
        var name: String?
        if let bearer = head.bearer {
            name = authorizer.name(of: bearer)
        } else if !isCrossOrigin {
            name = cookie?.token(in: head.header("Cookie")).flatMap(authorizer.name)
        } else if "/v1/events" ~= head.path {
            name = head.query?["token"].flatMap(authorizer.nameForURLs)
        }
        if let name { identity.addToken(named: name) }
        return WebIdentity(
            identity: identity, hasCredential: name != nil || identity.certificate != nil,
            hasInvalidToken: head.bearer != nil && name == nil, cookie: cookie,
            bucket: bucket(of: identity, connection))
    }

    /// The bucket that limits the requests of an identity.
    func bucket(of identity: Identity, _ connection: HTTPConnection) -> RateLimiter.TokenBucket {
        if identity.account == connection.identity.account { return connection.bucket }
        return context.accountLimits.bucket(of: identity)
    }

    /// The address of a request's client as a trusted proxy names it; nil if there is no such proxy, or if it names none.
    func forwardedAddress(_ head: RequestHead, _ connection: HTTPConnection) -> String? {
        connection.isFromProxy ? head.forwardedAddress(by: access.proxies) : nil
    }

    /// Whether the client uses HTTPS at a trusted proxy; nil if there is no such proxy, or if it does not say so.
    func isForwardedSecure(_ head: RequestHead, _ connection: HTTPConnection) -> Bool? {
        connection.isFromProxy ? head.isForwardedSecure : nil
    }

    /// Whether the client uses HTTPS: at this server, at a trusted proxy, or at a proxy under the public address.
    package func isSecure(_ head: RequestHead, _ connection: HTTPConnection) -> Bool {
        if security != nil { return true }
        if let isSecure = isForwardedSecure(head, connection) { return isSecure }
        guard let address = access.publicAddress, address.isSecure else { return false }
        return head.header("Host")?.lowercased() == address.authority.lowercased()
    }

    /// The identity by the socket, or by what a trusted proxy says, and by the certificate if the client presented one.
    func identityWithoutToken(_ head: RequestHead, _ connection: HTTPConnection) -> Identity {
        guard let address = forwardedAddress(head, connection) else {
            return connection.identity
        }
        return Identity(.web, address: address, certificate: connection.identity.certificate)
    }

    /// The cookie of the requesting page; nil if the page's name is invalid. A page names itself in the header `Gamed-Page`. A
    /// frame with a file of the media directory cannot set headers, so its address has the parameter `page`.
    private func cookie(of head: RequestHead, isSecure: Bool) -> WebCookie? {
        let isMedia = head.path(after: "/media/") != nil
        guard let text = head.header("Gamed-Page") ?? (isMedia ? head.query?["page"] : nil) else {
            return WebCookie(port: port, isSecure: isSecure)
        }
        guard head.count("Gamed-Page") <= 1, let page = PageName(text) else { return nil }
        return WebCookie(port: port, page: page, isSecure: isSecure)
    }
}
