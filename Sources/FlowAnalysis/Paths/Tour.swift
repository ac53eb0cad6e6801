internal import GameFlow
internal import Support
internal import Timers

/// Scenarios that together take every row of a flow's table: from where the session is to the nearest
/// row that was not taken yet, and anew from the beginning when none can be reached.
///
/// They were gone while they were written; what they expect is what was seen.
public struct Tour {
    /// The scenario file.
    public private(set) var text: String
    /// The rows that no way was found to, with the samples that there are.
    public private(set) var missed: [Exploration.Row] = []

    private let exploration: Exploration
    /// The edges by where they begin, each with its number.
    private let edges: [Int: [(number: Int, edge: Exploration.Edge)]]
    private var open: Set<Exploration.Row>
    private var count = 0
    /// Edges that did not lead where they had, when they were taken again.
    private var struck: Set<Int> = []

    public init(_ exploration: Exploration) {
        self.exploration = exploration
        edges = Dictionary(
            grouping: exploration.edges.enumerated().map { (number: $0, edge: $1) },
            by: \.edge.from)
        let rows = Coverage(exploration.flow).allRows
        open = Set(rows)
        text = "# Takes every row of the flow's table once.\nflow \(exploration.flow.name)\n"
        while !open.isEmpty, walk() {}
        missed = rows.filter(open.contains)
    }

    /// One scenario; whether it took a row that no other had taken.
    private mutating func walk() -> Bool {
        let trial = Trial(exploration.flow)
        let (before, struckBefore) = (open.count, struck.count)
        var lines: [String] = []
        while let place = exploration.number(of: trial), let (moves, edge) = nearest(from: place) {
            let openBefore = open.count
            let isGone = moves.allSatisfy { make($0, trial, &lines) }
            // What it leads to depends on something that this way has not brought with it.
            if open.count == openBefore { struck.insert(edge) }
            if !isGone { break }
        }
        guard open.count < before else { return struck.count > struckBefore }
        count += 1
        text += "\nscenario way \(count)\n" + lines.map { $0 + "\n" }.joined()
        return true
    }

    private mutating func make(_ move: Move, _ trial: Trial, _ lines: inout [String]) -> Bool {
        guard let leg = trial.make(move) else { return false }
        // A scenario's `after` fires everything that is due then.
        trial.wait(.zero)
        if trial.isTired { return false }
        for step in trial.steps {
            if let row = Exploration.Row(step) { open.remove(row) }
        }
        switch move {
        case .send(let event, let arguments):
            lines.append("send " + Expectations.place(event, arguments))
        case .wait, .linger: lines.append("after " + DurationText.write(leg.took))
        }
        let place = trial.machine.place
        let data = place.data.filter { $0.value.isPlain }
        lines.append("expect " + Expectations.place(place.state, data))
        let effects = trial.steps.flatMap { $0.effects.map(\.name) }
        if !effects.isEmpty { lines.append("expect effects " + effects.joined(separator: ", ")) }
        return true
    }

    /// The fewest moves from a situation to and over a row that is open; nil where none is in reach.
    private func nearest(from start: Int) -> (moves: [Move], edge: Int)? {
        var ways: [Int: [Move]] = [start: []]
        var queue = [start]
        var next = 0
        while next < queue.count {
            let place = queue[next]
            next += 1
            for (number, edge) in edges[place] ?? [] where !struck.contains(number) {
                let way = ways[place]! + [edge.move]
                if edge.rows.contains(where: open.contains) { return (way, number) }
                if ways[edge.to] == nil {
                    ways[edge.to] = way
                    queue.append(edge.to)
                }
            }
        }
        return nil
    }
}

extension Value {
    /// Whether it can stand in a scenario as a word.
    fileprivate var isPlain: Bool {
        switch self {
        case .bool, .int, .string: true
        case .null, .array, .object, .unfit: false
        }
    }
}
