public import GameFlow
public import Sessions
public import Timers

/// An invitation: the session, and the rights of the guests who join with it.
public struct Invitation: Equatable, Sendable {
    public let session: SessionName
    public let role: Role
    /// The events that they may send.
    public let event: Glob
    /// The arguments with which alone they may send them.
    public let bound: [Member]
    /// The name of the invited person, for the operator's lists.
    public let guest: String?
    /// Whether only the first one can join.
    public let isOnce: Bool

    public init(
        _ session: SessionName, _ role: Role, event: Glob = .all, bound: [Member] = [],
        guest: String? = nil, isOnce: Bool = false
    ) {
        (self.session, self.role, self.event) = (session, role, event)
        (self.bound, self.guest, self.isOnce) = (bound, guest, isOnce)
    }

    /// The rule that the tokens made from it carry. The name of a session has no characters of patterns.
    public var grant: Grant {
        Grant(role, session: Glob(session.text), event: event, bound: bound)
    }

    /// How long an invitation is valid unless the request says it.
    public static let usualLength = Duration.seconds(12 * 3600)
    /// The longest name of an invited person, in Unicode scalars.
    public static let guestLength = 64
    /// The maximum size of the bound arguments as JSON.
    public static let boundBytes = 1024
}

/// An invitation that was made: how one joins, and until when.
public struct IssuedInvitation: Sendable {
    /// The name of its token.
    public let name: String
    /// The code that a person types at `/join`.
    public let code: String
    /// The time on the wall clock until which the code is valid, and that for the link and for those who joined.
    public let codeUntil: Instant
    public let until: Instant
    /// The address that a browser opens.
    public let link: String
    /// The link as a QR code, in SVG.
    public let qr: String

    public init(
        name: String, code: String, codeUntil: Instant, until: Instant, link: String, qr: String
    ) {
        (self.name, self.code, self.codeUntil, self.until) = (name, code, codeUntil, until)
        (self.link, self.qr) = (link, qr)
    }
}

/// Makes invitations and keeps them.
public protocol InvitationStore: AnyObject {
    /// Makes an invitation. Fails if it cannot be stored, if there are too many tokens, or if this daemon serves no web
    /// page that a link could lead to.
    func issue(
        _ invitation: Invitation, for length: Duration,
        _ done: @escaping (Result<IssuedInvitation, CallError>) -> Void)
}
