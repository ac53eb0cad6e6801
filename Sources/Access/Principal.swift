public import GameFlow
internal import Glibc

/// Whom a rule is about. A peer is several at once: its uid, its groups, its token.
public enum Principal: Hashable, Sendable {
    case uid(UInt32)
    /// A group of the process's, supplementary ones too.
    case group(UInt32)
    /// Who showed the token of that name.
    case token(String)
    /// Who showed a client certificate with that common name.
    case cert(String)
    /// Everybody who comes in by that way.
    case source(Source.Kind)

    /// What is wrong with the text of a principal.
    public struct Flaw: Error, Equatable {
        public let why: String
    }

    /// A principal as a rule names it: `uid:1000`, `group:players`, `token:desk`, `source:web`. Users and
    /// groups go by number or by name.
    public init(_ text: String) throws(Flaw) {
        guard let colon = text.firstIndex(of: ":") else { throw Self.unknown(text) }
        let name = String(text[text.index(after: colon)...])
        guard !name.isEmpty else { throw Flaw(why: "\(text): of what name?") }
        switch text[..<colon] {
        case "uid":
            guard let uid = UInt32(name) ?? getpwnam(name)?.pointee.pw_uid else {
                throw Flaw(why: "\(text): no such user")
            }
            self = .uid(uid)
        case "group":
            guard let gid = UInt32(name) ?? getgrnam(name)?.pointee.gr_gid else {
                throw Flaw(why: "\(text): no such group")
            }
            self = .group(gid)
        case "token":
            guard Self.isTokenName(name) else {
                throw Flaw(why: "\(text): a token's name has 1 to 64 of A-Z a-z 0-9 . _ -")
            }
            self = .token(name)
        case "cert": self = .cert(name)
        case "source":
            guard let kind = Source.Kind.ways.first(where: { $0.name == name }) else {
                let names = Source.Kind.ways.map(\.name)
                throw Flaw(why: "\(text): expected one of \(names.joined(separator: ", "))")
            }
            self = .source(kind)
        default: throw Self.unknown(text)
        }
    }

    /// Whether a token may be called so.
    public static func isTokenName(_ name: String) -> Bool {
        1...64 ~= name.utf8.count
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
    }

    private static func unknown(_ text: String) -> Flaw {
        Flaw(why: "\(text): expected uid:, group:, token:, cert: or source:")
    }

    /// As a rule names it.
    public var text: String {
        switch self {
        case .uid(let uid): "uid:\(uid)"
        case .group(let gid): "group:\(gid)"
        case .token(let name): "token:\(name)"
        case .cert(let name): "cert:\(name)"
        case .source(let kind): "source:\(kind.name)"
        }
    }
}
