import CEventHTTP
import GameFlow
import RPC

/// The identity of an HTTP client, and its credentials.
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
    func webIdentity(_ request: WebRequest, _ head: RequestHead, _ connection: WebConnection?)
        -> WebIdentity
    {
        let cookie = cookie(of: head)
        var identity = anonymous(request, connection)
        let presentedToken = head.bearer ?? cookie?.token(in: head.header("Cookie"))
        let name = presentedToken.flatMap(context.authorizer.name)
        if let name { identity.addToken(named: name) }
        return WebIdentity(
            identity: identity, hasCredential: name != nil || identity.certificate != nil,
            hasInvalidToken: head.bearer != nil && name == nil, cookie: cookie,
            bucket: context.rateLimiter.bucket(of: identity.account, .web))
    }

    /// The identity without a token, with the certificate if the client presented one.
    func anonymous(_ request: WebRequest, _ connection: WebConnection?) -> Identity {
        guard let anonymous = connection?.anonymous else { return Identity(.web, nil) }
        guard security != nil, case .address(let address)? = anonymous.peer,
            let tls = request.buffers.flatMap({ bufferevent_openssl_get_ssl($0) }),
            let name = CertificateNames.verified(tls)
        else { return anonymous }
        return Identity(.web, address: address, certificate: name)
    }

    /// The port in the names of cookies; nil at a UNIX socket.
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
