public import GameFlow
public import Sessions
public import Timers

/// Computes statistics of the games in a journal, for the method `stats`. A game is a session from its opening to its
/// closing.
public protocol StatisticsSource: AnyObject {
    /// Reads the journal, and calls `done` once, immediately or later, with the members of the result. This method and `done`
    /// are called on the loop's thread.
    func statistics(
        of selection: StatisticsSelection,
        _ done: @escaping (Result<[Member], RequestError>) -> Void)
}

/// The games that statistics are about.
public struct StatisticsSelection: Equatable, Sendable {
    /// Only games of this flow; nil for all.
    public let flow: String?
    /// Only games that were opened at this instant of the daemon's clock or later; nil for all.
    public let since: Instant?
    /// The name of a label: games with such a label are left out. Nil leaves out none.
    public let without: String?

    public init(flow: String? = nil, since: Instant? = nil, without: String? = nil) {
        (self.flow, self.since, self.without) = (flow, since, without)
    }
}
