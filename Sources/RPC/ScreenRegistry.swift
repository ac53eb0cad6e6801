public import GameFlow
public import Sessions

/// The browsers that follow sessions.
public protocol ScreenRegistry: AnyObject {
    /// Describes each browser that watches the session by the session's name, and each guest who joined the session
    /// and is not connected. Sorted by name.
    func screens(of session: SessionName) -> [Value]
    /// The number of invitations to the session that have not ended.
    func invitations(to session: SessionName) -> Int
}
