package import HTTP
package import Parts
package import Room

/// Under which names the web pages are reached, through which proxies, and from which other origins: the options that all web
/// servers share.
package struct WebAccess {
    /// The names that are accepted in the header `Host`, in addition to the daemon's own addresses.
    package var hosts: [String] = []
    package var proxies = TrustedProxies()
    /// The origins, in lower case, whose pages may read event streams and send requests.
    package var origins: [String] = []
    /// The address under which people reach the pages; nil if it is not known.
    package var publicAddress: HTTPOrigin?

    package init() {}

    package init(_ options: Options) {
        hosts = options.web.hosts + (options.web.publicAddress.map { [$0.host.lowercased()] } ?? [])
        (proxies, origins) = (options.web.proxies, options.web.origins)
        publicAddress = options.web.publicAddress
    }
}

/// What a trusted proxy says about the client of a request.
package struct ForwardedClient: Equatable {
    /// The client's address without a port; nil if the proxy does not name it.
    package let address: String?
    /// Whether the client uses HTTPS; nil if the proxy does not say so.
    package let isSecure: Bool?

    /// Reads the headers of a request that comes from a trusted proxy: anybody can send these headers.
    package init(_ head: RequestHead, _ proxies: TrustedProxies) {
        let entries = head.values("X-Forwarded-For").flatMap { $0.split(separator: ",") }
        address = proxies.client(of: entries)
        // A chain of proxies has a word for each; the last one is of the proxy that is trusted.
        let scheme = head.values("X-Forwarded-Proto").last?.split(separator: ",").last
        switch scheme?.filter({ $0 != " " }).lowercased() {
        case "https": isSecure = true
        case "http": isSecure = false
        default: isSecure = nil
        }
    }
}
