internal import GameFlow
internal import Timers

/// The diagram in DOT, for Graphviz. Transitions on a timer's signal are dashed, and rows of a flow file that no try took are
/// dashed and grey. A state's box lists its timers and the events that it defers.
extension Diagram {
    var dot: String {
        var lines = [
            "digraph \(quoted(flow.name)) {",
            "    rankdir=LR",
            "    node [shape=box, style=rounded, fontname=\"sans-serif\", fontsize=12]",
            "    edge [fontname=\"sans-serif\", fontsize=10, arrowsize=0.7]",
            // The point from which an arrow leads to the initial state.
            "    \"\" [shape=point, width=0.12]",
            "    \"\" -> \(quoted(flow.initial))",
        ]
        for state in states {
            // A final state has a double border.
            let border = isFinal(state) ? ", peripheries=2" : ""
            lines.append("    \(quoted(state.state)) [label=\(quoted(label(state)))\(border)]")
        }
        var hasLoopBelow = false
        for state in states {
            let edges = arrows(from: state).flatMap(Self.edges)
            let loops = Self.joined(edges.filter { $0.to == state.state })
            lines += edges.filter { $0.to != state.state }.map { line($0, from: state) }
            // Graphviz draws the loops of one side through each other's labels.
            for (index, loop) in loops.enumerated() {
                let isBelow = index % 2 == 1
                hasLoopBelow = hasLoopBelow || isBelow
                lines.append(line(loop, from: state, isBelow: isBelow))
            }
        }
        // Graphviz leaves no space for a loop below a state.
        if hasLoopBelow { lines.append("    nodesep=0.4") }
        return (lines + ["}"]).map { $0 + "\n" }.joined()
    }

    private func label(_ state: StateSurvey) -> String {
        let timers = timers(of: state).map { "\($0.fires) \($0.words)" }
        let deferred = deferredEvents(of: state).map { "\($0) waits" }
        return ([state.state] + timers + deferred).joined(separator: "\n")
    }

    /// An edge of DOT.
    private struct Edge {
        let to: String
        /// The events or timers that cause the transitions, a line each. After events that keep the state, a line says so.
        var lines: [String]
        let isOfTimers: Bool
        let isKeep: Bool
        let wasTried: Bool
    }

    /// An arrow as edges: an edge for its events, and one for its timers.
    private static func edges(_ arrow: Arrow) -> [Edge] {
        func edge(_ lines: [String], isOfTimers: Bool) -> Edge {
            Edge(
                to: arrow.to, lines: lines, isOfTimers: isOfTimers, isKeep: arrow.isKeep,
                wasTried: arrow.wasTried)
        }
        var edges: [Edge] = []
        if !arrow.events.isEmpty {
            let stays = arrow.isKeep ? ["(stays)"] : []
            edges.append(edge(arrow.events + stays, isOfTimers: false))
        }
        if !arrow.timers.isEmpty {
            edges.append(edge(arrow.timers.map(\.fires), isOfTimers: true))
        }
        return edges
    }

    /// The loops of a state with one edge for all loops of the same look: first of events, and of these first those that keep the state.
    private static func joined(_ loops: [Edge]) -> [Edge] {
        let events = loops.filter { !$0.isOfTimers }
        let ordered =
            events.filter(\.isKeep) + events.filter { !$0.isKeep } + loops.filter(\.isOfTimers)
        var joined: [Edge] = []
        for loop in ordered {
            let same = joined.firstIndex {
                $0.isOfTimers == loop.isOfTimers && $0.wasTried == loop.wasTried
            }
            if let same { joined[same].lines += loop.lines } else { joined.append(loop) }
        }
        return joined
    }

    /// The line of an edge. `isBelow` puts a loop below its state.
    private func line(_ edge: Edge, from state: StateSurvey, isBelow: Bool = false) -> String {
        let style = edge.isOfTimers || !edge.wasTried ? ", style=dashed" : ""
        let grey = edge.wasTried ? "" : ", color=gray50, fontcolor=gray50"
        let side = isBelow ? ", tailport=s, headport=s" : ""
        let label = quoted(edge.lines.joined(separator: "\n"))
        let attributes = "label=\(label)\(style)\(grey)\(side)"
        return "    \(quoted(state.state)) -> \(quoted(edge.to)) [\(attributes)]"
    }

    /// A string in DOT, with quotes.
    private func quoted(_ text: String) -> String {
        var quoted = "\""
        for character in text {
            switch character {
            case "\"", "\\": quoted += "\\\(character)"
            case "\n": quoted += "\\n"
            default: quoted.append(character)
            }
        }
        return quoted + "\""
    }
}
