public import Timers

/// How people join a session as players: what its screens show.
public struct ScreenJoin: Equatable, Sendable {
    /// The address that a browser opens.
    public let link: String
    /// The code that a person types.
    public let code: String
    /// The time on the wall clock until which the link and the code are valid.
    public let until: Instant

    public init(link: String, code: String, until: Instant) {
        (self.link, self.code, self.until) = (link, code, until)
    }
}
