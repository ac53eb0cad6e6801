import CEventHTTP
import GameFlow
import HTTP

/// Who asks.
extension WebServer {
    func asker(_ request: WebRequest, _ head: RequestHead) -> WebAsker {
        var visitor = stranger(request)
        let shown = head.bearer ?? cookie.token(in: head.header("Cookie"))
        let name = shown.flatMap(exchange.gatekeeper.name)
        if let name { visitor.show(token: name) }
        return WebAsker(
            visitor: visitor, hasCredential: name != nil || visitor.certificate != nil,
            isWrong: head.bearer != nil && name == nil,
            bucket: exchange.meter.bucket(of: visitor.account, .web))
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

    var cookie: WebCookie {
        let port = isUnix ? nil : address.split(separator: ":").last.map(String.init)
        return WebCookie(port: port, isSecure: security != nil)
    }
}
