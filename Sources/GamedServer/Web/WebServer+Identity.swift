import CEventHTTP
import GameFlow
import RPC

/// The identity of the client that sent an HTTP request, and what follows from its token or certificate.
struct WebIdentity {
    let identity: Identity
    /// Whether the client presented a valid token or certificate.
    let hasCredential: Bool
    /// Whether the client presented an invalid token in the `Authorization` header. An invalid cookie is ignored.
    let hasInvalidToken: Bool
    /// The cookie in which the client's page stores its token; nil if the page's name is invalid.
    let cookie: WebCookie?
    /// The bucket that limits the client's requests.
    let bucket: RateLimiter.TokenBucket
}

/// Determines the identity of an HTTP client.
extension WebServer {
    /// The identity by the token in the `Authorization` header, or else in the cookie of the page. An invalid token does not
    /// throw here, because paths such as `/healthz` need no token.
    func webIdentity(_ request: WebRequest, _ head: RequestHead, _ connection: WebConnection?)
        -> WebIdentity
    {
        let cookie = cookie(of: head)
        var identity = identityWithoutToken(request, connection)
        // `bearer` is the token in the `Authorization` header.
        let presentedToken = head.bearer ?? cookie?.token(in: head.header("Cookie"))
        let name = presentedToken.flatMap(context.authorizer.name)
        if let name { identity.addToken(named: name) }
        return WebIdentity(
            identity: identity, hasCredential: name != nil || identity.certificate != nil,
            hasInvalidToken: head.bearer != nil && name == nil, cookie: cookie,
            bucket: context.rateLimiter.bucket(of: identity.account, .web))
    }

    /// The identity by the socket, and by the certificate if the client presented one.
    func identityWithoutToken(_ request: WebRequest, _ connection: WebConnection?) -> Identity {
        guard let socketIdentity = connection?.socketIdentity else { return Identity(.web, nil) }
        guard security != nil, case .address(let address)? = socketIdentity.peer,
            let tls = request.bufferevent.flatMap({ bufferevent_openssl_get_ssl($0) }),
            let name = CertificateNames.verified(tls)
        else { return socketIdentity }
        return Identity(.web, address: address, certificate: name)
    }

    /// The port at which the server listens, which is part of the names of cookies; nil at a UNIX socket.
    var port: String? {
        isUnix ? nil : address.split(separator: ":").last.map(String.init)
    }

    /// The cookie of the requesting page; nil if the header `Gamed-Page` is invalid.
    private func cookie(of head: RequestHead) -> WebCookie? {
        guard let text = head.header("Gamed-Page") else {
            return WebCookie(port: port, isSecure: security != nil)
        }
        guard head.count("Gamed-Page") == 1, let page = PageName(text) else { return nil }
        return WebCookie(port: port, page: page, isSecure: security != nil)
    }
}
