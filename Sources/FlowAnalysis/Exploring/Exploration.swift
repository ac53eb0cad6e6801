public import GameFlow
internal import Timers

/// The situations that a session of a flow can reach, found by a breadth-first search in virtual time.
///
/// The search starts in the initial state. In each situation it tries these moves:
/// - send each event, with samples of its arguments;
/// - wait until each timer fires;
/// - wait for half of the time of the countdown that ends first.
///
/// A session can reach each situation that is found. With other arguments, or at other moments, a session may also reach
/// situations that the search does not find.
///
/// A situation consists of a state with its data, the number of deferred events, and the time that each timer had left: at the
/// entry into the state or, after a wait for half of a countdown's time, at the end of this wait.
public struct Exploration {
    public struct Situation {
        public let place: StateRecord
        /// The moves that lead from the initial state to the situation; no other path has fewer.
        public let path: [Move]
        /// The sentences of the flow's invariants that do not hold in the situation.
        public let brokenInvariants: [String]
    }

    /// A move that leads from a situation to a different situation, or back to the same situation. The situations and edges
    /// form a graph.
    public struct Edge {
        /// The index, in `situations`, of the situation before the move.
        public let from: Int
        /// The index, in `situations`, of the situation after the move.
        public let to: Int
        public let move: Move
        /// For how long the move waited in virtual time; zero for an event.
        public let duration: Duration
        /// The transitions that followed from the move.
        public let transitions: [NamedTransition]
    }

    /// A transition of the flow, by names: from a state, on an event or signal, to a state.
    public struct NamedTransition: Hashable, Sendable {
        public let from: String
        public let on: String
        public let to: String

        init(from: String, on: String, to: String) {
            (self.from, self.on, self.to) = (from, on, to)
        }

        /// Nil if the step is not a transition: the opening, a deferred or dropped event, or an operator's command.
        init?(_ step: Step) {
            guard step.kind == .enter || step.kind == .keep, let from = step.from, let to = step.to,
                let event = step.event
            else { return nil }
            self.init(from: from.state, on: event.name, to: to.state)
        }
    }

    public let flow: AnyFlow
    /// The situations in the order in which they were found; the first is the initial one.
    public private(set) var situations: [Situation] = []
    public private(set) var edges: [Edge] = []
    /// False if a limit was reached: of situations, of `cost`, or of the firings in one wait (`Trial.firingLimit`).
    public private(set) var isComplete = true

    /// The greatest number of situations. A flow with an unbounded counter has infinitely many.
    public static let situationLimit = 1024

    /// The greatest `cost` of one exploration. It limits the time that the exploration of a large flow takes.
    public static let costLimit = 3_000_000

    /// The index of each situation in `situations`.
    private var indexByKey: [Trial.SituationKey: Int] = [:]
    /// The number of moves and timer firings that the exploration made. Each trial first makes all moves of a path again; these
    /// count, too.
    private(set) var cost = 0

    private let situationLimit: Int

    /// Explores the flow, which must have no mistakes (`AnyFlow.mistakes`).
    public init(_ flow: AnyFlow, situationLimit: Int = situationLimit) {
        self.flow = flow
        self.situationLimit = situationLimit
        _ = index(of: Trial(flow), after: [])
        let sends = Move.sends(of: flow)
        // The situations before this index have been examined.
        var next = 0
        while next < situations.count {
            let path = situations[next].path
            for move in sends + Trial(flow, after: path).waits { make(move, at: next, after: path) }
            next += 1
            if cost > Self.costLimit {
                isComplete = isComplete && next == situations.count
                break
            }
        }
    }

    /// Makes a move in the situation with the index `start`, to which `path` leads. Adds the edge and, if the move leads to a
    /// new situation, the situation. Adds nothing if the session refuses the move.
    private mutating func make(_ move: Move, at start: Int, after path: [Move]) {
        let trial = Trial(flow, after: path)
        defer {
            cost += trial.firings + path.count + 1  // 1 for `move`
            if trial.reachedFiringLimit { isComplete = false }
        }
        guard let completed = trial.make(move), let to = index(of: trial, after: path + [move])
        else {
            return
        }
        edges.append(
            Edge(
                from: start, to: to, move: move, duration: completed.duration,
                transitions: completed.steps.compactMap { NamedTransition($0) }))
    }

    /// Returns the index of the trial's situation, and adds the situation if it is new. Returns nil if it is new and the limit
    /// is reached.
    private mutating func index(of trial: Trial, after path: [Move]) -> Int? {
        if let index = indexByKey[trial.situation] { return index }
        guard situations.count < situationLimit else {
            isComplete = false
            return nil
        }
        indexByKey[trial.situation] = situations.count
        situations.append(
            Situation(
                place: trial.machine.place, path: path,
                brokenInvariants: trial.machine.brokenInvariants))
        return situations.count - 1
    }

    /// The index of the trial's situation; nil if this exploration did not find it.
    func index(of trial: Trial) -> Int? { indexByKey[trial.situation] }

    /// For each invariant that does not hold somewhere, the first situation in which it does not hold. The search finds situations
    /// with short paths first, so no other situation in which the invariant does not hold has a shorter path.
    var brokenInvariants: [(sentence: String, situation: Situation)] {
        var reported: Set<String> = []
        return situations.flatMap { situation in
            situation.brokenInvariants.filter { reported.insert($0).inserted }.map {
                ($0, situation)
            }
        }
    }

    /// The names of the states that were reached.
    public var states: Set<String> { Set(situations.map(\.place.state)) }
}
