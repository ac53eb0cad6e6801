public import GameFlow
public import Sessions
public import Timers

/// An invitation to a session: the session, and the rights of the guests who join with the invitation.
public struct Invitation: Equatable, Sendable {
    /// The session that the guests join.
    public let session: SessionName
    /// What the guests may do in the session: observe or play.
    public let role: Role
    /// The events that the guests may send.
    public let event: Glob
    /// Fixed arguments: the guests may send events only with these values.
    public let boundArguments: [Member]
    /// The name of the invited person, for the operator's lists; nil if the operator gave none.
    public let guestName: String?
    /// Whether only one guest can join with the invitation.
    public let isOnce: Bool

    public init(
        _ session: SessionName, _ role: Role, event: Glob = .all, boundArguments: [Member] = [],
        guestName: String? = nil, isOnce: Bool = false
    ) {
        (self.session, self.role, self.event) = (session, role, event)
        (self.boundArguments, self.guestName, self.isOnce) = (boundArguments, guestName, isOnce)
    }

    /// The grant of the guests' tokens. A session's name contains no wildcards, so as a pattern it matches only itself.
    public var grant: Grant {
        Grant(role, session: Glob(session.text), event: event, boundArguments: boundArguments)
    }

    /// How long an invitation is valid if the request gives no duration: 12 hours.
    public static let defaultValidity = Duration.seconds(12 * 3600)
    /// The longest name of an invited person, in Unicode scalars.
    public static let guestNameLimit = 64
    /// The maximum number of bytes of the event pattern and the bound arguments together. The arguments count as JSON.
    public static let byteLimit = 1024
}

/// An invitation that was made: its link and its code, and how long they are valid.
public struct IssuedInvitation: Sendable {
    /// The name of the invitation's token in the list of tokens.
    public let name: String
    /// The code that a person types at `/join`.
    public let code: String
    /// The time on the wall clock until which the code is valid.
    public let codeUntil: Instant
    /// The time on the wall clock until which the link and the guests' tokens are valid.
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

/// Makes invitations and keeps them. The server implements it, and the method `invite` calls it on the loop's thread.
public protocol InvitationStore: AnyObject {
    /// The address of the desk in a browser, without a slash at the end; nil if this daemon serves no web pages at a network
    /// address.
    var pageAddress: String? { get }
    /// Makes an invitation that is valid for the time `length`, and passes it to `done`, immediately or later. Passes an error
    /// in these cases:
    /// - The invitation cannot be stored.
    /// - There are too many tokens.
    /// - This daemon serves no web page that a link could lead to.
    func issue(
        _ invitation: Invitation, for length: Duration,
        _ done: @escaping (Result<IssuedInvitation, CallError>) -> Void)
}
