package import Sessions

/// A part of the daemon that follows which browsers watch a single session.
package protocol StreamFollower: AnyObject {
    /// Called when a stream of one session begins. `isWall`: it is that of a wall.
    func enter(_ stream: any Client, _ session: SessionName, isWall: Bool)
    /// Called when a stream ends, also if it was a stream of all sessions.
    func leave(_ stream: any Client)
}
