import Access
import Net
import Room

/// The address of the web pages: the public address that the configuration names, or else one of a web server, such as
/// `https://192.0.2.7:8443`.
package final class PageAddress: PageLocation {
    private let options: WebOptions
    /// The network addresses at which web servers listen by now, such as `0.0.0.0:8080`; `isSecure` means TLS.
    package var servers: [(address: String, isSecure: Bool)] = []

    package init(_ options: WebOptions) { self.options = options }

    package var address: String? {
        options.publicAddress.map { $0.text + options.publicPath } ?? Self.first(of: servers)
    }

    /// The first address of the daemon's web servers that is not a loopback address, else their first address. Nil if no web
    /// server has a network address.
    package static func first(of servers: [(address: String, isSecure: Bool)]) -> String? {
        let urls = servers.flatMap { server in
            ReachableAddresses(listeningAt: server.address).addresses.filter { address in
                // The list contains a wildcard address if the machine's own addresses could not be determined. A link cannot
                // use a wildcard address.
                !address.hasPrefix("0.0.0.0:") && !address.hasPrefix("[::]:")
            }.map { "\(server.isSecure ? "https" : "http")://\($0)" }
        }
        return urls.first { !isLoopback($0) } ?? urls.first
    }

    private static func isLoopback(_ url: String) -> Bool {
        guard let (origin, _) = HTTPOrigin.split(url) else { return false }
        return Loopback.contains(origin.host)
    }
}
