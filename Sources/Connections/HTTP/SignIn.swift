import GameFlow
import JSONCoding

/// The cookie by which a browser page sends its token.
///
/// The name of the cookie contains the port, because a browser has one set of cookies for all ports of a host. Without the
/// port, two daemons on a host would sign out each other's users. The name also contains the page's name. So the desk (the page
/// for operators) and a players' page in one browser can have different roles. If a client sends no page's name, the name of
/// its cookie ends after the port.
package struct WebCookie {
    /// The maximum number of signed-in pages of one browser. If one more page signs in, the page that signed in first is signed
    /// out. There is a limit, because a browser sends all cookies with each request, and the size of a request's head is
    /// limited.
    static let pageLimit = 32

    /// The name of the cookie, such as `gamed-8080.desk`.
    package let name: String
    /// The name of the page; nil if the client sent none.
    package let page: PageName?
    /// The common prefix of the cookies of all pages of this daemon, such as `gamed-8080.`.
    private let pagesPrefix: String
    /// Whether the browser sends the cookie only over TLS.
    private let isSecure: Bool

    /// `port` is the port of the daemon's address; nil if the address has none. `page` is nil if the client sent no page's
    /// name.
    package init(port: String?, page: PageName? = nil, isSecure: Bool) {
        let daemonName = port.map { "gamed-\($0)" } ?? "gamed"
        pagesPrefix = daemonName + "."
        name = page.map { "\(daemonName).\($0.text)" } ?? daemonName
        (self.page, self.isSecure) = (page, isSecure)
    }

    /// The token in this cookie, from a `Cookie` header. Nil if the header does not have this cookie, or if the cookie is
    /// empty.
    package func token(in header: String?) -> String? {
        Self.pairs(in: header).first { $0.name == name && !$0.value.isEmpty }.map {
            String($0.value)
        }
    }

    /// The value of the `Set-Cookie` header that stores the token in the browser for 30 days, or removes the cookie if `token`
    /// is nil. Scripts cannot read the cookie, and requests from other sites do not include it.
    package func header(_ token: String?) -> String {
        Self.header(name, token, isSecure: isSecure)
    }

    /// The values of the `Set-Cookie` headers that sign out the oldest pages. At most `pageLimit` pages, including this page,
    /// then stay signed in. The oldest pages come first in the `Cookie` header, because a browser sends its oldest cookie first
    /// (RFC 6265, section 5.4).
    package func removals(in header: String?) -> [String] {
        let otherPages = Self.pairs(in: header).map(\.name).filter {
            $0.hasPrefix(pagesPrefix) && $0 != name
                && PageName(String($0.dropFirst(pagesPrefix.count))) != nil
        }
        return otherPages.dropLast(Self.pageLimit - 1).map {
            Self.header(String($0), nil, isSecure: isSecure)
        }
    }

    /// The names and values of the cookies in a `Cookie` header.
    private static func pairs(in header: String?) -> [(name: Substring, value: Substring)] {
        (header ?? "").split(separator: ";").compactMap { pair in
            let parts = pair.drop { $0 == " " }.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 ? (parts[0], parts[1]) : nil
        }
    }

    private static func header(_ name: String, _ token: String?, isSecure: Bool) -> String {
        let maxAgeSeconds = token == nil ? 0 : 30 * 86_400
        return "\(name)=\(token ?? ""); Path=/; Max-Age=\(maxAgeSeconds); HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }
}

/// The name of a web page, which the page sends in the header `Gamed-Page`: `desk`, or `play.main` for the players' page of
/// session `main`. Each page has its own cookie.
package struct PageName: Equatable, Sendable {
    /// The maximum length in bytes: enough for `play.` and a session's name, which has at most 64 characters.
    static let lengthLimit = 80
    package let text: String
    /// Whether it is the players' page of a session.
    package var isPlayersPage: Bool { text.hasPrefix("play.") }

    /// Nil if the name is empty or too long, or contains a character that names of sessions cannot contain.
    package init?(_ text: String) {
        guard (1...Self.lengthLimit).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAllowed)
        else { return nil }
        self.text = text
    }

    /// Whether the character is allowed in session names. All these characters are also allowed in the name of a cookie.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// The body of a sign-in request.
package enum SignInBody {
    /// The token, which is sent as text or as `{"token":"…"}`; nil if the body is neither. Blanks and line ends in the text are
    /// ignored.
    package static func token(in body: [UInt8]) -> String? {
        guard body.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else {
            return String(validating: body, as: UTF8.self)?.filter { !$0.isWhitespace }
        }
        guard case .object(let members)? = Value(json: body),
            case .string(let token)? = members["token"]
        else { return nil }
        return token
    }
}
