public import GameFlow
internal import Timers

/// Finds races in a flow. From each situation the clock advances to each instant at which a timer is due;
/// there the orders of the due timers, and of one event that arrives at the same instant, are tried. `gamectl races` prints
/// the result.
public struct Races {
    public let flow: AnyFlow
    /// The races whose orders end in different states or with different data, and then those whose orders have only different
    /// effects.
    public let found: [Race]
    /// How many instants were examined, and how many orders were tried.
    public private(set) var examined = (instants: 0, orders: 0)

    /// Whether the exploration was complete and each of its situations was examined.
    public let isComplete: Bool

    /// The greatest number of timers of one instant whose orders are tried, because n timers have n! orders. If more timers are
    /// due, the last ones are ignored.
    public static let timerLimit = 4

    /// Searches a flow, which must have no mistakes (`AnyFlow.mistakes`).
    public init(_ flow: AnyFlow) { self.init(Exploration(flow)) }

    /// Searches the situations of an exploration.
    public init(_ exploration: Exploration) {
        flow = exploration.flow
        var search = RaceSearch(exploration)
        search.run()
        found = search.races.filter { !$0.isOnlyEffects } + search.races.filter(\.isOnlyEffects)
        examined = search.examined
        isComplete = exploration.isComplete && search.isComplete
    }
}

/// Two or more timers or events at one instant whose order changes the outcome.
public struct Race {
    /// A timer or event that takes part.
    public enum Contender: Equatable, Sendable {
        /// A timer of the state, by its signal.
        case timer(String)
        /// An event that arrives at the instant of the race; the move is always `send`.
        case event(Move)

        public var name: String {
            switch self {
            case .timer(let signal): signal
            case .event(let move): move.event ?? ""
            }
        }

        var isTimer: Bool { if case .timer = self { true } else { false } }
    }

    /// The result of handling the contenders in one order.
    public struct OrderOutcome {
        public let order: [Contender]
        /// The state and data at the end.
        public let place: StateRecord
        /// The names of the effects that were requested, in order.
        public let effects: [String]
        /// The events and signals that were refused, and the timers that had ended before their turn.
        public let losers: [Contender]
        /// How many events are deferred at the end.
        let deferred: Int

        /// Whether both outcomes have the same state, data and number of deferred events; effects are not compared.
        func endsLike(_ other: OrderOutcome) -> Bool {
            place == other.place && deferred == other.deferred
        }
    }

    /// The state in which the race happens.
    public let state: String
    /// The quickest path that was found to the situation before the race; its last move may be `linger`.
    public let path: [CompletedMove]
    /// The time from the end of `path` to the instant of the race.
    public let after: Duration
    /// The timers and events whose order makes the difference.
    public let contenders: [Contender]
    /// The outcome of each order that was compared. The first is that of the daemon's order: timers before requests, and
    /// timers in the order in which they were set.
    public let outcomes: [OrderOutcome]

    /// Whether all orders end in the same state with the same data, and only the effects differ.
    public var isOnlyEffects: Bool { outcomes.allSatisfy { $0.endsLike(outcomes[0]) } }
    /// The time from the opening of the session to the race: that of `path`, and `after`.
    public var time: Duration { path.reduce(after) { $0 + $1.duration } }
}
