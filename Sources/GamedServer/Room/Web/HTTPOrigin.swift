/// The scheme, host and port of a URL.
struct HTTPOrigin: Equatable {
    let isSecure: Bool
    let host: String
    let port: UInt16

    private var standardPort: UInt16 { isSecure ? 443 : 80 }

    /// The value of a Host header.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == standardPort ? name : "\(name):\(port)"
    }

    var text: String { "\(isSecure ? "https" : "http")://\(authority)" }

    /// Divides a URL into its origin and the rest, which begins with a slash; nil if it is not a URL, has a user, or has a
    /// fragment.
    static func split(_ url: String) -> (origin: HTTPOrigin, rest: String)? {
        let isSecure = url.hasPrefix("https://")
        guard isSecure || url.hasPrefix("http://") else { return nil }
        let place = url.dropFirst(isSecure ? 8 : 7)
        let authority = place.prefix { $0 != "/" && $0 != "?" }
        var rest = String(place.dropFirst(authority.count))
        if !rest.hasPrefix("/") { rest = "/" + rest }
        let text = String(authority)
        let standard: UInt16 = isSecure ? 443 : 80
        guard case .network(let host, let port)? = Address(text) ?? Address("\(text):\(standard)"),
            port > 0, !host.contains("@"), !host.contains("$"), !rest.contains("#"),
            host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { return nil }
        return (HTTPOrigin(isSecure: isSecure, host: host, port: port), rest)
    }
}
