internal import GameFlow
internal import Timers

/// The shortest paths to a state, by number of moves and by time. Each result was verified: its moves were made
/// in a session in virtual time.
public struct Paths {
    public struct Path {
        public let moves: [CompletedMove]
        /// The index of the situation in which the path ends; nil if the exploration did not find this situation.
        let end: Int?
        /// The number of moves.
        public var steps: Int { moves.count }
        /// The time that the moves take together.
        public var time: Duration { moves.reduce(.zero) { $0 + $1.took } }
    }

    private let exploration: Exploration
    /// The estimated quickest route to each situation, by the situation's index; nil if there is none.
    private let routes: [Route?]

    public init(_ exploration: Exploration) {
        self.exploration = exploration
        routes = Self.estimatedRoutes(exploration)
    }

    /// Whether the exploration was complete; otherwise there may be shorter paths, and paths to more states.
    public var isComplete: Bool { exploration.isComplete }

    /// The path with the fewest moves to a state; nil if none was found.
    public func shortestInSteps(to state: String) -> Path? {
        // The exploration is breadth-first, so the first situation has the fewest moves.
        let found = exploration.situations.first { $0.place.state == state }
        return found.flatMap { walk($0.path) }
    }

    /// The path with the least time to a state; among equals, the one with the fewest moves.
    public func shortestInTime(to state: String) -> Path? {
        exploration.situations.indices.filter { exploration.situations[$0].place.state == state }
            .compactMap { quickest(to: $0) }
            .min { ($0.time, $0.steps) < ($1.time, $1.steps) }
    }

    /// The quickest verified path to a situation. The route in `routes` is an estimate; if it ends in another situation,
    /// the result is the path with the fewest moves.
    func quickest(to index: Int) -> Path? {
        let shortest = walk(exploration.situations[index].path)
        let quick = routes[index].flatMap { walk($0.moves) }
            .flatMap { $0.end == index ? $0 : nil }
        return [quick, shortest].compactMap { $0 }.min {
            ($0.time, $0.steps) < ($1.time, $1.steps)
        }
    }

    /// Makes the moves in virtual time; nil if one of them fails.
    func walk(_ moves: [Move]) -> Path? {
        let trial = Trial(exploration.flow)
        var completed: [CompletedMove] = []
        for move in moves {
            guard let completedMove = trial.make(move) else { return nil }
            completed.append(completedMove)
        }
        return Path(moves: completed, end: exploration.index(of: trial))
    }

    private struct Route {
        var time: Duration
        var moves: [Move]
        /// Routes are compared by this pair.
        var key: (Duration, Int) { (time, moves.count) }
    }

    /// Finds routes by Dijkstra's algorithm, by time and then by number of moves. The duration of a wait was measured when
    /// the situation was first found and may differ on another route; `walk` verifies it.
    private static func estimatedRoutes(_ exploration: Exploration) -> [Route?] {
        var routes = [Route?](repeating: nil, count: exploration.situations.count)
        var isDone = [Bool](repeating: false, count: routes.count)
        let edges = Dictionary(grouping: exploration.edges, by: \.from)
        routes[0] = Route(time: .zero, moves: [])
        while let next = routes.indices.filter({ !isDone[$0] && routes[$0] != nil })
            .min(by: { routes[$0]!.key < routes[$1]!.key })
        {
            isDone[next] = true
            for edge in edges[next] ?? [] where !isDone[edge.to] {
                let route = Route(
                    time: routes[next]!.time + edge.took, moves: routes[next]!.moves + [edge.move])
                if routes[edge.to].map({ route.key < $0.key }) ?? true { routes[edge.to] = route }
            }
        }
        return routes
    }
}
