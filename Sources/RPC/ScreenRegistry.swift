public import GameFlow
public import Sessions

/// The browsers that follow sessions, and the guests of the sessions, as the method `screens` shows them.
public protocol ScreenRegistry: AnyObject {
    /// Describes those who watch this session in a browser, as one object for each token, or for each address without a token;
    /// and each guest who joined the session and is not connected. A browser that watches all sessions is left out. Sorted by
    /// the name of the token, or by the address if there is no token.
    func screens(of session: SessionName) -> [Value]
    /// The number of invitations to the session that are still valid.
    func invitationCount(to session: SessionName) -> Int
}
