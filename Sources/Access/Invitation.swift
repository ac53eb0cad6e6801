package import GameFlow
package import RPC
package import Sessions
package import Timers

/// An invitation to a session: the session, and the rights of the guests who join with the invitation.
package struct Invitation: Equatable, Sendable {
    /// The session that the guests join.
    package let session: SessionName
    /// What the guests may do in the session: observe or play.
    package let role: Role
    /// The events that the guests may send.
    package let event: Glob
    /// Fixed arguments: the guests may send events only with these values.
    package let boundArguments: [Member]
    /// The name of the invited person, for the operator's lists; nil if the operator gave none.
    package let guestName: String?
    /// Whether only one guest can join with the invitation.
    package let isOnce: Bool

    package init(
        _ session: SessionName, _ role: Role, event: Glob = .all, boundArguments: [Member] = [],
        guestName: String? = nil, isOnce: Bool = false
    ) {
        (self.session, self.role, self.event) = (session, role, event)
        (self.boundArguments, self.guestName, self.isOnce) = (boundArguments, guestName, isOnce)
    }

    /// The grant of the guests' tokens. A session's name contains no wildcards, so as a pattern it matches only itself.
    func grant(coversHiddenEvents: Bool) -> Grant {
        Grant(
            role, session: Glob(session.text), event: event, boundArguments: boundArguments,
            coversHiddenEvents: coversHiddenEvents)
    }

    /// The address that a guest's browser opens, and that leads to `page`. The key is after the `#`, so that browsers send it to no
    /// server.
    package static func link(
        at pageAddress: String, key: String, to page: InvitationPage = .players
    ) -> String {
        "\(pageAddress)/join\(page.query)#\(key)"
    }

    /// How long an invitation is valid if the request gives no duration: 12 hours.
    static let defaultValidity = Duration.seconds(12 * 3600)
    /// The longest name of an invited person, in Unicode scalars.
    static let guestNameLimit = 64
    /// The maximum number of bytes of the event pattern and the bound arguments together. The arguments count as JSON.
    package static let byteLimit = 1024
}

/// An invitation that was made: its link and its code, and how long they are valid.
package struct IssuedInvitation: Sendable {
    /// The name of the invitation's token in the list of tokens.
    package let name: String
    /// The code that a person types at `/join`.
    package let code: String
    /// The time on the wall clock until which the code is valid.
    package let codeUntil: Instant
    /// The time on the wall clock until which the link and the guests' tokens are valid.
    package let until: Instant
    /// The address that a browser opens.
    package let link: String
    /// The link as a QR code, in SVG.
    package let qr: String

    package init(
        name: String, code: String, codeUntil: Instant, until: Instant, link: String, qr: String
    ) {
        (self.name, self.code, self.codeUntil, self.until) = (name, code, codeUntil, until)
        (self.link, self.qr) = (link, qr)
    }
}
