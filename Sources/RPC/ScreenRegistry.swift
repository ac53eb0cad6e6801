public import GameFlow
public import Sessions

/// The browsers that follow sessions.
public protocol ScreenRegistry: AnyObject {
    /// A description of each browser that follows the session by its name, and of each guest who joined it and is not
    /// connected, by name.
    func screens(of session: SessionName) -> [Value]
    /// The number of invitations to the session that have not ended.
    func invitations(to session: SessionName) -> Int
}
