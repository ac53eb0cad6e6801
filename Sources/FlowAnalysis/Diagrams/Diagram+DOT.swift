internal import GameFlow
internal import Timers

/// DOT, which Graphviz draws. What a timer does is dashed; a state's timers stand in it.
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
            for way in ways(from: state) { lines += edges(from: state, way) }
        }
        return (lines + ["}"]).map { $0 + "\n" }.joined()
    }

    private func label(_ state: FlowModel) -> String {
        let timers = state.timers.map {
            $0.info.isPendulum
                ? "\($0.fires) each \($0.length)" : "\($0.fires) after \($0.length)"
        }
        let waiting = state.deferred.map { "\($0) waits" }
        return ([state.state] + timers + waiting).joined(separator: "\n")
    }

    private func edges(from state: FlowModel, _ way: Way) -> [String] {
        let ends = "    \(quoted(state.state)) -> \(quoted(way.to))"
        var edges: [String] = []
        if !way.events.isEmpty {
            let stays = way.isKeep ? "\n(stays)" : ""
            let label = quoted(way.events.joined(separator: "\n") + stays)
            edges.append("\(ends) [label=\(label)]")
        }
        if !way.timers.isEmpty {
            let label = quoted(way.timers.map(\.fires).joined(separator: "\n"))
            edges.append("\(ends) [label=\(label), style=dashed]")
        }
        return edges
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
