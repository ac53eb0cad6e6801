public import GameFlow
public import Sessions

/// The browsers that follow sessions, and the guests of the sessions, as the method `screens` shows them.
public protocol ScreenRegistry: AnyObject {
    /// Describes the browsers that watch this session, and the guests who joined the session and are not connected. The result
    /// has one object for each token, for each address without a token, and for each of these guests. A browser that watches
    /// all sessions is left out. The objects are sorted by the name of the token, or by the address if there is no token.
    func screens(of session: SessionName) -> [Value]
    /// The number of invitations to the session that are still valid.
    func invitationCount(to session: SessionName) -> Int
}
