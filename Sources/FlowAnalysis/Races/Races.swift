public import GameFlow
internal import Timers

/// Finds races in a flow. `gamectl races` prints the result.
///
/// From each situation, the search advances the clock to each instant at which a timer is due. At this instant, it tries the
/// orders of the due timers. Then it tries, for each event, the orders of the due timers and the event.
public struct Races {
    public let flow: AnyFlow
    /// The races that were found. First come the races whose orders end in different states or with different data. Then come
    /// the races whose orders differ only in their effects.
    public let found: [Race]
    /// The invariants that did not hold in a situation or after an order, each once with the first path that was found. A
    /// situation comes before an order.
    public let brokenInvariants: [BrokenInvariant]
    /// How many instants were examined, and how many orders were tried.
    public private(set) var examined = (instants: 0, orders: 0)

    /// What was not searched, a sentence each; empty if the search was complete.
    public let incompleteness: [String]
    /// The names of the events whose ranges of arguments have too many values to be tried whole.
    public let eventsNotTriedWhole: [String]

    /// Whether the exploration was complete and each of its situations was examined.
    public var isComplete: Bool { incompleteness.isEmpty }

    /// The greatest number of timers at one instant whose orders are tried: n timers have n! orders. If more timers are due,
    /// only the first `timerLimit` of them are tried.
    public static let timerLimit = 4

    /// Searches a flow, which must have no mistakes (`AnyFlow.mistakes`). The search ends after `moves` moves. At most half of
    /// them find situations; the rest tries orders.
    public init(_ flow: AnyFlow, moves: Int = SearchLimit.racesMoves.maximum) {
        let exploration = Exploration(
            flow, SearchBudget(.racesMoves, moves == .max ? moves : moves / 2))
        self.init(exploration, SearchBudget(.racesMoves, moves - exploration.budget.used), moves)
    }

    /// Searches the situations of an exploration.
    public init(_ exploration: Exploration) {
        self.init(exploration, SearchBudget(.racesMoves), SearchLimit.racesMoves.maximum)
    }

    private init(_ exploration: Exploration, _ budget: SearchBudget, _ moves: Int) {
        flow = exploration.flow
        var search = RaceSearch(exploration, budget)
        search.run()
        found = search.races.filter { !$0.isOnlyEffects } + search.races.filter(\.isOnlyEffects)
        brokenInvariants = search.brokenInvariants
        examined = search.examined
        eventsNotTriedWhole = exploration.eventsNotTriedWhole
        var sentences = exploration.incompleteness.map { [$0] } ?? []
        if search.unexaminedCount > 0 {
            sentences.append(
                "the search for races ended after \(moves) moves (limit: \(budget.limit.rawValue)): "
                    + "in \(search.unexaminedCount) of \(exploration.situations.count) situations not "
                    + "all orders were tried")
        }
        if search.reachedFiringLimit {
            sentences.append("a wait was given up after \(Trial.firingLimit) timers had fired")
        }
        incompleteness = sentences
    }
}

/// An invariant of the flow that does not hold.
public struct BrokenInvariant {
    public let sentence: String
    /// The state and data in which the invariant does not hold.
    public let place: StateRecord
    /// The moves from the initial state to the situation before `order`.
    public let path: [CompletedMove]
    /// The time from the end of `path` to the instant of `order`; zero if `order` is empty.
    public let after: Duration
    /// The timers and events at that instant, in the order that leads to `place`. Empty if `path` leads to `place`.
    public let order: [Race.Contender]
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
        /// The flow's invariants that do not hold at the end.
        let breaches: [InvariantBreach]

        /// Whether both outcomes have the same state, data and number of deferred events; effects are not compared. Sets and
        /// tallies of a flow file count as equal if they have the same entries.
        func endsLike(_ other: OrderOutcome, _ flow: AnyFlow) -> Bool {
            flow.areEqual(place, other.place) && deferred == other.deferred
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
    /// The outcome of each order that was compared. The first outcome belongs to the daemon's order: timers before requests,
    /// and timers in the order in which they were set.
    public let outcomes: [OrderOutcome]

    /// Whether all orders end in the same state with the same data, and only the effects differ.
    public let isOnlyEffects: Bool
    /// The time from the opening of the session to the race: the time of all moves of `path`, plus `after`.
    public var time: Duration { path.reduce(after) { $0 + $1.duration } }
}
