import GameFlow
import RPC
import Sessions
import Timers

/// An invitation to a session: the session, and the rights of the guests who join with the invitation.
struct Invitation: Equatable, Sendable {
    /// The session that the guests join.
    let session: SessionName
    /// What the guests may do in the session: observe or play.
    let role: Role
    /// The events that the guests may send.
    let event: Glob
    /// Fixed arguments: the guests may send events only with these values.
    let boundArguments: [Member]
    /// The name of the invited person, for the operator's lists; nil if the operator gave none.
    let guestName: String?
    /// Whether only one guest can join with the invitation.
    let isOnce: Bool

    init(
        _ session: SessionName, _ role: Role, event: Glob = .all, boundArguments: [Member] = [],
        guestName: String? = nil, isOnce: Bool = false
    ) {
        (self.session, self.role, self.event) = (session, role, event)
        (self.boundArguments, self.guestName, self.isOnce) = (boundArguments, guestName, isOnce)
    }

    /// The grant of the guests' tokens. A session's name contains no wildcards, so as a pattern it matches only itself.
    var grant: Grant {
        Grant(role, session: Glob(session.text), event: event, boundArguments: boundArguments)
    }

    /// How long an invitation is valid if the request gives no duration: 12 hours.
    static let defaultValidity = Duration.seconds(12 * 3600)
    /// The longest name of an invited person, in Unicode scalars.
    static let guestNameLimit = 64
    /// The maximum number of bytes of the event pattern and the bound arguments together. The arguments count as JSON.
    static let byteLimit = 1024
}

/// An invitation that was made: its link and its code, and how long they are valid.
struct IssuedInvitation: Sendable {
    /// The name of the invitation's token in the list of tokens.
    let name: String
    /// The code that a person types at `/join`.
    let code: String
    /// The time on the wall clock until which the code is valid.
    let codeUntil: Instant
    /// The time on the wall clock until which the link and the guests' tokens are valid.
    let until: Instant
    /// The address that a browser opens.
    let link: String
    /// The link as a QR code, in SVG.
    let qr: String

    init(
        name: String, code: String, codeUntil: Instant, until: Instant, link: String, qr: String
    ) {
        (self.name, self.code, self.codeUntil, self.until) = (name, code, codeUntil, until)
        (self.link, self.qr) = (link, qr)
    }
}
