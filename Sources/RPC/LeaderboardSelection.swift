public import Sessions
internal import Support
public import Timers

/// The sessions that a caller may observe, as a value: callers with equal values see the same games.
public struct ObservableSessions: Hashable, Sendable {
    /// The patterns of their names, sorted and without duplicates.
    private let patterns: [ByteText]

    public init(_ rights: Rights) {
        let globs = rights.grants.filter { $0.role >= .observe }.map(\.session)
        patterns =
            rights.allowsEverything || globs.contains { $0.isAll }
            ? [ByteText("*")]
            : Set(globs.map { ByteText($0.pattern) }).sorted()
    }

    public func contains(_ session: SessionName) -> Bool {
        patterns.contains { Glob($0.text).matches(session.text) }
    }
}

/// Selects the games of a leaderboard, and the value by which they are ordered.
public struct LeaderboardSelection: Hashable, Sendable {
    /// The name of the flow whose games are shown.
    public let flow: String
    /// The datum by which games are ordered, the largest first; nil for their times, the shortest first.
    public let datum: String?
    /// The title of the datum; nil if the flow gives it none.
    public let datumTitle: String?
    /// The name of the state that ends a game; nil for the final states.
    public let endState: String?
    /// The names of the states whose visits count: the time of a game is the sum of their times. If empty, the visits of all
    /// states count, except for the state in which the session was opened.
    public let timedStates: [String]
    /// Only games of sessions that were opened at this instant or later; nil for all.
    public let since: Instant?
    /// The name of a label: games of sessions with this label are left out. Nil leaves out none.
    public let without: String?
    /// The largest number of games that are shown.
    public let limit: Int

    /// The limit if a request gives none.
    public static let defaultLimit = 10
    /// The largest limit that a request may give.
    public static let maximumLimit = 100

    public init(
        flow: String, datum: String? = nil, endState: String? = nil, timedStates: [String] = [],
        since: Instant? = nil, without: String? = nil, limit: Int = defaultLimit,
        datumTitle: String? = nil
    ) {
        (self.flow, self.datum, self.datumTitle) = (flow, datum, datumTitle)
        (self.endState, self.timedStates) = (endState, timedStates)
        (self.since, self.without, self.limit) = (since, without, limit)
    }
}
