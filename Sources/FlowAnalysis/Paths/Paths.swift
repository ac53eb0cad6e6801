internal import GameFlow
internal import Timers

/// Finds the shortest paths from a flow's initial state to another state, by number of moves and by time. Each path that is
/// returned was verified: its moves were made on a session in virtual time. `gamectl paths` prints the result.
public struct Paths {
    public struct Path {
        public let moves: [CompletedMove]
        /// The index of the path's last situation in `Exploration.situations`; nil if the exploration did not find this
        /// situation.
        let endIndex: Int?
        public var moveCount: Int { moves.count }
        /// The time that the moves take together.
        public var time: Duration { moves.reduce(.zero) { $0 + $1.duration } }
    }

    private let exploration: Exploration
    /// The estimated quickest route to each situation, by the situation's index; nil if no route was found.
    private let routes: [Route?]

    public init(_ exploration: Exploration) {
        self.exploration = exploration
        routes = Self.estimatedRoutes(exploration)
    }

    /// Whether the exploration was complete; otherwise there may be shorter paths, and paths to more states.
    public var isComplete: Bool { exploration.isComplete }

    /// The path with the fewest moves to a state; nil if none was found.
    public func shortestInMoves(to state: String) -> Path? {
        // The exploration is breadth-first, so the path to the first situation with this state has the fewest moves.
        let situation = exploration.situations.first { $0.place.state == state }
        return situation.flatMap { walk($0.path) }
    }

    /// The quickest path to a state. Of equally quick paths, this is the path with the fewest moves. Nil if no path was found.
    public func shortestInTime(to state: String) -> Path? {
        exploration.situations.indices.filter { exploration.situations[$0].place.state == state }
            .compactMap { quickest(to: $0) }
            .min { ($0.time, $0.moveCount) < ($1.time, $1.moveCount) }
    }

    /// The quickest verified path to the situation with this index. The route in `routes` is an estimate. If this route ends in
    /// another situation, the result is the path with the fewest moves.
    func quickest(to index: Int) -> Path? {
        let fewestMovesPath = walk(exploration.situations[index].path)
        let estimatedPath = routes[index].flatMap { walk($0.moves) }
            .flatMap { $0.endIndex == index ? $0 : nil }
        return [estimatedPath, fewestMovesPath].compactMap { $0 }.min {
            ($0.time, $0.moveCount) < ($1.time, $1.moveCount)
        }
    }

    /// Makes the moves on a new session in virtual time. Nil if a move fails: the session refuses its event or signal, or the
    /// state is left before the wait is over.
    func walk(_ moves: [Move]) -> Path? {
        let trial = Trial(exploration.flow)
        var completed: [CompletedMove] = []
        for move in moves {
            guard let completedMove = trial.make(move) else { return nil }
            completed.append(completedMove)
        }
        return Path(moves: completed, endIndex: exploration.index(of: trial))
    }

    /// Moves to a situation, with their estimated time.
    private struct Route {
        var time: Duration
        var moves: [Move]
        /// Routes are compared by this pair.
        var key: (Duration, Int) { (time, moves.count) }
    }

    /// Finds routes by Dijkstra's algorithm, by time and then by number of moves. The exploration measured the duration of each
    /// wait on one path: the first path that it found to the situation before the wait. On another route, the same wait may
    /// last longer or shorter. Therefore the times are estimates, and `walk` measures them again.
    private static func estimatedRoutes(_ exploration: Exploration) -> [Route?] {
        var routes = [Route?](repeating: nil, count: exploration.situations.count)
        /// Whether the route to a situation is final: no quicker route can be found.
        var isFinal = [Bool](repeating: false, count: routes.count)
        let edges = Dictionary(grouping: exploration.edges, by: \.from)
        routes[0] = Route(time: .zero, moves: [])  // to the initial situation
        while let next = routes.indices.filter({ !isFinal[$0] && routes[$0] != nil })
            .min(by: { routes[$0]!.key < routes[$1]!.key })
        {
            isFinal[next] = true
            for edge in edges[next] ?? [] where !isFinal[edge.to] {
                let route = Route(
                    time: routes[next]!.time + edge.duration,
                    moves: routes[next]!.moves + [edge.move])
                if routes[edge.to].map({ route.key < $0.key }) ?? true { routes[edge.to] = route }
            }
        }
        return routes
    }
}
