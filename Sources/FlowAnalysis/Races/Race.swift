public import GameFlow
internal import Timers

/// Two or more things that can be due at one instant, and what comes of each order of them.
public struct Race {
    /// One of the things.
    public enum Contender: Equatable, Sendable {
        /// A timer of the state, by its signal.
        case timer(String)
        /// Something that is sent at that instant.
        case event(Move)

        public var name: String {
            switch self {
            case .timer(let signal): signal
            case .event(let move): move.event ?? ""
            }
        }

        var isTimer: Bool { if case .timer = self { true } else { false } }
    }

    /// What came of one order.
    public struct Outcome {
        public let order: [Contender]
        public let place: StateRecord
        public let effects: [String]
        /// Those that were refused, or whose timer was gone.
        public let losers: [Contender]
        /// What waits for another state.
        let deferred: Int

        /// Whether the same was left behind, whatever was asked for on the way.
        func endsLike(_ other: Outcome) -> Bool {
            place == other.place && deferred == other.deferred
        }
    }

    /// The state in which it happens.
    public let state: String
    /// The shortest way there that was found; it may end with lingering in the state.
    public let path: [Leg]
    /// How long after the path's end everything is due.
    public let after: Duration
    /// Those whose order makes the difference.
    public let contenders: [Contender]
    /// What came of the orders of all that is due then. The first is the order that holds: time before
    /// requests, and timers in the order of their setting.
    public let outcomes: [Outcome]

    /// Whether the orders end alike, and differ only in what is asked for on the way.
    public var isOnlyEffects: Bool { outcomes.allSatisfy { $0.endsLike(outcomes[0]) } }
    /// When it can happen at the earliest, on the shortest way that was found.
    public var time: Duration { path.reduce(after) { $0 + $1.took } }
}
