public import GameFlow
internal import Timers

/// Looks for races: in every situation of a flow it lets time alone go on, stops at each instant at
/// which a timer is due, and tries every order of what is due there and of one event that arrives then.
public struct Races {
    public let flow: AnyFlow
    /// Where the outcome depends on the order; those that end differently come first.
    public let found: [Race]
    /// How many instants were looked at, and how many orders were tried.
    public private(set) var looked = (instants: 0, orders: 0)

    /// Whether all situations were looked into, at all their instants.
    public let isComplete: Bool

    /// How many timers of one instant are tried in every order; with more, the first of them.
    public static let limit = 4

    public init(_ flow: AnyFlow) { self.init(Exploration(flow)) }

    public init(_ exploration: Exploration) {
        flow = exploration.flow
        var search = RaceSearch(exploration)
        search.run()
        found = search.races.filter { !$0.isOnlyEffects } + search.races.filter(\.isOnlyEffects)
        looked = search.looked
        isComplete = exploration.isComplete && search.isComplete
    }
}
