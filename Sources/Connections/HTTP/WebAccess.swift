import HTTP
import Room

/// Under which names the web pages are reached, through which proxies, and from which other origins: the options that all web
/// servers share.
package struct WebAccess {
    /// The names that are accepted in the header `Host`, in addition to the daemon's own addresses.
    let hosts: [String]
    private let options: WebOptions

    package init(_ options: WebOptions) {
        hosts = options.hosts + (options.publicAddress.map { [$0.host.lowercased()] } ?? [])
        self.options = options
    }

    var proxies: TrustedProxies { options.proxies }
    /// The origins, in lower case, whose pages may read event streams and send requests.
    var origins: [String] { options.origins }
    /// The address under which people reach the pages; nil if it is not known.
    var publicAddress: HTTPOrigin? { options.publicAddress }
}

/// What a proxy says about the client of a request. It is read only if the request comes from a trusted proxy: anybody can send
/// these headers.
extension RequestHead {
    /// The client's address without a port; nil if the proxy does not name it.
    func forwardedAddress(by proxies: TrustedProxies) -> String? {
        proxies.client(of: values("X-Forwarded-For").flatMap { $0.split(separator: ",") })
    }

    /// Whether the client uses HTTPS; nil if the proxy does not say so.
    var isForwardedSecure: Bool? {
        // A chain of proxies has a word for each; the last one is of the proxy that is trusted.
        let scheme = values("X-Forwarded-Proto").last?.split(separator: ",").last
        return switch scheme?.filter({ $0 != " " }).lowercased() {
        case "https": true
        case "http": false
        default: nil
        }
    }
}
