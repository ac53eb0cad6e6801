import Net

/// The scheme, host and port of a URL.
package struct HTTPOrigin: Equatable {
    /// Whether the scheme is `https`; otherwise it is `http`.
    package let isSecure: Bool
    package let host: String
    package let port: UInt16

    private var standardPort: UInt16 { Self.standardPort(isSecure: isSecure) }

    private static func standardPort(isSecure: Bool) -> UInt16 { isSecure ? 443 : 80 }

    /// The value of a `Host` header: the host, and the port unless it is the standard one.
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == standardPort ? name : "\(name):\(port)"
    }

    /// The URL without a path.
    package var text: String { "\(isSecure ? "https" : "http")://\(authority)" }

    /// Divides a URL into its origin, and its path with the query. The path begins with a slash, and may contain placeholders.
    /// Nil if the text is not an `http` or `https` URL, or has a user, a fragment, or a placeholder in the host.
    package static func split(_ url: String) -> (origin: HTTPOrigin, pathAndQuery: String)? {
        let isSecure = url.hasPrefix("https://")
        let scheme = isSecure ? "https://" : "http://"
        guard url.hasPrefix(scheme) else { return nil }
        let withoutScheme = url.dropFirst(scheme.count)
        let authority = withoutScheme.prefix { $0 != "/" && $0 != "?" }
        var pathAndQuery = String(withoutScheme.dropFirst(authority.count))
        if !pathAndQuery.hasPrefix("/") { pathAndQuery = "/" + pathAndQuery }
        let text = String(authority)
        // `Address` parses `HOST:PORT`. If the text has no port, the standard port is added.
        guard
            case .network(let host, let port)? = Address(text)
                ?? Address("\(text):\(standardPort(isSecure: isSecure))"),
            port > 0, !host.contains("@"), !host.contains("$"),
            !pathAndQuery.contains("#"),
            // Only printable ASCII characters.
            host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        return (HTTPOrigin(isSecure: isSecure, host: host, port: port), pathAndQuery)
    }
}
