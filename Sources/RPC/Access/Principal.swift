public import GameFlow
internal import Glibc
public import Support

/// To whom an access rule grants rights: a user, a group, a token, a certificate, or all clients of a transport. A client has
/// several principals, such as its user id, its groups and its token.
public enum Principal: Hashable, Sendable {
    /// The user of the client process, which the UNIX socket reports.
    case uid(UInt32)
    /// A group of the client process, including supplementary groups.
    case group(UInt32)
    /// A client with the token of this name.
    case token(String)
    /// A client with a certificate of this common name.
    case cert(String)
    /// All clients of this transport.
    case source(Source.Kind)

    /// Parses a principal as it is written in a rule, such as `uid:1000`, `group:players`, `token:desk`, `cert:NAME` or
    /// `source:web`. Users and groups may be numbers or names.
    public init(_ text: String) throws(PrincipalError) {
        guard let colon = text.firstIndex(of: ":") else { throw Self.unknownType(text) }
        let name = String(text[text.index(after: colon)...])
        guard !name.isEmpty else { throw PrincipalError(why: "\(text): the name is empty") }
        switch text[..<colon] {
        case "uid":
            guard let uid = UInt32(name) ?? getpwnam(name)?.pointee.pw_uid else {
                throw PrincipalError(why: "\(text): no such user")
            }
            self = .uid(uid)
        case "group":
            guard let gid = UInt32(name) ?? getgrnam(name)?.pointee.gr_gid else {
                throw PrincipalError(why: "\(text): no such group")
            }
            self = .group(gid)
        case "token":
            guard Self.isTokenName(name) else {
                throw PrincipalError(
                    why: "\(text): a token's name has 1 to 64 of A-Z a-z 0-9 . _ -")
            }
            self = .token(name)
        case "cert": self = .cert(name)
        case "source":
            guard let kind = Source.Kind.transports.first(where: { $0.name == name }) else {
                let names = Source.Kind.transports.map(\.name)
                throw PrincipalError(
                    why: "\(text): expected one of \(names.joined(separator: ", "))")
            }
            self = .source(kind)
        default: throw Self.unknownType(text)
        }
    }

    public static func == (a: Principal, b: Principal) -> Bool {
        switch (a, b) {
        case (.uid(let a), .uid(let b)), (.group(let a), .group(let b)): a == b
        case (.token(let a), .token(let b)), (.cert(let a), .cert(let b)): a.hasSameBytes(as: b)
        case (.source(let a), .source(let b)): a == b
        case (.uid, _), (.group, _), (.token, _), (.cert, _), (.source, _): false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .uid(let number), .group(let number): hasher.combine(number)
        case .token(let name), .cert(let name): hasher.combine(bytesOf: name)
        case .source(let kind): hasher.combine(kind)
        }
    }

    /// Whether the name is valid for a token.
    public static func isTokenName(_ name: String) -> Bool {
        1...64 ~= name.utf8.count
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
    }

    /// The error for a text that does not begin with the name of a type of principals.
    private static func unknownType(_ text: String) -> PrincipalError {
        PrincipalError(why: "\(text): expected uid:, group:, token:, cert: or source:")
    }

    /// The principal as it is written in a rule, with numbers of users and groups.
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

/// The kinds of sources from which a daemon gets events and other requests. Rules can name only those in `transports`, such
/// as `source:web`.
extension Source.Kind {
    /// A UNIX socket with the line protocol.
    public static let unix = Source.Kind("unix")
    /// The line protocol over TCP, with or without TLS.
    public static let tcp = Source.Kind("tcp")
    /// HTTP.
    public static let web = Source.Kind("web")
    /// The command line that started the daemon.
    public static let terminal = Source.Kind("terminal")
    /// A Bluetooth device.
    public static let bluetooth = Source.Kind("bluetooth")
    /// An input device of this computer.
    public static let evdev = Source.Kind("evdev")
    /// A broker. Rules are for what is sent to the topics below `publish=`; the `map` lines decide about other messages.
    public static let mqtt = Source.Kind("mqtt")

    // Rules cannot name this kind, or the kinds of other connections of a room, such as `osc`. The configuration of the inputs
    // and outputs decides which events sources of these kinds send.

    /// An output that was given up. The daemon then sends the event `outputFailed`.
    public static let output = Source.Kind("output")

    /// The kinds that a rule may name.
    public static let transports: [Source.Kind] = [
        .unix, .tcp, .web, .terminal, .bluetooth, .evdev, .mqtt,
    ]
}

/// Why the text of a principal is invalid.
public struct PrincipalError: DescribedError, Equatable {
    public let why: String
}
