public import GameFlow
internal import Timers

/// What can become of a session, found by trying: from where the flow begins, every event with samples
/// of its arguments, waiting for every timer, and lingering for half of a countdown's time.
///
/// That is not everything: other arguments and other moments may lead elsewhere. So what is found can be
/// had, and what is not found is only said not to have been found. Two sessions are in one situation
/// when they have the same state, the same data, as much deferred, and entered the state with as much
/// time left.
public struct Exploration {
    public struct Situation {
        public let place: StateRecord
        /// The fewest moves that lead there.
        public let path: [Move]
    }

    /// A move from one situation to another, or back into the same.
    public struct Edge {
        public let from: Int
        public let to: Int
        public let move: Move
        public let took: Duration
        /// What was done on the way.
        public let rows: [Row]
    }

    /// A row of the flow's table, as it was seen to be taken.
    public struct Row: Hashable, Sendable {
        public let from: String
        public let on: String
        public let to: String

        init(from: String, on: String, to: String) {
            (self.from, self.on, self.to) = (from, on, to)
        }

        /// Nil of what is no row: an event deferred or dropped, an order.
        init?(_ step: Step) {
            guard step.kind == .enter || step.kind == .keep, let from = step.from, let to = step.to,
                let event = step.event
            else { return nil }
            self.init(from: from.state, on: event.name, to: to.state)
        }
    }

    public let flow: AnyFlow
    public private(set) var situations: [Situation] = []
    public private(set) var edges: [Edge] = []
    /// Whether all there is was found; else it was given up at `limit` situations.
    public private(set) var isComplete = true

    /// How many situations are looked into. A flow that counts without end has no end of them.
    public static let limit = 1024

    /// How many moves and firings an exploration may take; a situation that is far away takes many.
    public static let budget = 3_000_000

    private var known: [Trial.Situation: Int] = [:]
    private var spent = 0

    private let limit: Int

    public init(_ flow: AnyFlow, limit: Int = limit) {
        self.flow = flow
        self.limit = limit
        let first = Trial(flow)
        _ = number(first, after: [])
        let sends = Move.sends(of: flow)
        var next = 0
        while next < situations.count {
            let path = situations[next].path
            for move in sends + Trial(flow, after: path).waits { make(move, at: next, after: path) }
            next += 1
            if spent > Self.budget {
                isComplete = isComplete && next == situations.count
                break
            }
        }
    }

    private mutating func make(_ move: Move, at place: Int, after path: [Move]) {
        let trial = Trial(flow, after: path)
        defer {
            spent += trial.firings + path.count + 1
            if trial.isTired { isComplete = false }
        }
        guard let leg = trial.make(move), let to = number(trial, after: path + [move]) else {
            return
        }
        edges.append(
            Edge(
                from: place, to: to, move: move, took: leg.took,
                rows: leg.steps.compactMap { Row($0) }))
    }

    /// The number of the trial's situation, a new one if it was not known; nil past the limit.
    private mutating func number(_ trial: Trial, after path: [Move]) -> Int? {
        if let place = known[trial.situation] { return place }
        guard situations.count < limit else {
            isComplete = false
            return nil
        }
        known[trial.situation] = situations.count
        situations.append(Situation(place: trial.machine.place, path: path))
        return situations.count - 1
    }

    /// The number of a situation that a trial is in; nil if it was not found here.
    func number(of trial: Trial) -> Int? { known[trial.situation] }

    /// The states that a session can be in.
    public var states: Set<String> { Set(situations.map(\.place.state)) }
}
