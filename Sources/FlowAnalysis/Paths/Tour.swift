public import GameFlow
internal import JSONCoding
internal import Support
internal import Timers

/// Writes a scenario file that takes each transition of a flow at least once; `gamectl` prints it as a first test of a flow.
///
/// Each scenario begins in the initial state. It goes again and again to the nearest transition that no scenario has taken yet.
/// When it can reach no such transition any more, the next scenario begins. The steps are run while they are written, and the
/// `expect` lines state the observed results.
public struct Tour {
    /// The scenario file; empty if no transition was found, because a file without scenarios cannot be run.
    public private(set) var text: String
    /// The transitions that no scenario takes, because no path to them was found with the sample arguments of the events.
    public private(set) var missed: [Exploration.NamedTransition] = []

    /// Whether the exploration was complete; otherwise there may be paths to the transitions in `missed`.
    public var isComplete: Bool { exploration.isComplete }

    private let exploration: Exploration
    /// The edges by the index of the situation in which they begin, each with its index in `exploration.edges`.
    private let edges: [Int: [(index: Int, edge: Exploration.Edge)]]
    /// The open transitions: those that no scenario has taken yet.
    private var openTransitions: Set<Exploration.NamedTransition>
    private var scenarioCount = 0
    /// The indices of edges that are not tried again. When a scenario made the move of such an edge, no open transition
    /// followed, although the exploration had observed one.
    private var unreliableEdges: Set<Int> = []

    /// Makes the scenarios for a flow, which must have no mistakes (`AnyFlow.mistakes`). The search ends after `moves` moves.
    public init(
        _ flow: AnyFlow, moves: Int = SearchLimit.pathsMoves.maximum, named name: String? = nil
    ) {
        self.init(Exploration(flow, SearchBudget(.pathsMoves, moves)), named: name)
    }

    /// Makes the scenarios. `name` is the word after `flow` in the file, such as the path of a flow file; nil for the flow's
    /// name.
    public init(_ exploration: Exploration, named name: String? = nil) {
        self.exploration = exploration
        edges = Dictionary(
            grouping: exploration.edges.enumerated().map { (index: $0, edge: $1) },
            by: \.edge.from)
        let transitions = Coverage(exploration.flow).allTransitions
        openTransitions = Set(transitions)
        let word = TextWords.write(
            .string(name ?? exploration.flow.name), escapesForTerminal: true)
        text = "# Takes every transition of the flow at least once.\nflow \(word)\n"
        while !openTransitions.isEmpty, addScenario() {}
        if scenarioCount == 0 { text = "" }
        missed = transitions.filter(openTransitions.contains)
    }

    /// Adds one scenario to `text`, if it takes open transitions. Returns false if there was no progress: no open transition
    /// was taken, and no further edge is known to be unreliable.
    private mutating func addScenario() -> Bool {
        let trial = Trial(exploration.flow)
        let scenario = scenarioTrial() ?? trial
        let transitionsBefore = openTransitions
        let (openBefore, unreliableBefore) = (openTransitions.count, unreliableEdges.count)
        var (made, lastEdges): ([MadeMove], [Int]) = ([], [])
        var lines: [String] = []
        // The timers that are due at the opening fire before the first move.
        let isOpened = make(nil, trial, scenario, &lines, &made)
        while isOpened, let start = exploration.index(of: trial),
            let (moves, lastEdge) = movesToOpenTransition(from: start)
        {
            let openCount = openTransitions.count
            lastEdges.append(lastEdge)
            let areAllMade = moves.allSatisfy { make($0, trial, scenario, &lines, &made) }
            // If no open transition was taken, the result of the last move depends on more than the situation.
            if openTransitions.count == openCount { unreliableEdges.insert(lastEdge) }
            if !areAllMade { break }
        }
        guard openTransitions.count < openBefore else {
            return unreliableEdges.count > unreliableBefore
        }
        if exploration.flow.drawsChance {
            guard let seed = seed(drawing: made) else {
                // Without a seed, a scenario cannot take this path.
                openTransitions = transitionsBefore
                unreliableEdges.formUnion(lastEdges)
                return unreliableEdges.count > unreliableBefore
            }
            lines.insert("seed \(seed)", at: 0)
        }
        scenarioCount += 1
        text += "\nscenario path \(scenarioCount)\n" + lines.map { $0 + "\n" }.joined()
        return true
    }

    /// Returns a session whose clock shows the time of day as in a scenario; nil if the flow has no timer that fires at a time of
    /// day, so that a session of the search has the same results.
    private func scenarioTrial(seed: UInt64? = nil) -> Trial? {
        guard exploration.hasTimesOfDay else { return nil }
        return try? Trial(opening: exploration.flow, seed: seed, zone: .utc)
    }

    /// The number of seeds that are tried for one scenario.
    private static let seedLimit: UInt64 = 2000

    /// Returns the first seed with which the moves have the results that they had; nil if none was found.
    private func seed(drawing moves: [MadeMove]) -> UInt64? {
        (1...Self.seedLimit).first { seed in
            guard
                let trial = scenarioTrial(seed: seed)
                    ?? (try? Trial(opening: exploration.flow, seed: seed))
            else { return false }
            return moves.allSatisfy { MadeMove($0.move, on: trial) == $0 }
        }
    }

    /// A move with what the scenario's lines say about it.
    private struct MadeMove: Equatable {
        /// Nil for the opening.
        let move: Move?
        let duration: Duration
        let place: StateRecord
        /// The names of the requested effects, in their order.
        let effects: [String]

        /// Makes a move on the session of `trial`, which was just opened if `move` is nil. Nil if the move fails.
        init?(_ move: Move?, on trial: Trial) {
            if let move {
                guard let completed = trial.make(move) else { return nil }
                duration = completed.duration
            } else {
                trial.clearSteps()
                duration = .zero
            }
            // When the scenario runs, each line also fires the timers that are due at the instant at which the line ends. So these
            // timers fire here, too.
            trial.fireDueTimers()
            self.move = move
            place = trial.machine.place
            effects = trial.steps.flatMap { $0.effects.map(\.name) }
        }
    }

    /// Makes a move on the session of `trial`, which the search knows, and on that of `scenario`, and adds the scenario's lines for
    /// the move. If `move` is nil, the sessions were just opened, and only the timers that are due fire. Returns false if the move
    /// fails, or if the sessions are no longer in the same state.
    private mutating func make(
        _ move: Move?, _ trial: Trial, _ scenario: Trial, _ lines: inout [String],
        _ made: inout [MadeMove]
    ) -> Bool {
        guard let found = MadeMove(move, on: trial) else { return false }
        let result = scenario === trial ? found : MadeMove(move, on: scenario)
        guard let result else { return false }
        made.append(result)
        if trial.reachedFiringLimit || scenario.reachedFiringLimit { return false }
        for step in scenario.steps {
            if let transition = Exploration.NamedTransition(step) {
                openTransitions.remove(transition)
            }
        }
        switch move?.drawnMove {
        case nil: if scenario.steps.isEmpty { return result.place == found.place }
        case .drawing: break  // a move has one list of outcomes
        case .send(let event, let arguments):
            lines.append(
                "send " + ScenarioText.named(event, arguments, escapesForTerminal: true))
        case .wait, .linger: lines.append("after " + DurationText.write(result.duration))
        }
        let (place, effects) = (result.place, result.effects)
        let data = place.data.filter { $0.value.isPlain }
        lines.append("expect " + ScenarioText.named(place.state, data, escapesForTerminal: true))
        if !effects.isEmpty { lines.append("expect effects " + effects.joined(separator: ", ")) }
        return result.place == found.place
    }

    /// The shortest sequence of moves from the situation with the index `start` that ends with an open transition, and the
    /// index of the last move's edge. Nil if no moves lead to an open transition. A breadth-first search.
    private func movesToOpenTransition(from start: Int) -> (moves: [Move], lastEdge: Int)? {
        var paths: [Int: [Move]] = [start: []]
        var queue = [start]
        var next = 0
        while next < queue.count {
            let situation = queue[next]
            next += 1
            for (index, edge) in edges[situation] ?? [] where !unreliableEdges.contains(index) {
                let path = paths[situation]! + [edge.move]
                if edge.transitions.contains(where: openTransitions.contains) {
                    return (path, index)
                }
                if paths[edge.to] == nil {
                    paths[edge.to] = path
                    queue.append(edge.to)
                }
            }
        }
        return nil
    }
}

extension Value {
    /// Whether a scenario can write the value as a word.
    fileprivate var isPlain: Bool {
        switch self {
        case .bool, .int, .string: true
        case .null, .array, .object, .unfit: false
        }
    }
}
