package import RPC
package import Timers

/// A token as an operator sees it, without the secret that a client presents.
package struct TokenDescription: Sendable {
    /// The purpose of a token.
    package enum Use: String, CaseIterable, Sendable {
        /// Signing in, with the rights that the rules for the token's name give.
        case signIn
        /// Sending an event with the URL of `/v1/send`, with the rights that the rules for the token's name give.
        case url
        /// Joining a session: the token is exchanged for a guest's token.
        case invitation
        /// Taking part in a session as a guest, with the rights of the invitation.
        case guest
    }

    package let name: String
    package let use: Use
    /// The rights that the token gives at present; for an invitation, the rights of its guests.
    package let rights: Rights
    /// The name of the invited person; nil if the invitation gives none, and for a token of another use.
    package let guestName: String?
    /// The time on the wall clock at which the token ends; nil if it does not end.
    package let until: Instant?

    package init(
        name: String, use: Use, rights: Rights, guestName: String? = nil, until: Instant? = nil
    ) {
        (self.name, self.use, self.rights) = (name, use, rights)
        (self.guestName, self.until) = (guestName, until)
    }
}
