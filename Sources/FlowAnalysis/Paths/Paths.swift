public import GameFlow
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

    /// Searches a flow, which must have no mistakes (`AnyFlow.mistakes`). The search ends after `moves` moves.
    public init(_ flow: AnyFlow, moves: Int = SearchLimit.pathsMoves.maximum) {
        self.init(Exploration(flow, SearchBudget(.pathsMoves, moves)))
    }

    /// Whether the exploration was complete; otherwise there may be shorter paths, and paths to more states.
    public var isComplete: Bool { exploration.isComplete }
    /// What was not searched, as a sentence; nil if the search was complete.
    public var incompleteness: String? { exploration.incompleteness }
    /// The names of the events whose ranges of arguments have too many values to be tried whole.
    public var eventsNotTriedWhole: [String] { exploration.eventsNotTriedWhole }

    /// The path with the fewest moves to a state; nil if none was found. The last move may lead on at once, because an event is
    /// posted.
    public func shortestInMoves(to state: String) -> Path? {
        exploration.arrivals[state].flatMap(walk)
    }

    /// The quickest path to a state. Of equally quick paths, this is the path with the fewest moves. Nil if no path was found.
    public func shortestInTime(to state: String) -> Path? {
        let ends = exploration.situations.indices.filter {
            exploration.situations[$0].place.state == state
        }
        let candidates = ends.isEmpty ? pathsThrough(state) : ends.compactMap { quickest(to: $0) }
        return (candidates + [shortestInMoves(to: state)].compactMap { $0 }).min {
            ($0.time, $0.moveCount) < ($1.time, $1.moveCount)
        }
    }

    /// The paths whose last move visits the state and leads on at once.
    private func pathsThrough(_ state: String) -> [Path] {
        exploration.edges.filter { edge in edge.transitions.contains { $0.to == state } }
            .compactMap { edge in
                quickest(to: edge.from).flatMap { walk($0.moves.map(\.move) + [edge.move]) }
            }
            .filter { path in path.moves.last?.steps.contains { $0.to?.state == state } == true }
    }

    /// The quickest verified path to the situation with this index. The route in `routes` is an estimate. If this route ends in
    /// another situation, the result is the path with the fewest moves.
    func quickest(to index: Int) -> Path? {
        let fewestMovesPath = walk(exploration.situations[index].path)
        let estimatedPath = moves(ofRouteTo: index).flatMap(walk)
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

    /// The last move of a route to a situation, with the estimated time and the number of moves of the whole route.
    private struct Route {
        var time: Duration
        var moveCount: Int
        /// The index of the last move's edge in `Exploration.edges`; nil for the initial situation.
        var lastEdge: Int?

        /// Whether the route is quicker or, with the same time, has fewer moves.
        func precedes(_ other: Route) -> Bool {
            (time, moveCount) < (other.time, other.moveCount)
        }
    }

    /// The moves of the route to a situation; nil if there is no route.
    private func moves(ofRouteTo index: Int) -> [Move]? {
        guard var route = routes[index] else { return nil }
        var moves: [Move] = []
        while let lastEdge = route.lastEdge {
            let edge = exploration.edges[lastEdge]
            moves.append(edge.move)
            guard let previous = routes[edge.from] else { return nil }
            route = previous
        }
        return moves.reversed()
    }

    /// Finds routes by Dijkstra's algorithm, by time and then by number of moves. The exploration measured the duration of each
    /// wait on one path: the first path that it found to the situation before the wait. On another route, the same wait may
    /// last longer or shorter. Therefore the times are estimates, and `walk` measures them again.
    private static func estimatedRoutes(_ exploration: Exploration) -> [Route?] {
        var routes = [Route?](repeating: nil, count: exploration.situations.count)
        let edges = Dictionary(
            grouping: exploration.edges.indices, by: { exploration.edges[$0].from })
        routes[0] = Route(time: .zero, moveCount: 0)  // to the initial situation
        var queue = RouteQueue()
        queue.insert(RouteQueue.Waiting(time: .zero, moveCount: 0, situation: 0))
        while let entry = queue.removeFirst() {
            guard let route = routes[entry.situation],
                (route.time, route.moveCount) == (entry.time, entry.moveCount)
            else { continue }  // a quicker route was found meanwhile
            for edgeIndex in edges[entry.situation] ?? [] {
                let edge = exploration.edges[edgeIndex]
                let next = Route(
                    time: route.time + edge.duration, moveCount: route.moveCount + 1,
                    lastEdge: edgeIndex)
                guard routes[edge.to].map(next.precedes) ?? true else { continue }
                routes[edge.to] = next
                queue.insert(
                    RouteQueue.Waiting(
                        time: next.time, moveCount: next.moveCount, situation: edge.to))
            }
        }
        return routes
    }
}

/// The situations whose edges are not followed yet, the nearest first: a binary heap.
private struct RouteQueue {
    struct Waiting {
        let time: Duration
        let moveCount: Int
        /// The index of the situation.
        let situation: Int

        func precedes(_ other: Waiting) -> Bool {
            (time, moveCount, situation) < (other.time, other.moveCount, other.situation)
        }
    }

    private var heap: [Waiting] = []

    mutating func insert(_ entry: Waiting) {
        heap.append(entry)
        var index = heap.count - 1
        while index > 0, heap[index].precedes(heap[(index - 1) / 2]) {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Removes and returns the nearest entry; nil if the queue is empty.
    mutating func removeFirst() -> Waiting? {
        guard let first = heap.first else { return nil }
        heap[0] = heap[heap.count - 1]
        heap.removeLast()
        var index = 0
        while true {
            let children = [2 * index + 1, 2 * index + 2].filter { $0 < heap.count }
            guard let child = children.min(by: { heap[$0].precedes(heap[$1]) }),
                heap[child].precedes(heap[index])
            else { return first }
            heap.swapAt(index, child)
            index = child
        }
    }
}
