public import Timers

/// A token as an operator sees it, without the secret that a client presents.
public struct TokenDescription: Sendable {
    /// The purpose of a token.
    public enum Use: String, CaseIterable, Sendable {
        /// Signing in, with the rights that the rules for the token's name give.
        case signIn
        /// Sending an event with the URL of `/v1/send`, with the rights that the rules for the token's name give.
        case url
        /// Joining a session: the token is exchanged for a guest's token.
        case invitation
        /// Taking part in a session as a guest, with the rights of the invitation.
        case guest
    }

    public let name: String
    public let use: Use
    /// The rights that the token gives at present; for an invitation, the rights of its guests.
    public let rights: Rights
    /// The name of the invited person; nil if the invitation gives none, and for a token of another use.
    public let guestName: String?
    /// The time on the wall clock at which the token ends; nil if it does not end.
    public let until: Instant?

    public init(
        name: String, use: Use, rights: Rights, guestName: String? = nil, until: Instant? = nil
    ) {
        (self.name, self.use, self.rights) = (name, use, rights)
        (self.guestName, self.until) = (guestName, until)
    }
}

/// Stores the access tokens of a daemon, for the method `token`.
public protocol TokenStore: AnyObject {
    /// The tokens, sorted by name.
    var descriptions: [TokenDescription] { get }
    /// Makes a token and passes its secret, which cannot be shown again, to `done`. Fails if the name is taken, or if the token
    /// cannot be stored. If `isForURLs` is true, the token is accepted only in URLs; else it is for signing in.
    func add(
        _ name: String, isForURLs: Bool, _ done: @escaping (Result<String, CallError>) -> Void)
    /// Removes a token, and closes the connections that were authenticated with this token. Passes to `done` the number of
    /// closed connections of this daemon.
    func remove(_ name: String, _ done: @escaping (Result<Int, CallError>) -> Void)
}

/// The actions of the method `token`.
public enum TokenAction: String, CaseIterable, Sendable {
    case add, remove, list
}
