/// The cookie by which a browser goes on showing its token. Its name has the port in it: a host has one set of
/// cookies for all its ports, and two daemons would sign each other's users out.
public struct WebCookie {
    public let name: String
    private let isSecure: Bool

    public init(port: String?, isSecure: Bool) {
        name = port.map { "gamed-\($0)" } ?? "gamed"
        self.isSecure = isSecure
    }

    /// The token in a request's header, if there is one.
    public func token(in header: String?) -> String? {
        for pair in (header ?? "").split(separator: ";") {
            let parts = pair.drop { $0 == " " }.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, parts[0] == name, !parts[1].isEmpty { return String(parts[1]) }
        }
        return nil
    }

    /// The header that sets it; without a token, the one that takes it away. No script reads it, and no other
    /// site's page sends it.
    public func header(_ token: String?) -> String {
        let age = token == nil ? 0 : 30 * 86_400
        return "\(name)=\(token ?? ""); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }
}
