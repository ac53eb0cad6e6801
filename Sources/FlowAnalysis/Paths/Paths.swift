internal import GameFlow
internal import Timers

/// The shortest ways to a state: in moves, and in time. Each was gone before it is told of.
public struct Paths {
    public struct Path {
        public let legs: [Leg]
        /// The number of the situation that it ends in, if that is known.
        let end: Int?
        public var steps: Int { legs.count }
        public var time: Duration { legs.reduce(.zero) { $0 + $1.took } }
    }

    private let exploration: Exploration
    /// The quickest way to each situation, where the search found one.
    private let ways: [Way?]

    public init(_ exploration: Exploration) {
        self.exploration = exploration
        ways = Self.quickest(exploration)
    }

    /// Whether all situations were looked into; else there may be ways that are not found here.
    public var isComplete: Bool { exploration.isComplete }

    /// The path of the fewest moves into a state; nil where none was found.
    public func shortestInSteps(to state: String) -> Path? {
        let found = exploration.situations.first { $0.place.state == state }  // by breadth
        return found.flatMap { walk($0.path) }
    }

    /// The path of the least time into a state, and of those the one of the fewest moves.
    public func shortestInTime(to state: String) -> Path? {
        exploration.situations.indices.filter { exploration.situations[$0].place.state == state }
            .compactMap { quickest(to: $0) }
            .min { ($0.time, $0.steps) < ($1.time, $1.steps) }
    }

    /// The quickest path to a situation that was really gone and ended there: the one of the fewest moves,
    /// where the search's did not.
    func quickest(to index: Int) -> Path? {
        let simple = walk(exploration.situations[index].path)
        let quick = ways[index].flatMap { walk($0.moves) }.flatMap { $0.end == index ? $0 : nil }
        return [quick, simple].compactMap { $0 }.min {
            ($0.time, $0.steps) < ($1.time, $1.steps)
        }
    }

    /// Goes a path in virtual time; nil if it cannot be gone.
    func walk(_ moves: [Move]) -> Path? {
        let trial = Trial(exploration.flow)
        var legs: [Leg] = []
        for move in moves {
            guard let leg = trial.make(move) else { return nil }
            legs.append(leg)
        }
        return Path(legs: legs, end: exploration.number(of: trial))
    }

    private struct Way {
        var time: Duration
        var moves: [Move]
        var key: (Duration, Int) { (time, moves.count) }
    }

    /// Dijkstra's search, by time and then by moves. What a wait takes was measured where the situation
    /// was found first; `walk` has the last word.
    private static func quickest(_ exploration: Exploration) -> [Way?] {
        var ways = [Way?](repeating: nil, count: exploration.situations.count)
        var isDone = [Bool](repeating: false, count: ways.count)
        let edges = Dictionary(grouping: exploration.edges, by: \.from)
        ways[0] = Way(time: .zero, moves: [])
        while let next = ways.indices.filter({ !isDone[$0] && ways[$0] != nil })
            .min(by: { ways[$0]!.key < ways[$1]!.key })
        {
            isDone[next] = true
            for edge in edges[next] ?? [] where !isDone[edge.to] {
                let way = Way(
                    time: ways[next]!.time + edge.took, moves: ways[next]!.moves + [edge.move])
                if ways[edge.to].map({ way.key < $0.key }) ?? true { ways[edge.to] = way }
            }
        }
        return ways
    }
}
