internal import GameFlow
internal import Timers

/// The diagram in DOT, for Graphviz. Transitions on a timer are dashed; a state's box lists its timers.
extension Diagram {
    var dot: String {
        var lines = [
            "digraph \(quoted(flow.name)) {",
            "    rankdir=LR",
            "    node [shape=box, style=rounded, fontname=\"sans-serif\", fontsize=12]",
            "    edge [fontname=\"sans-serif\", fontsize=10, arrowsize=0.7]",
            "    \"\" [shape=point, width=0.12]",
            "    \"\" -> \(quoted(flow.initial))",
        ]
        for state in states {
            let end = isFinal(state) ? ", peripheries=2" : ""
            lines.append("    \(quoted(state.state)) [label=\(quoted(label(state)))\(end)]")
        }
        for state in states {
            for arrow in arrows(from: state) { lines += self.lines(arrow, from: state) }
        }
        return (lines + ["}"]).map { $0 + "\n" }.joined()
    }

    private func label(_ state: StateSurvey) -> String {
        let timers = timers(of: state).map {
            $0.info.isPendulum
                ? "\($0.fires) each \($0.length)" : "\($0.fires) after \($0.length)"
        }
        let deferred = state.deferred.map { "\($0) waits" }
        return ([state.state] + timers + deferred).joined(separator: "\n")
    }

    private func lines(_ arrow: Arrow, from state: StateSurvey) -> [String] {
        let ends = "    \(quoted(state.state)) -> \(quoted(arrow.to))"
        var lines: [String] = []
        if !arrow.events.isEmpty {
            let stays = arrow.isKeep ? "\n(stays)" : ""
            let label = quoted(arrow.events.joined(separator: "\n") + stays)
            lines.append("\(ends) [label=\(label)]")
        }
        if !arrow.timers.isEmpty {
            let label = quoted(arrow.timers.map(\.fires).joined(separator: "\n"))
            lines.append("\(ends) [label=\(label), style=dashed]")
        }
        return lines
    }

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
