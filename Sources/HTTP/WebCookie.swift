/// The cookie by which a page of a browser goes on showing its token.
///
/// Its name has the port in it: a host has one set of cookies for all its ports, and two daemons would sign each
/// other's users out. It has the page's name in it too, so that a desk and a players' page in one browser keep a role
/// each. A program that does not name a page has a cookie without one.
public struct WebCookie {
    /// So many pages of one browser stay signed in. Signing in on one more signs out those that signed in first: a
    /// browser sends all its cookies with each request, and a request's header is limited.
    public static let mostPages = 32

    public let name: String
    /// What the names of all pages' cookies begin with.
    private let pagesPrefix: String
    private let isSecure: Bool

    public init(port: String?, page: PageName? = nil, isSecure: Bool) {
        let daemon = port.map { "gamed-\($0)" } ?? "gamed"
        pagesPrefix = daemon + "."
        name = page.map { "\(daemon).\($0.text)" } ?? daemon
        self.isSecure = isSecure
    }

    /// The token in a request's header, if there is one.
    public func token(in header: String?) -> String? {
        Self.pairs(in: header).first { $0.name == name && !$0.value.isEmpty }.map {
            String($0.value)
        }
    }

    /// The header that sets it; without a token, the one that takes it away. No script reads it, and no other
    /// site's page sends it.
    public func header(_ token: String?) -> String {
        Self.header(name, token, isSecure: isSecure)
    }

    /// Headers that take away the cookies of the pages that signed in first, where there are too many of them. A
    /// browser sends its oldest cookie first (RFC 6265, 5.4).
    public func removals(in header: String?) -> [String] {
        let others = Self.pairs(in: header).map(\.name).filter {
            $0.hasPrefix(pagesPrefix) && $0 != name
                && PageName(String($0.dropFirst(pagesPrefix.count))) != nil
        }
        return others.dropLast(Self.mostPages - 1).map {
            Self.header(String($0), nil, isSecure: isSecure)
        }
    }

    private static func pairs(in header: String?) -> [(name: Substring, value: Substring)] {
        (header ?? "").split(separator: ";").compactMap { pair in
            let parts = pair.drop { $0 == " " }.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? (parts[0], parts[1]) : nil
        }
    }

    private static func header(_ name: String, _ token: String?, isSecure: Bool) -> String {
        let age = token == nil ? 0 : 30 * 86_400
        return "\(name)=\(token ?? ""); Path=/; Max-Age=\(age); HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }
}
