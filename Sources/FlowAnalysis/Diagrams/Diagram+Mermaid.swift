internal import GameFlow
internal import Timers

/// Mermaid, which code hosts and many editors draw where it stands in a page.
extension Diagram {
    var mermaid: String {
        var lines = ["stateDiagram-v2", "    [*] --> \(flow.initial)"]
        for state in states {
            for way in ways(from: state) {
                lines.append("    \(state.state) --> \(way.to): \(label(way))")
            }
            if isFinal(state) { lines.append("    \(state.state) --> [*]") }
            let waiting = state.deferred
            if !waiting.isEmpty {
                lines += [
                    "    note right of \(state.state)",
                    "        \(waiting.joined(separator: ", ")) waits",
                    "    end note",
                ]
            }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private func label(_ way: Way) -> String {
        let timers = way.timers.map {
            $0.info.isPendulum
                ? "♩ \($0.fires) each \($0.length)" : "⏱ \($0.fires) \($0.length)"
        }
        let label = (way.events + timers).joined(separator: ", ")
        return way.isKeep && !way.events.isEmpty ? label + " (stays)" : label
    }
}
