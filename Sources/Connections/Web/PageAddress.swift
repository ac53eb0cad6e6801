import Net
import Room

/// Determines the address of the web pages, such as `https://192.0.2.7:8443`. The links in invitations begin with this address
/// if the configuration has no public address.
package enum PageAddress {
    /// The first address of the daemon's web servers that is not a loopback address, else their first address. Nil if no web
    /// server has a network address. `address` is where a server listens, such as `0.0.0.0:8080`; `isSecure` means TLS.
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
