/// A role for some sessions, which sends some events.
public struct Grant: Equatable, Sendable {
    public let role: Role
    public let session: Glob
    public let event: Glob

    public init(_ role: Role, session: Glob = .all, event: Glob = .all) {
        (self.role, self.session, self.event) = (role, session, event)
    }
}
