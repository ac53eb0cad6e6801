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
        for state in states {
            for arrow in arrows(from: state) { lines += edgeLines(arrow, from: state) }
        }
        return (lines + ["}"]).map { $0 + "\n" }.joined()
    }

    private func label(_ state: StateSurvey) -> String {
        let timers = timers(of: state).map { "\($0.fires) \($0.words)" }
        let deferred = deferredEvents(of: state).map { "\($0) waits" }
        return ([state.state] + timers + deferred).joined(separator: "\n")
    }

    /// An arrow as edges of DOT: an edge for its events, and a dashed edge for its timers.
    private func edgeLines(_ arrow: Arrow, from state: StateSurvey) -> [String] {
        let edge = "    \(quoted(state.state)) -> \(quoted(arrow.to))"
        let grey = arrow.wasTried ? "" : ", color=gray50, fontcolor=gray50"
        let eventStyle = arrow.wasTried ? "" : ", style=dashed"
        var lines: [String] = []
        if !arrow.events.isEmpty {
            let stays = arrow.isKeep ? "\n(stays)" : ""
            let label = quoted(arrow.events.joined(separator: "\n") + stays)
            lines.append("\(edge) [label=\(label)\(eventStyle)\(grey)]")
        }
        if !arrow.timers.isEmpty {
            let label = quoted(arrow.timers.map(\.fires).joined(separator: "\n"))
            lines.append("\(edge) [label=\(label), style=dashed\(grey)]")
        }
        return lines
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
