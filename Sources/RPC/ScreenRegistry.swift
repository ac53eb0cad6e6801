public import GameFlow
public import Sessions

/// The browsers that follow sessions.
public protocol ScreenRegistry: AnyObject {
    /// Describes each browser that watches this session, and each guest who joined the session and is not connected.
    /// A browser that watches all sessions is left out. Sorted by the names of the tokens, or else the addresses.
    func screens(of session: SessionName) -> [Value]
    /// The number of invitations to the session that have not ended.
    func invitationCount(to session: SessionName) -> Int
}
